"""Evaluate a query's filter: which notes it allows.

The filter is evaluated as algebra on sets of notes. Cheap conditions come first (tags, folders, names, properties),
then words and phrases, then lines and blocks, then regular expressions; each sees only the notes that are left. A text
is read only if `may_hold` says that the note may contain the word or phrase.

Never ranks, and never raises for anything that a user typed or a note contains.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter

from attrs import Factory, define, evolve, field, frozen

from search.analysis.fold import fold
from search.budget import UNLIMITED, Budget
from search.filters.fields import Leaf, compares, folder_test, property_values, tag_test, wildcard_test
from search.filters.occurs import Piece, needle_for
from search.filters.order import CASES, FIELDS, cost, needed_text, pushed_down
from search.filters.regexes import Regexes
from search.filters.sections import heading_named, words_of_heading
from search.ids import MARKDOWN, NoteId, other_type
from search.notice import Notice
from search.query import (
    And,
    HasProperty,
    LinkedName,
    Named,
    Node,
    Not,
    Operator,
    Or,
    Phrase,
    PropertyIs,
    Regex,
    Restricted,
    Word,
)
from search.vault.lines import split_lines
from search.vault.note import Note
from search.vault.tasks import iter_blocks, iter_tasks

_CHECKED_EVERY = 64  # notes between two checks of the budget
_CACHED_CHARACTERS = 2_000_000  # of texts cached during one evaluation, each with its folded form


@frozen
class FilterResult:
    """The notes that the filter allows, and notices about its evaluation."""

    ids: frozenset[NoteId]
    notices: tuple[Notice, ...] = ()


@frozen
class _Mode:
    """How words match at this place of the filter."""

    is_case_sensitive: bool = False
    is_negated: bool = False


def evaluate_filter(
    node: Node,
    notes: Mapping[NoteId, Note],
    *,
    text_of: Callable[[NoteId], str],
    may_hold: Callable[[str], frozenset[NoteId] | None] = lambda _: None,
    may_be_named: Callable[[str], frozenset[NoteId] | None] = lambda _: None,
    notes_with_word: Callable[[str, bool], frozenset[NoteId] | None] = lambda _word, _is_whole: None,
    linked: Callable[[str], frozenset[NoteId]] = lambda _: frozenset(),
    budget: Budget = UNLIMITED,
) -> FilterResult:
    """The ids of `notes` for which `node` holds.

    Words and phrases are searched for in title, aliases, file name and text. Three callbacks say beforehand which notes
    hold a folded text, so that few texts are read; each may return None for "unknown".

    may_hold(text): a superset of the notes that contain it in any of these places.
    may_be_named(text): a superset of the notes that contain it in title, aliases or file name.
    notes_with_word(word, is_whole): exactly the notes that contain the word in any of these places, as a whole word or
        else also inside longer words.

    `linked(name)` returns the notes that `[[name]]` leads to. A regular expression that takes too long is abandoned
    with a notice, see `search.filters.regexes`.
    """
    regexes = Regexes(budget.clock)
    evaluation = _Evaluation(notes, text_of, regexes, may_hold, may_be_named, notes_with_word, linked, budget)
    ids = evaluation.select(pushed_down(node), frozenset(notes), _Mode())
    return FilterResult(ids, regexes.notices())


def holds_in(node: Node, note: Note, piece: Piece, regexes: Regexes, *, is_case_sensitive: bool) -> bool:
    """Whether `node` holds for a piece of a note's text, by the same rules as for whole notes."""
    evaluation = _Evaluation({note.id: note}, lambda _: piece.raw, regexes)
    return evaluation.holds(pushed_down(node), note, piece, _Mode(is_case_sensitive))


