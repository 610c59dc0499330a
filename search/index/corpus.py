"""The index of a vault in memory, updated note by note.

Not thread-safe: the engine guards it with a lock.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import MAX_TOKEN, Grade, is_dense, run_tokens, runs, tokens, without_dashes
from search.answer.evidence import Field
from search.cache.plain_values import pack_compressed
from search.graph.links import LinkIndex
from search.ids import NoteId, has_markdown, is_by_name, is_note
from search.index.captions import Captions, captions_of
from search.index.names import NameIndex
from search.index.note_languages import NoteLanguages
from search.index.number_sets import distinct
from search.index.postings import FIELDS, NAME_FIELDS, Postings
from search.index.spelling import Spelling
from search.index.stems import StemTable
from search.index.vocabulary import GRADE_BIT, NO_IDS, NUMBER_BITS, Vocabulary
from search.vault.hidden import without_hidden
from search.vault.markdown import ParsedNote
from search.vault.packed import PackedDict
from search.vectors.concepts import MAX_CONCEPTS

if TYPE_CHECKING:
    from search.vault.note import Note

Sequence16 = npt.NDArray[np.uint16]

MAX_SEQUENCE = 200_000  # tokens of a text whose order is kept: 400 kB
_BODY, _HEADINGS, _LINKS = map(FIELDS.index, (Field.BODY, Field.HEADINGS, Field.LINKS))
_MIN_PROSE = 30  # tokens outside headings and links; with fewer, a note with a link is a stub
_NO_TOKENS = np.empty(0, np.uint16)  # one array for all files without text
SHORT = 1000  # characters; a longer note is not short under any setting


class Corpus:
    """The notes of a vault, with their postings, names and links."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.postings = Postings()
        self.stems = StemTable(self.vocabulary)
        self.spelling = Spelling(self.vocabulary)
        self.languages = NoteLanguages(self.vocabulary)
        self.names = NameIndex()
        self.links = LinkIndex()
        self.notes: PackedDict[NoteId, Note] = PackedDict()
        self.generation = 0  # grows with every change
        self._notes_per_folder: Counter[str] = Counter()
        self.sequences: PackedDict[NoteId, Sequence16] = PackedDict()  # each text's tokens, see `matching.nearness`
        self._captions: dict[NoteId, Captions] = {}  # of the notes that were asked for since they changed
        self.short: dict[NoteId, int] = {}  # the number of characters of each short note's text

    @property
    def notes_per_folder(self) -> Mapping[str, int]:
        """Folder -> the number of Markdown notes directly in it; the root is the empty string."""
        return self._notes_per_folder

    @property
    def n_notes(self) -> int:
        """The number of notes, without files that are found by name only."""
        return len(self.links)

    def tags_of(self, note: NoteId) -> tuple[str, ...]:
        """The note's tags; () for a note that no longer exists."""
        known = self.notes.get(note)
        return known.tags if known is not None else ()

    def length_of(self, note: NoteId) -> int | None:
        """The number of characters of a note's text, or None from `SHORT` characters on."""
        return self.short.get(note)

    def captions_of(self, note: NoteId) -> Captions:
        """The words of the note's names and headings."""
        found = self._captions.get(note)
        if found is None:
            found = self._captions[note] = captions_of(self.notes.transient(note), self.vocabulary)
        return found

    def is_stub(self, note: NoteId) -> bool:
        """Whether a note has no text, or links to one other note and has hardly any text beside headings and links."""
        slot = self.postings.slots.get(note)
        if slot is None:
            return False
        n_tokens, n_in_headings, n_in_links = self.postings.lengths[slot, [_BODY, _HEADINGS, _LINKS]].tolist()
        n_prose = n_tokens - n_in_headings - n_in_links
        n_targets = len({link.target for link in self.notes[note].links if link.target})
        return n_prose <= 0 if n_targets == 0 else n_targets == 1 and n_prose < _MIN_PROSE

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that the link `[[name]]` leads to from a note in the vault's root, or None."""
        return self.links.resolve(NoteId(""), name)

    def notes_named(self, text: str) -> Mapping[NoteId, str]:
        """The notes that `text` names, see `NameIndex`, and a file found by name only, if `text` is its name or path.

        Such a file is looked up as a link to it is, with its extension, so that its name is not kept a second time.
        """
        return {**self.names.notes_named(text), **self._file_named(text)}

    def notes_named_in_any_form(self, text: str) -> Mapping[NoteId, str]:
        """Like `notes_named`, but a note counts even if another one has a name closer to `text`."""
        return {**self.names.notes_named_in_any_form(text), **self._file_named(text)}

    def _file_named(self, text: str) -> Mapping[NoteId, str]:
        file = self.resolve_link(text.strip())
        return {} if file is None or not is_by_name(file) else {file: self.notes[file].title}

    def update(self, batch: Iterable[ParsedNote]) -> None:
        """Add notes, or replace their earlier versions."""
        texts: dict[NoteId, tuple[str, ...]] = {}
        for parsed in batch:
            note = parsed.note
            self._captions.pop(note.id, None)
            self.short.pop(note.id, None)
            if is_note(note.id):
                self._notes_per_folder[note.folder] += note.id not in self.notes
            if not is_by_name(note.id):
                self.names.update(note)
                if len(parsed.body) < SHORT:
                    self.short[note.id] = len(parsed.body)
            self.notes[note.id] = note
            self.links.update(note)
            texts[note.id] = field_texts(parsed)
        if texts:
            encoded = iter(self.vocabulary.encode_all([text for fields in texts.values() for text in fields if text]))
            each = ([next(encoded) if text else NO_IDS for text in fields] for fields in texts.values())
            read = [(note, fields[:-1], fields[-1]) for note, fields in zip(texts, each, strict=True)]
            for id_, fields, hidden in read:
                body = fields[_BODY]
                self.sequences[id_] = body[:MAX_SEQUENCE].astype(np.uint16) if len(body) else _NO_TOKENS
                if is_by_name(id_):
                    fields[_BODY] = distinct(body)  # a keyword that is repeated in an image says no more
                else:
                    self.languages.update(id_, body, texts[id_][_BODY])
                if len(hidden):
                    graded = hidden & np.uint32(NUMBER_BITS) | np.uint32(Grade.HIDDEN << GRADE_BIT)
                    fields[_BODY] = np.concatenate((fields[_BODY], graded))
            self.postings = self.postings.with_notes([(note, fields) for note, fields, _ in read])
            self.generation += 1

    def remove(self, notes: Iterable[NoteId]) -> None:
        """Remove notes; unknown ones are ignored."""
        known = [note for note in notes if note in self.notes]
        for note in known:
            folder = self.notes.pop(note).folder
            if is_note(note):
                self._notes_per_folder[folder] -= 1
                if not self._notes_per_folder[folder]:
                    del self._notes_per_folder[folder]
            self.names.remove(note)
            self.languages.remove(note)
            self.links.remove(note)
            self._captions.pop(note, None)
            self.short.pop(note, None)
            self.sequences.pop(note, None)
        if known:
            self.postings = self.postings.without(known)
            self.generation += 1

    def saved(self) -> dict[str, bytes]:
        """The vocabulary, stems, names and links for a snapshot; the caller holds the lock.

        The other parts of a corpus can be saved without it.
        """
        return {
            **self.vocabulary.saved(),
            **self.stems.saved(),
            "names": self.names.saved(),
            "links": self.links.saved(),
        }

    def restore(
        self,
        saved: Mapping[str, bytes],
        postings: Postings,
        notes: PackedDict[NoteId, "Note"],
        sequences: PackedDict[NoteId, Sequence16],
        *,
        languages: dict[NoteId, str],
        short: dict[NoteId, int],
    ) -> None:
        """Replace an empty corpus by a saved one."""
        self.vocabulary.restore(saved)
        self.stems.restore(saved)
        self.names.restore(saved["names"])
        self.links.restore(saved["links"])
        self.languages.restore(languages)
        self.postings, self.notes, self.sequences, self.short = postings, notes, sequences, short
        self._notes_per_folder = Counter(note.rpartition("/")[0] for note in notes if is_note(note))
        self.generation += 1

    def concept_words(self) -> tuple[str, ...]:
        """The vault's typical words, the most frequent first, ties in alphabetical order; at most `MAX_CONCEPTS`.

        A typical word has at least three letters and nothing but letters, is not a stop word, and has at least two
        postings and at most a third of (notes * fields).
        """
        ids = np.arange(len(self.vocabulary), dtype=np.uint32)
        sizes = self.postings.sizes(ids)
        most = max(2, len(self.postings) * len(FIELDS) // 3)
        likely = ids[(sizes >= 2) & (sizes <= most)]
        counted = ((int(sizes[at]), self.vocabulary.token(int(at))) for at in likely)
        words = ((-size, word) for size, word in counted if len(word) > 2 and word.isalpha() and not is_stop_word(word))
        return tuple(word for _, word in nsmallest(MAX_CONCEPTS, words))

    def candidates_containing(self, text: str, *, is_name: bool = False) -> frozenset[NoteId] | None:
        """A superset of the notes that contain `text` in their body, names or properties; None if postings cannot tell.

        With `is_name`, a superset of the notes that contain it in a title, an alias or the path. A note is a candidate
        if each run of the text is part of some token of the note.
        """
        found = runs(without_dashes(text))
        if not found or any(len(run) > MAX_TOKEN for run in found):
            return None
        slots: npt.NDArray[np.int64] | None = None
        for run in found:
            for token in run_tokens(run) if is_dense(run) else (fold(run),):
                found_in = self.postings.find(self.vocabulary.matching(token).anywhere)
                with_run = distinct(found_in.slots[found_in.fields < len(NAME_FIELDS)] if is_name else found_in.slots)
                slots = with_run if slots is None else np.intersect1d(slots, with_run, assume_unique=True)
        notes = self.postings.notes
        return frozenset(notes[slot] for slot in (() if slots is None else slots.tolist()))

    def notes_with_tokens(self, text: str) -> frozenset[NoteId]:
        """The notes that have each run of `text` as a token in some field, or all pairs of its characters."""
        wanted = {token for run in runs(text) for token in (run_tokens(run) if is_dense(run) else (fold(run),))}
        slots: npt.NDArray[np.int64] | None = None
        for token in wanted:
            with_token = distinct(self.postings.find(self.vocabulary.matching(token, is_exact=True).word).slots)
            slots = with_token if slots is None else np.intersect1d(slots, with_token, assume_unique=True)
        notes = self.postings.notes
        return frozenset(notes[slot] for slot in (() if slots is None else slots.tolist()))

    def notes_with_token(self, token: str, *, at_most: int) -> frozenset[NoteId] | None:
        """The notes that contain exactly this token in any field, or None if there are more than `at_most`."""
        found = self.postings.find(self.vocabulary.matching(token, is_exact=True).word)
        slots = distinct(found.slots)
        return None if len(slots) > at_most else frozenset(self.postings.notes[slot] for slot in slots.tolist())

    def notes_containing(self, word: str, *, is_whole: bool) -> frozenset[NoteId] | None:
        """Exactly the notes whose text, title, aliases or file name contain the folded `word`.

        With `is_whole` the word must be a whole word or a part of a compound; otherwise it may be inside a longer word.
        None if postings cannot tell and the texts must be read, which is so unless `word` is a single token.
        """
        if tokens(word) != (word,) or len(word) >= MAX_TOKEN:
            return None
        matching = self.vocabulary.matching(word, is_exact=is_whole and not is_dense(word))
        found = self.postings.find(matching.anywhere)
        is_path = found.fields == FIELDS.index(Field.PATH)
        notes = self.postings.notes
        elsewhere = frozenset(notes[slot] for slot in distinct(found.slots[~is_path]).tolist())
        in_path = {notes[slot] for slot in distinct(found.slots[is_path]).tolist()} - elsewhere
        return elsewhere.union(note for note in in_path if self._is_in_file_name(note, word, is_whole=is_whole))

    def _is_in_file_name(self, note: NoteId, word: str, *, is_whole: bool) -> bool:
        name = self.notes[note].name
        return word in tokens(name) if is_whole and not is_dense(word) else word in fold(name)


def pack_sequences(sequences: Iterable[Sequence16]) -> bytes:
    """The tokens of texts as the data of a `PackedGroup`."""
    return pack_compressed([sequence.tobytes() for sequence in sequences])


def unpack_sequence(data: bytes) -> Sequence16:
    """One of the sequences that `pack_sequences` packed."""
    return np.frombuffer(data, np.uint16)


def field_texts(parsed: ParsedNote) -> tuple[str, ...]:
    """The text of each field as a reader sees it, in the order of `Field`, and last what no reader sees."""
    return (*short_texts(parsed.note), *_seen_and_hidden(parsed.note, parsed.body))


def short_texts(note: "Note") -> tuple[str, ...]:
    """The text of each field except the body, in the order of `Field`. A file found by name only has its path."""
    if is_by_name(note.id):
        return ("", _without_extension(note.id), "", "", "", "")
    return (
        _seen_and_hidden(note, "\n".join((note.title, *note.aliases)))[0],
        _without_extension(note.id),
        "\n".join(note.tags),
        _seen_and_hidden(note, "\n".join(note.heading_texts))[0],
        "\n".join(link.shown or link.target for link in note.links),
        "\n".join(value for _, values in note.properties for value in values),
    )


def _without_extension(path: str) -> str:
    stem, dot, extension = path.rpartition(".")
    return stem if dot and stem and "/" not in extension else path


def _seen_and_hidden(note: "Note", text: str) -> tuple[str, str]:
    return without_hidden(text) if has_markdown(note.id) else (text, "")
