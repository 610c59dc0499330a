"""Which notes a query's filter admits, before anything is ranked.

The filter is evaluated as algebra on sets of notes: what costs nothing (tags, folders, names, properties) first, then
words and phrases, then lines and blocks, then patterns, each over the notes that are left. Texts are read only for
notes of which `having` says that they may hold what is asked for.

Never ranks, and never raises for anything a user typed or a note contains.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from attrs import Factory, define, evolve, field, frozen

from search.analysis.fold import fold
from search.budget import UNLIMITED, Budget
from search.filters.fields import Leaf, compares, folder_test, property_values, tag_test
from search.filters.occurs import Needle, Piece
from search.filters.order import CASES, FIELDS, cost, needed_text, pushed_down
from search.filters.regexes import Regexes
from search.ids import NoteId
from search.notice import Notice
from search.query import (
    And,
    HasProperty,
    LinkedName,
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

_CHECKED_EVERY = 64  # notes between two looks at the budget
_CACHED_CHARACTERS = 2_000_000  # of texts kept while one filter is evaluated, as they are and folded


@frozen
class FilterResult:
    """The notes that may be answers, and what is to be said about how they were found."""

    ids: frozenset[NoteId]
    notices: tuple[Notice, ...] = ()


@frozen
class _Mode:
    """How words are to be read at this place of the filter."""

    is_case_sensitive: bool = False
    is_negated: bool = False


def evaluate_filter(
    node: Node,
    notes: Mapping[NoteId, Note],
    *,
    text_of: Callable[[NoteId], str],
    having: Callable[[str], frozenset[NoteId] | None] = lambda _: None,
    named: Callable[[str], frozenset[NoteId] | None] = lambda _: None,
    holding: Callable[[str, bool], frozenset[NoteId] | None] = lambda _word, _is_whole: None,
    linked: Callable[[str], frozenset[NoteId]] = lambda _: frozenset(),
    budget: Budget = UNLIMITED,
) -> FilterResult:
    """The ids of `notes` for which `node` holds.

    `having(folded)` names at least the notes that hold the folded text in their text, title, aliases or file name, and
    `named(folded)` at least those that hold it in one of the names; None means that it cannot be told.
    `holding(folded, is_whole)` names exactly the notes that hold a word in these places, as a whole word or also inside
    longer ones; where it says None, texts are read. Words and phrases are looked for in title, aliases, file name and
    text. `linked(name)` names the notes that `[[name]]` stands for.
    A pattern that takes too long is given up with a notice, see `search.filters.regexes`.
    """
    evaluation = _Evaluation(notes, text_of, having, named, holding, linked, budget, Regexes(budget.clock))
    ids = evaluation.select(pushed_down(node), frozenset(notes), _Mode())
    return FilterResult(ids, evaluation.regexes.notices())


def holds_in(node: Node, note: Note, piece: Piece, regexes: Regexes, *, is_case_sensitive: bool) -> bool:
    """Whether `node` holds for a piece of a note's text, as it does where it decides about the note."""
    evaluation = _Evaluation(
        {note.id: note},
        lambda _: piece.raw,
        lambda _: None,
        lambda _: None,
        lambda _word, _is_whole: None,
        lambda _: frozenset(),
        UNLIMITED,
        regexes,
    )
    return evaluation.holds(pushed_down(node), note, piece, _Mode(is_case_sensitive))