@define(eq=False)
class _Evaluation:
    notes: Mapping[NoteId, Note]
    text_of: Callable[[NoteId], str]
    regexes: Regexes
    may_hold: Callable[[str], frozenset[NoteId] | None] = lambda _: None
    may_be_named: Callable[[str], frozenset[NoteId] | None] = lambda _: None
    notes_with_word: Callable[[str, bool], frozenset[NoteId] | None] = lambda _word, _is_whole: None
    linked: Callable[[str], frozenset[NoteId]] = lambda _: frozenset()
    budget: Budget = UNLIMITED
    pieces: dict[NoteId, Piece] = Factory(dict)
    n_cached: int = field(default=0)  # characters in `pieces`

    # Sets of notes

    def select(self, node: Node, universe: frozenset[NoteId], mode: _Mode) -> frozenset[NoteId]:  # noqa: PLR0911 - one per case
        """The notes of `universe` for which `node` holds."""
        if not universe:
            return universe
        self.budget.check()
        match node:
            case And(nodes):
                for inner in sorted(nodes, key=cost):
                    universe = self.select(inner, universe, mode)
                return universe
            case Or(nodes):
                rest = universe
                for inner in sorted(nodes, key=cost):
                    rest -= self.select(inner, rest, mode)
                return universe - rest
            case Not(inner):
                return universe - self.select(inner, universe, _flipped(mode))
            case LinkedName(name):
                return universe & self.linked(name)
            case Restricted(operator, inner) if operator in CASES:
                return self.select(inner, universe, _cased(mode, operator))
            case Restricted(operator, (Word() | Phrase() | Regex()) as leaf) if operator in FIELDS:
                return self._with_field(operator, leaf, universe, mode)
            case _:
                return self._sift(node, universe, mode)

    def _with_field(
        self, operator: Operator, leaf: Leaf, universe: frozenset[NoteId], mode: _Mode
    ) -> frozenset[NoteId]:
        """Test each distinct text of a field once, instead of once for each note."""
        is_hit = self._field_test(operator, leaf, mode)
        if operator is Operator.PATH:
            return frozenset([note_id for note_id in universe if is_hit(note_id)])
        if operator is Operator.FILE:
            return frozenset([note_id for note_id in universe if is_hit(note_id.rpartition("/")[2])])
        if operator is Operator.FOLDER:
            hits = set(filter(is_hit, {note_id.rpartition("/")[0] for note_id in universe}))
            return frozenset([note_id for note_id in universe if note_id.rpartition("/")[0] in hits])
        is_all = len(universe) == len(self.notes)  # then in the order of memory, far faster than in the order of hashes
        notes = self.notes.values() if is_all else [self.notes[note_id] for note_id in universe]
        texts_of = _FIELD_TEXTS[operator]
        hits = set(filter(is_hit, set(chain.from_iterable(map(texts_of, notes)))))
        return frozenset([note.id for note in notes if not hits.isdisjoint(texts_of(note))] if hits else ())

    def _sift(self, node: Node, universe: frozenset[NoteId], mode: _Mode) -> frozenset[NoteId]:
        """Test the notes one by one; in the order of ids where time may run out, so that results are stable."""
        if isinstance(node, Word) and node.text and not mode.is_case_sensitive:
            exact = self.notes_with_word(fold(node.text), mode.is_negated)
            if exact is not None:
                return universe & exact
        likely = self._candidates(node)
        candidates: Iterable[NoteId] = universe if likely is None else universe & likely
        if isinstance(node, Phrase) and node.text and not mode.is_case_sensitive:
            return frozenset(self._with_phrase(fold(node.text), candidates))
        found = []
        for note_id in sorted(candidates) if cost(node) == 3 else candidates:
            self.budget.check()
            if self.holds(node, self.notes[note_id], None, mode):
                found.append(note_id)
        return frozenset(found)

    def _with_phrase(self, phrase: str, candidates: Iterable[NoteId]) -> Iterator[NoteId]:
        """The `candidates` that contain the folded `phrase`; one plain loop, as they may be half the vault."""
        text_of, notes, may_be_named = self.text_of, self.notes, self.may_be_named(phrase)
        for at, note_id in enumerate(candidates):
            if at % _CHECKED_EVERY == 0:
                self.budget.check()
            if phrase in fold(text_of(note_id)):
                yield note_id
                continue
            if may_be_named is not None and note_id not in may_be_named:
                continue
            note = notes[note_id]
            if any(phrase in fold(name) for name in (note.title, *note.aliases, note.name)):
                yield note_id

    def _candidates(self, node: Node) -> frozenset[NoteId] | None:
        """A superset of the notes for which `node` holds; None: any note."""
        match node:
            case Word(text) | Phrase(text):
                return self.may_hold(fold(text)) if text else None
            case And(nodes):
                known = [ids for inner in nodes if (ids := self._candidates(inner)) is not None]
                return frozenset.intersection(*known) if known else None
            case Or(nodes):
                parts = [self._candidates(inner) for inner in nodes]
                known = [ids for ids in parts if ids is not None]
                return frozenset().union(*known) if len(known) == len(parts) else None
            case Restricted(Operator.SECTION, (Word(text) | Phrase(text)) as leaf) if not text.isalnum():
                named = self._candidates(And(tuple(map(Word, words_of_heading(text)))))
                holding = self._candidates(leaf)
                return None if named is None or holding is None else named | holding
            case Restricted(operator, inner) if operator not in FIELDS:
                return self._candidates(inner)
            case _:
                return None

    # One note

    def holds(self, node: Node, note: Note, piece: Piece | None, mode: _Mode) -> bool:  # noqa: C901, PLR0911 - one per case
        """Whether `node` holds for `note`, or for `piece` of it."""
        match node:
            case Word() | Phrase() | Regex():
                places = [piece] if piece else self._places(note)
                return any(self._occurs(node, place, note.id, mode) for place in places)
            case And(nodes):
                return all(self.holds(inner, note, piece, mode) for inner in nodes)
            case Or(nodes):
                return any(self.holds(inner, note, piece, mode) for inner in nodes)
            case Not(inner):
                return not self.holds(inner, note, piece, _flipped(mode))
            case LinkedName(name):
                return note.id in self.linked(name)
            case Named(words, notes):
                return self.holds(words, note, piece, mode) or self.holds(notes, note, piece, mode)
            case HasProperty() | PropertyIs():
                return self._property_holds(node, note, mode)
            case Restricted(operator, inner) if operator in CASES:
                return self.holds(inner, note, piece, _cased(mode, operator))
            case Restricted(operator, (Word() | Phrase() | Regex()) as leaf) if operator in FIELDS:
                is_hit = self._field_test(operator, leaf, mode)
                return any(map(is_hit, _FIELD_TEXTS[operator](note)))
            case Restricted(operator, inner):
                if self._is_heading_named(operator, inner, note, piece, mode):
                    return True
                parts = self._parts(operator, note, piece)
                if needed := needed_text(inner):
                    parts = (part for part in parts if needed in part.folded)
                return any(self.holds(inner, note, part, mode) for part in parts)

    @staticmethod
    def _is_heading_named(operator: Operator, node: Node, note: Note, piece: Piece | None, mode: _Mode) -> bool:
        is_by_name = operator is Operator.SECTION and piece is None and not mode.is_case_sensitive
        return is_by_name and heading_named(node, note) is not None

    def _occurs(self, leaf: Leaf, place: Piece, note_id: NoteId, mode: _Mode) -> bool:
        if isinstance(leaf, Regex):
            cased = mode.is_case_sensitive
            return self.regexes.occurs(leaf.pattern, place.raw, note_id, is_case_sensitive=cased)
        needle = needle_for(leaf.text)
        look = needle.is_word_in if mode.is_negated and isinstance(leaf, Word) else needle.occurs_in
        return look(place, is_case_sensitive=mode.is_case_sensitive)

    def _field_test(self, operator: Operator, leaf: Leaf, mode: _Mode) -> Callable[[str], bool]:
        """A test of whether a tag, folder, name or path satisfies `leaf`."""
        cased = mode.is_case_sensitive
        if isinstance(leaf, Regex):  # each tested text gets the time limit of a note
            return lambda text: self.regexes.occurs(leaf.pattern, text, NoteId(text), is_case_sensitive=cased)
        if operator is Operator.TAG:
            return tag_test(leaf.text)
        if operator is Operator.FOLDER:
            return folder_test(leaf.text)
        if operator is Operator.TYPE:
            return lambda text: text == leaf.text.lower()
        if "*" in leaf.text and isinstance(leaf, Word) and not cased:
            return wildcard_test(leaf.text)
        needle = needle_for(leaf.text)
        return lambda text: needle.raw in text if cased else needle.folded in fold(text)

    def _property_holds(self, node: HasProperty | PropertyIs, note: Note, mode: _Mode) -> bool:
        values = property_values(note, node.name)
        if values is None or isinstance(node, HasProperty):
            return values is not None
        if node.node == Word("null"):
            return not any(value.strip() for value in values)
        if isinstance(node.node, Word) and (verdict := compares(node.node.text, values)) is not None:
            return verdict
        positive = _Mode(mode.is_case_sensitive)
        return any(self.holds(node.node, note, Piece(value), positive) for value in values)

    # Parts of a note

    def _places(self, note: Note) -> Iterator[Piece]:
        yield from map(Piece, dict.fromkeys((note.title, *note.aliases, note.name)))
        yield self._whole(note)

    def _whole(self, note: Note) -> Piece:
        piece = self.pieces.get(note.id)
        if piece is None:
            piece = Piece(self.text_of(note.id))
            self.n_cached += len(piece.raw)
            if self.n_cached > _CACHED_CHARACTERS:
                self.pieces.clear()
                self.n_cached = len(piece.raw)
            self.pieces[note.id] = piece
        return piece

    def _parts(self, operator: Operator, note: Note, piece: Piece | None) -> Iterator[Piece]:
        """The parts that `operator` names, in the note or in a piece of it; a piece has no sections of its own."""
        within = piece or self._whole(note)
        match operator:
            case Operator.CONTENT:
                yield within
            case Operator.SECTION if piece:
                yield piece
            case Operator.TASK | Operator.TASK_TODO | Operator.TASK_DONE:
                yield from _tasks(operator, within.raw)
            case _:
                lines = split_lines(within.raw)
                yield from (Piece("\n".join(lines[start:end])) for start, end in _ranges(operator, note, lines, within))


