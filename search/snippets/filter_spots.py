"""The places in a note where a query's filter holds: matches of regular expressions, and matching lines, tasks etc.

Covers only what plain words do not show by themselves: regular expressions, `match-case:`, and conditions on one line,
block, section or task. Words of such a condition are highlighted where it holds and nowhere else.

Of the lines, blocks, sections and tasks, the ones with the most and rarest words of the query are tested first, so that
the best are found wherever they are. Words and regular expressions are searched for in the best lines first, too. Never
finds more than `MAX_PARTS` of them or `MAX_SPOTS` places for one condition, and a regular expression gets no more time
than in the filter.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from types import MappingProxyType

from attrs import frozen

from search.analysis.fold import fold
from search.filters.evaluate import holds_in
from search.filters.occurs import Piece
from search.filters.order import CASES, FIELDS
from search.filters.regexes import Regexes
from search.filters.sections import heading_named
from search.query import And, Node, Operator, Or, Phrase, RankedTerm, Regex, Restricted, Word
from search.snippets.spots import HighlightTerm, Spot, lines_with, spots_in
from search.vault.note import Note
from search.vault.tasks import iter_blocks, iter_tasks

MAX_SPOTS = 50
MAX_PARTS = 50  # lines, blocks, sections or tasks where a condition holds
_MAX_TESTED = 5_000
_MAX_LINES_OF_A_MATCH = 3
_OF_MANY_LINES = 0.1  # factor for the first line of a block or section: its best line is shown rather
_TASKS = frozenset({Operator.TASK, Operator.TASK_TODO, Operator.TASK_DONE})
_PARTS = frozenset({Operator.LINE, Operator.BLOCK, Operator.SECTION}) | _TASKS


@frozen
class _Part:
    """Lines `start` to `end` of the note; the first of them only from character `column` on."""

    start: int
    end: int
    column: int = 0


def terms_shown_anywhere(terms: Sequence[RankedTerm], node: Node | None) -> list[RankedTerm]:
    """The ranked terms that may be highlighted anywhere: all except those that `node` requires at some place."""
    placed = Counter((leaf.text, isinstance(leaf, Phrase)) for leaf in _placed(node, is_placed=False)) if node else {}
    kept = []
    for term in terms:
        key = (term.text, term.is_phrase)
        if placed.get(key, 0) > 0:
            placed[key] -= 1
        else:
            kept.append(term)
    return kept


def has_places(node: Node | None) -> bool:
    """Whether `filter_spots` can find places for this filter."""
    match node:
        case Regex():
            return True
        case And(nodes) | Or(nodes):
            return any(map(has_places, nodes))
        case Restricted(operator, inner):
            return (
                operator in _PARTS or operator is Operator.MATCH_CASE or (operator not in FIELDS and has_places(inner))
            )
        case _:
            return False


def filter_spots(
    node: Node,
    note: Note,
    lines: Sequence[str],
    *,
    weight: float,
    regexes: Regexes,
    line_weights: Mapping[int, float] = MappingProxyType({}),
) -> list[Spot]:
    """The places where the filter holds, each condition with its own key and this `weight`; none for exclusions.

    `line_weights` are the weights of the query's words in the lines that contain any.
    """
    if not has_places(node):
        return []
    seeker = _Seeker(note, lines, weight, regexes, line_weights)
    return list(seeker.seek(node, _Part(0, len(lines)), is_cased=False, is_placed=False))


def _placed(node: Node, *, is_placed: bool) -> Iterator[Word | Phrase]:
    match node:
        case Word() | Phrase():
            if is_placed:
                yield node
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from _placed(inner, is_placed=is_placed)
        case Restricted(operator, inner) if operator not in FIELDS:
            yield from _placed(inner, is_placed=is_placed or operator in _PARTS or operator is Operator.MATCH_CASE)
        case _:
            pass


@frozen
class _Seeker:
    note: Note
    lines: Sequence[str]
    weight: float
    regexes: Regexes
    line_weights: Mapping[int, float]

    def seek(self, node: Node, part: _Part, *, is_cased: bool, is_placed: bool) -> Iterator[Spot]:
        match node:
            case Regex(pattern):
                for piece in self._best_first(part):
                    yield from self._pattern(pattern, piece, is_cased=is_cased)
            case Word(text) | Phrase(text):
                for piece in self._best_first(part) if text and (is_placed or is_cased) else ():
                    yield from self._text(text, piece, is_cased=is_cased)
            case And(nodes) | Or(nodes):
                for inner in nodes:
                    yield from self.seek(inner, part, is_cased=is_cased, is_placed=is_placed)
            case Restricted(operator, inner) if operator in CASES:
                yield from self.seek(inner, part, is_cased=operator is Operator.MATCH_CASE, is_placed=is_placed)
            case Restricted(operator, inner) if operator in _PARTS:
                yield from self._within(operator, inner, part, is_cased=is_cased)
            case Restricted(operator, inner) if operator not in FIELDS:
                yield from self.seek(inner, part, is_cased=is_cased, is_placed=is_placed)
            case _:
                return

    def _within(self, operator: Operator, node: Node, whole: _Part, *, is_cased: bool) -> Iterator[Spot]:
        n_found = 0
        weight = self.weight * (_OF_MANY_LINES if operator in {Operator.SECTION, Operator.BLOCK} else 1.0)
        named = heading_named(node, self.note) if operator is Operator.SECTION and not is_cased else None
        if named is not None and named.line < len(self.lines):  # the lines of a very long note are cut
            yield Spot(named.line, 0, len(self.lines[named.line]), f"{operator}:", self.weight)
        for part in sorted(self._parts(operator, whole), key=self._lightness)[:_MAX_TESTED]:
            piece = Piece(self._text_of(part))
            if holds_in(node, self.note, piece, self.regexes, is_case_sensitive=is_cased):
                yield Spot(part.start, part.column, part.column, f"{operator}:", weight)
                yield from self.seek(node, part, is_cased=is_cased, is_placed=True)
                n_found += 1
            if n_found == MAX_PARTS:
                return

    def _best_first(self, part: _Part) -> Iterator[_Part]:
        """The part itself; before it, if it is long, each of its lines in which the query's words weigh most."""
        if part.end - part.start > MAX_PARTS:
            weights = self.line_weights
            inside = (number for number in weights if part.start <= number < part.end)
            yield from (_Part(at, at + 1) for at in nsmallest(MAX_PARTS, inside, key=lambda at: (-weights[at], at)))
        yield part

    def _lightness(self, part: _Part) -> float:
        """The higher, the less the query's words weigh in the best line of the part."""
        weights = self.line_weights
        return (
            -max((weights.get(number, 0.0) for number in range(part.start, part.end)), default=0.0) if weights else 0.0
        )

    def _parts(self, operator: Operator, whole: _Part) -> Iterator[_Part]:
        if operator is Operator.LINE:
            yield from (_Part(at, at + 1) for at in range(whole.start, whole.end) if self.lines[at])
        elif operator is Operator.SECTION:
            if whole == _Part(0, len(self.lines)):
                yield from (_Part(section.start_line, section.end_line) for section in self.note.sections)
            else:
                yield whole
        elif operator is Operator.BLOCK:
            blocks = iter_blocks(self._text_of(whole))
            yield from (_Part(whole.start + start, whole.start + end) for start, end in blocks)
        else:
            for task in iter_tasks(self._text_of(whole)):
                if operator is Operator.TASK or task.is_done == (operator is Operator.TASK_DONE):
                    at = whole.start + task.line
                    yield _Part(at, at + 1, len(self.lines[at]) - len(task.text))

    def _text_of(self, part: _Part) -> str:
        text = "\n".join(self.lines[part.start : part.end])
        return text[part.column :] if part.column else text

    def _text(self, text: str, part: _Part, *, is_cased: bool) -> Iterator[Spot]:
        if is_cased:
            yield from self._spots(_cased(text, self._text_of(part)), part, f"={text}")
            return
        wanted = HighlightTerm(fold(text), self.weight, is_free=True)
        folded = fold(self._text_of(part))
        for number, _ in zip(lines_with(folded, [wanted]), range(MAX_SPOTS), strict=False):
            at = part.start + number
            column = part.column if number == 0 else 0
            for spot in spots_in(self.lines[at][column:], at, [wanted]):
                yield Spot(at, spot.start + column, spot.end + column, f"={text}", self.weight)

    def _pattern(self, pattern: str, part: _Part, *, is_cased: bool) -> Iterator[Spot]:
        found = self.regexes.places(
            pattern, self._text_of(part), self.note.id, is_case_sensitive=is_cased, n_places=MAX_SPOTS
        )
        yield from self._spots(found, part, f"/{pattern}/")

    def _spots(self, ranges: Sequence[tuple[int, int]], part: _Part, key: str) -> Iterator[Spot]:
        """Ranges of a part's text as places in its lines; a match over many lines is cut to the first few."""
        line, column = part.start, part.column
        begins = 0  # where `line` begins in the part's text
        for start, end in ranges:
            while line < part.end - 1 and start > begins + len(self.lines[line]) - column:
                begins += len(self.lines[line]) - column + 1
                line, column = line + 1, 0
            yield from self._lines_of(line, start - begins + column, end - start, key)

    def _lines_of(self, line: int, start: int, length: int, key: str) -> Iterator[Spot]:
        for number in range(line, min(line + _MAX_LINES_OF_A_MATCH, len(self.lines))):
            end = min(start + length, len(self.lines[number]))
            if start < end or length == 0:
                yield Spot(number, start, end, key, self.weight)
            length -= end - start + 1
            start = 0
            if length <= 0:
                return


def _cased(text: str, within: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = within.find(text)
    while at >= 0 and len(found) < MAX_SPOTS:
        found.append((at, at + len(text)))
        at = within.find(text, at + len(text))
    return found
