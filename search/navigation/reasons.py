"""Why a note is related: one sentence with the strongest reasons, made to tell one result from the next.

A reason names what is particular: the section that is alike, the note that links to both, the rare words. What holds
for most of a vault is no reason: a large folder, a tag or a word of a quarter of all notes, a note that links to
everything.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile

from attrs import frozen

from search.answer.explain import listed, quote
from search.answer.ranking import Hit
from search.answer.trail import Fused
from search.ids import NoteId
from search.navigation.relatedness import CITATIONS, FOLDER, LINKS, MEANING, MENTIONS, TAGS, WORDS
from search.vault.note import Note

_N_NAMED = 3  # words or tags
_N_CLAUSES = 3
_SAME_FORM = 0.6  # of the longer word's letters at the start of both
_MIN_STEM = 4
_LONGEST_NAME = 40
_COMMON = 1 / 3  # of the rows of a list, and at least two: what so many have tells none of them apart
_SIBLINGS = 2
_ALIKE = "similar in meaning"
_PHRASES = {WORDS: "shares {}", MENTIONS: "its title has {}", TAGS: "shares {}", FOLDER: "both are in {}/"}


@frozen(kw_only=True)
class Reasons:
    """What can be said of one related note; an empty value says nothing."""

    own_section: str = ""  # of the subject, the one that is alike
    section: str = ""  # of the related note
    words: Sequence[str] = ()  # shared, the most distinctive ones first
    title_words: Sequence[str] = ()  # of the related note's title, found in the subject
    is_target: bool = False
    is_source: bool = False
    citing: Sequence[str] = ()  # titles of notes that link to both
    via: Sequence[str] = ()  # titles of notes linked from the subject that link to the related note
    tags: Sequence[str] = ()
    folder: str = ""  # of the related note

    def said(self) -> Mapping[str, Sequence[str]]:
        """What each source says, the most telling first; without the sources that say nothing."""
        names = forms_once(self.title_words)
        items = {
            MEANING: [self._meaning()],
            WORDS: forms_once(self.words, other_than=names[:_N_NAMED]),
            MENTIONS: names,
            LINKS: [self._links()],
            CITATIONS: [self._citations()],
            TAGS: ["#" + tag for tag in self.tags],
            FOLDER: [self.folder],
        }
        return {source: found for source, found in items.items() if any(found)}

    def _sections(self) -> str:
        if self.section:
            return f"like its section {quote(self.section, _LONGEST_NAME)}"
        return f"like {quote(self.own_section, _LONGEST_NAME)} here" if self.own_section else ""

    def _meaning(self) -> str:
        return self._sections() or _ALIKE

    def _links(self) -> str:
        if self.is_target and self.is_source:
            return "both link to each other"
        return "it is linked from here" if self.is_target else "it links here"

    def _citations(self) -> str:
        if self.citing:
            more = len(self.citing) - 1
            first = quote(self.citing[0], _LONGEST_NAME)
            return f"{first} and {more} more link to both" if more else f"{first} links to both"
        return f"linked from {quote(self.via[0], _LONGEST_NAME)}, which is linked here" if self.via else ""


def sentences(rows: Sequence[tuple[Reasons, Hit[NoteId]]]) -> list[str]:
    """One sentence for each row of a list: at most three clauses, those of the strongest sources first.

    What a third of the rows have does not tell them apart: a sentence begins with its strongest clause that says
    something else, if there is one, and a list of words or tags likewise. "Similar in meaning" comes last.
    """
    said = [_by_amount(reasons.said(), hit) for reasons, hit in rows]
    n_with = Counter((source, item) for clauses in said for source, items in clauses.items() for item in items)
    common = {item for item, n in n_with.items() if n >= max(_SIBLINGS, len(rows) * _COMMON)}
    return [_sentence(clauses, common) for clauses in said]


def _by_amount(said: Mapping[str, Sequence[str]], hit: Hit[NoteId]) -> dict[str, Sequence[str]]:
    """What the sources of a hit's score say, the strongest first; of meaning alone the least telling one."""
    amounts = {step.source: step.amount for step in hit.trail if isinstance(step, Fused) and step.amount}
    told = [source for source in amounts if source in said]
    told.sort(key=lambda source: (said[source] == [_ALIKE], -amounts[source], source))
    return {source: said[source] for source in told}


def _sentence(said: Mapping[str, Sequence[str]], common: Collection[tuple[str, str]]) -> str:
    def tells(source: str, item: str) -> bool:
        return item != _ALIKE and (source, item) not in common

    clauses = {source: _first(items, partial(tells, source)) for source, items in said.items()}
    told = _first(list(clauses), lambda source: tells(source, clauses[source][0]))
    text = "; ".join(_clause(source, clauses[source][:_N_NAMED]) for source in told[:_N_CLAUSES]) or _ALIKE
    return text[0].upper() + text[1:] + "."


def _first(items: Sequence[str], is_wanted: Callable[[str], bool]) -> list[str]:
    """The items with the first one that is wanted in front, the others in their order."""
    at = next((at for at, item in enumerate(items) if is_wanted(item)), 0)
    return [*items[at : at + 1], *items[:at], *items[at + 1 :]]


def _clause(source: str, items: Sequence[str]) -> str:
    if source in (WORDS, MENTIONS):
        items = [quote(item) for item in items]
    return _PHRASES.get(source, "{}").format(listed(items))


def section_at(note: Note, lines: tuple[int, int] | None) -> str:
    """The heading above the first of some lines; empty for the note's title, or if there is none."""
    if lines is None:
        return ""
    above = [heading.text for heading in note.headings if heading.line <= lines[0]]
    return above[-1] if above and above[-1] != note.title else ""


def forms_once(words: Iterable[str], *, other_than: Sequence[str] = ()) -> list[str]:
    """The words in their order, of each only the first form; none that is a form of `other_than`.

    >>> forms_once(["filters", "filtering", "task"], other_than=["tasks"])
    ['filters']
    """
    kept: list[str] = []
    for word in words:
        if not any(_is_form(word, other) for other in (*other_than, *kept)):
            kept.append(word)
    return kept


def _is_form(one: str, other: str) -> bool:
    """Whether two words look like forms of one, or one contains the other; says so of a few others too."""
    if one in other or other in one:
        return True
    n_same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return n_same >= max(_MIN_STEM, _SAME_FORM * max(len(one), len(other)))