@define(eq=False)
class _Evaluation:
    notes: Mapping[NoteId, Note]
    text_of: Callable[[NoteId], str]
    having: Callable[[str], frozenset[NoteId] | None]
    named: Callable[[str], frozenset[NoteId] | None]
    holding: Callable[[str, bool], frozenset[NoteId] | None]
    linked: Callable[[str], frozenset[NoteId]]
    budget: Budget
    regexes: Regexes
    wanted: dict[str, Needle] = Factory(dict)
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
        """Each distinct tag and folder is looked at once."""
        is_hit = self._field_test(operator, leaf, mode)
        if operator is Operator.PATH:
            return frozenset([note_id for note_id in universe if is_hit(note_id, note_id)])
        if operator is Operator.FILE:
            return frozenset([note_id for note_id in universe if is_hit(note_id.rpartition("/")[2], note_id)])
        if operator is Operator.FOLDER:
            folders: dict[str, list[NoteId]] = {}
            for note_id in universe:
                folders.setdefault(note_id.rpartition("/")[0], []).append(note_id)
            return frozenset().union(*[ids for folder, ids in folders.items() if is_hit(folder, NoteId(f"{folder}/"))])
        whole = len(universe) == len(self.notes)  # then in the order of memory, far faster than in that of hashes
        notes = self.notes.values() if whole else [self.notes[note_id] for note_id in universe]
        known = set(chain.from_iterable([note.tags for note in notes]))
        hits = {tag for tag in known if is_hit(tag, NoteId(f"#{tag}"))}
        return frozenset([note.id for note in notes if not hits.isdisjoint(note.tags)] if hits else ())

    def _sift(self, node: Node, universe: frozenset[NoteId], mode: _Mode) -> frozenset[NoteId]:
        """Look at each note, in the order of ids where time may run out before the end."""
        if isinstance(node, Word) and node.text and not mode.is_case_sensitive:
            exactly = self.holding(fold(node.text), mode.is_negated)
            if exactly is not None:
                return universe & exactly
        near = self._near(node)
        candidates: Iterable[NoteId] = universe if near is None else universe & near
        if isinstance(node, Phrase) and node.text and not mode.is_case_sensitive:
            return frozenset(self._with_phrase(fold(node.text), candidates))
        found = []
        for note_id in sorted(candidates) if cost(node) == 3 else candidates:
            self.budget.check()
            if self.holds(node, self.notes[note_id], None, mode):
                found.append(note_id)
        return frozenset(found)

    def _with_phrase(self, phrase: str, candidates: Iterable[NoteId]) -> Iterator[NoteId]:
        """Those of `candidates` that hold the folded `phrase`; a straight loop, for they may be half the vault."""
        text_of, notes, named = self.text_of, self.notes, self.named(phrase)
        for at, note_id in enumerate(candidates):
            if at % _CHECKED_EVERY == 0:
                self.budget.check()
            if phrase in fold(text_of(note_id)):
                yield note_id
                continue
            if named is not None and note_id not in named:
                continue
            note = notes[note_id]
            if any(phrase in fold(name) for name in (note.title, *note.aliases, note.name)):
                yield note_id

    def _near(self, node: Node) -> frozenset[NoteId] | None:
        """At least the notes for which `node` may hold; None: all."""
        match node:
            case Word(text) | Phrase(text):
                return self.having(fold(text)) if text else None
            case And(nodes):
                known = [ids for inner in nodes if (ids := self._near(inner)) is not None]
                return frozenset.intersection(*known) if known else None
            case Or(nodes):
                parts = [self._near(inner) for inner in nodes]
                known = [ids for ids in parts if ids is not None]
                return frozenset().union(*known) if len(known) == len(parts) else None
            case Restricted(operator, inner) if operator not in FIELDS:
                return self._near(inner)
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
            case HasProperty() | PropertyIs():
                return self._property_holds(node, note, mode)
            case Restricted(operator, inner) if operator in CASES:
                return self.holds(inner, note, piece, _cased(mode, operator))
            case Restricted(operator, (Word() | Phrase() | Regex()) as leaf) if operator in FIELDS:
                is_hit = self._field_test(operator, leaf, mode)
                return any(is_hit(text, note.id) for text in _field_texts(operator, note))
            case Restricted(operator, inner):
                parts = self._parts(operator, note, piece)
                if needed := needed_text(inner):
                    parts = (part for part in parts if needed in part.folded)
                return any(self.holds(inner, note, part, mode) for part in parts)

    def _occurs(self, leaf: Leaf, place: Piece, note_id: NoteId, mode: _Mode) -> bool:
        if isinstance(leaf, Regex):
            cased = mode.is_case_sensitive
            return self.regexes.occurs(leaf.pattern, place.raw, note_id, is_case_sensitive=cased)
        wanted = self._wanted(leaf.text)
        look = wanted.is_word_in if mode.is_negated and isinstance(leaf, Word) else wanted.occurs_in
        return look(place, is_case_sensitive=mode.is_case_sensitive)

    def _wanted(self, text: str) -> Needle:
        wanted = self.wanted.get(text)
        if wanted is None:
            wanted = self.wanted[text] = Needle.of(text)
        return wanted

    def _field_test(self, operator: Operator, leaf: Leaf, mode: _Mode) -> Callable[[str, NoteId], bool]:
        """Whether a tag, folder, name or path, which is of the note named second, is what `leaf` asks for."""
        cased = mode.is_case_sensitive
        if isinstance(leaf, Regex):
            return lambda text, owner: self.regexes.occurs(leaf.pattern, text, owner, is_case_sensitive=cased)
        if operator in {Operator.TAG, Operator.FOLDER}:
            test = (tag_test if operator is Operator.TAG else folder_test)(leaf.text)
            return lambda text, _: test(text)
        wanted = self._wanted(leaf.text)
        if cased:
            return lambda text, _: wanted.raw in text
        return lambda text, _: wanted.folded in fold(text)

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
        """What `operator` names, in the note or within a piece of it; a piece has no sections of its own."""
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


def _field_texts(operator: Operator, note: Note) -> tuple[str, ...]:
    if operator is Operator.TAG:
        return note.tags
    if operator is Operator.FOLDER:
        return (note.folder,)
    return (note.id if operator is Operator.PATH else note.id.rpartition("/")[2],)


def _flipped(mode: _Mode) -> _Mode:
    return evolve(mode, is_negated=not mode.is_negated)


def _cased(mode: _Mode, operator: Operator) -> _Mode:
    return evolve(mode, is_case_sensitive=operator is Operator.MATCH_CASE)