def _ranges(operator: Operator, note: Note, lines: list[str], within: Piece) -> Iterable[tuple[int, int]]:
    if operator is Operator.SECTION:
        return ((section.start_line, section.end_line) for section in note.sections)
    if operator is Operator.BLOCK:
        return iter_blocks(within.raw)
    return ((number, number + 1) for number in range(len(lines)))


def _tasks(operator: Operator, text: str) -> Iterator[Piece]:
    if ("[ ]" if operator is Operator.TASK_TODO else "]") not in text:
        return
    for task in iter_tasks(text):
        if operator is Operator.TASK or task.is_done == (operator is Operator.TASK_DONE):
            yield Piece(task.text)


_FIELD_TEXTS: Mapping[Operator, Callable[[Note], tuple[str, ...]]] = {
    Operator.TAG: attrgetter("tags"),
    Operator.FOLDER: lambda note: (note.folder,),
    Operator.PATH: lambda note: (note.id,),
    Operator.FILE: lambda note: (note.id.rpartition("/")[2],),
    Operator.TYPE: lambda note: (other_type(note.id) or MARKDOWN,),
}
"""What an operator on a field is tested against, for each operator in `FIELDS`."""


def _flipped(mode: _Mode) -> _Mode:
    return evolve(mode, is_negated=not mode.is_negated)


def _cased(mode: _Mode, operator: Operator) -> _Mode:
    return evolve(mode, is_case_sensitive=operator is Operator.MATCH_CASE)
