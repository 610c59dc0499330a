"""Everything that is kept in memory of a vault to answer queries, updated note by note.

Not safe for several threads at once; the engine guards it. Nothing here is ever written to disk.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import MAX_TOKEN, is_dense, run_tokens, runs, tokens
from search.answer.evidence import Field
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.index.names import NameIndex
from search.index.number_sets import distinct
from search.index.postings import FIELDS, NAMES, Postings
from search.index.spelling import Spelling
from search.index.stems import StemTable
from search.index.vocabulary import Vocabulary
from search.vault.markdown import Parsed
from search.vectors.concepts import MAX_CONCEPTS

if TYPE_CHECKING:
    import numpy.typing as npt

    from search.vault.note import Note

SHORT = 1000  # characters; what is longer is long for every setting


class Corpus:
    """The notes of a vault as postings, names and links."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.postings = Postings()
        self.stems = StemTable(self.vocabulary)
        self.spelling = Spelling(self.vocabulary)
        self.names = NameIndex()
        self.links = LinkIndex()
        self.notes: dict[NoteId, Note] = {}
        self.generation = 0  # grows with every change
        self._notes_per_folder: Counter[str] = Counter()
        self._short: dict[NoteId, int] = {}  # characters of the text, of notes that have few

    @property
    def notes_per_folder(self) -> Mapping[str, int]:
        """Folder -> how many notes lie directly in it; the root is the empty string."""
        return self._notes_per_folder

    def tags_of(self, note: NoteId) -> tuple[str, ...]:
        """The note's tags, none for a note that is gone."""
        known = self.notes.get(note)
        return known.tags if known is not None else ()

    def length_of(self, note: NoteId) -> int | None:
        """The characters of a note's text where they are fewer than `SHORT`; None for a longer one."""
        return self._short.get(note)

    def leads_to(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to from the top of the vault."""
        return self.links.resolve(NoteId(""), name)

    def update(self, batch: Iterable[Parsed]) -> None:
        """Add notes, or replace what was known of them."""
        texts: dict[NoteId, tuple[str, ...]] = {}
        for parsed in batch:
            note = parsed.note
            if note.id not in self.notes:
                self._notes_per_folder[note.folder] += 1
            self.notes[note.id] = note
            self.names.update(note)
            self.links.update(note)
            texts[note.id] = field_texts(parsed)
            self._short.pop(note.id, None)
            if len(parsed.body) < SHORT:
                self._short[note.id] = len(parsed.body)
        if texts:
            encoded = iter(self.vocabulary.encode_all([text for fields in texts.values() for text in fields]))
            self.postings = self.postings.with_notes([(note, [next(encoded) for _ in FIELDS]) for note in texts])
            self.generation += 1

    def remove(self, gone: Iterable[NoteId]) -> None:
        """Forget notes; unknown ones are passed over."""
        known = [note for note in gone if note in self.notes]
        for note in known:
            folder = self.notes.pop(note).folder
            self._notes_per_folder[folder] -= 1
            if not self._notes_per_folder[folder]:
                del self._notes_per_folder[folder]
            self.names.remove(note)
            self.links.remove(note)
            self._short.pop(note, None)
        if known:
            self.postings = self.postings.without(known)
            self.generation += 1

    def concept_words(self) -> tuple[str, ...]:
        """The words that the vault is about, those of most notes first, equally frequent ones by the alphabet.

        Words of letters that are no glue, in two notes at least and in no more than a third of all.
        """
        ids = np.arange(len(self.vocabulary), dtype=np.uint32)
        sizes = self.postings.sizes(ids)
        most = max(2, len(self.postings) * len(FIELDS) // 3)
        likely = ids[(sizes >= 2) & (sizes <= most)]
        counted = ((int(sizes[at]), self.vocabulary.token(int(at))) for at in likely)
        words = ((-size, word) for size, word in counted if len(word) > 2 and word.isalpha() and not is_stop_word(word))
        return tuple(word for _, word in nsmallest(MAX_CONCEPTS, words))

    def having(self, text: str, *, is_name: bool = False) -> frozenset[NoteId] | None:
        """A superset of the notes that hold `text` in their body, names or properties; None: it cannot be told.

        With `is_name` only of those that hold it in a title, an alias or the file name. Every run of the text must
        stand inside some token of the note, the first and the last one perhaps as a part.
        """
        found = runs(text)
        if not found or any(len(run) > MAX_TOKEN for run in found):
            return None
        slots: npt.NDArray[np.int64] | None = None
        for run in found:
            for token in run_tokens(run) if is_dense(run) else (fold(run),):
                there = self.postings.find(self.vocabulary.matching(token).anywhere)
                holding = distinct(there.slots[there.fields < len(NAMES)] if is_name else there.slots)
                slots = holding if slots is None else np.intersect1d(slots, holding, assume_unique=True)
        notes = self.postings.notes
        return frozenset(notes[slot] for slot in (() if slots is None else slots.tolist()))

    def with_token(self, token: str, *, at_most: int) -> frozenset[NoteId] | None:
        """The notes that hold this very token in any field; None where they are more than `at_most`."""
        found = self.postings.find(self.vocabulary.matching(token, is_whole_word_enough=True).word)
        slots = distinct(found.slots)
        return None if len(slots) > at_most else frozenset(self.postings.notes[slot] for slot in slots.tolist())

    def holding(self, word: str, *, is_whole: bool) -> frozenset[NoteId] | None:
        """Exactly the notes whose text, title, aliases or file name hold the folded `word`; None: texts must be read.

        `is_whole` asks for it as a word or a part of a compound, else it may stand inside a longer word. It can be told
        for a word that is one token: what is shorter than a run is then inside a token.
        """
        if tokens(word) != (word,) or len(word) >= MAX_TOKEN:
            return None
        agreeing = self.vocabulary.matching(word, is_whole_word_enough=is_whole and not is_dense(word))
        found = self.postings.find(agreeing.anywhere)
        is_path = found.fields == FIELDS.index(Field.PATH)
        notes = self.postings.notes
        sure = frozenset(notes[slot] for slot in distinct(found.slots[~is_path]).tolist())
        in_path = {notes[slot] for slot in distinct(found.slots[is_path]).tolist()} - sure
        return sure.union(note for note in in_path if self._is_named(note, word, is_whole=is_whole))

    def _is_named(self, note: NoteId, word: str, *, is_whole: bool) -> bool:
        name = self.notes[note].name
        return word in tokens(name) if is_whole and not is_dense(word) else word in fold(name)


def field_texts(parsed: Parsed) -> tuple[str, ...]:
    """The text of each field, in the order of `Field`."""
    note = parsed.note
    return (
        "\n".join((note.title, *note.aliases)),
        note.id.rpartition(".")[0] or note.id,
        "\n".join(note.tags),
        "\n".join(heading.text for heading in note.headings),
        "\n".join(link.shown or link.target for link in note.links),
        "\n".join(value for _, values in note.properties for value in values),
        parsed.body,
    )
