"""Why a note is related: one sentence with the strongest reasons, made to tell one result from the next.

A reason names what is particular: the section that is alike, the note that links to both, the rare words. What holds
for most of a vault is no reason: a large folder, a tag or a word of a quarter of all notes, a note that links to
everything.
"""

from collections.abc import Iterable, Sequence
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

    def sentence(self, hit: Hit[NoteId]) -> str:
        """At most three clauses, those of the strongest sources first; of meaning alone the least telling one."""
        amounts = {step.source: step.amount for step in hit.trail if isinstance(step, Fused) and step.amount}
        names = forms_once(self.title_words)[:_N_NAMED]
        clauses = {
            MEANING: self._meaning(),
            WORDS: _sharing(forms_once(self.words, other_than=names)),
            MENTIONS: f"its title has {listed([quote(word) for word in names])}" if names else "",
            LINKS: self._links(),
            CITATIONS: self._citations(),
            TAGS: f"shares {listed(['#' + tag for tag in self.tags[:_N_NAMED]])}" if self.tags else "",
            FOLDER: f"both are in {self.folder}/",
        }
        told = [source for source in amounts if clauses[source]]
        told.sort(key=lambda source: (source == MEANING and not self._sections(), -amounts[source], source))
        text = "; ".join(clauses[source] for source in told[:_N_CLAUSES]) or "similar in meaning"
        return text[0].upper() + text[1:] + "."

    def _sections(self) -> str:
        if self.section:
            return f"like its section {quote(self.section, _LONGEST_NAME)}"
        return f"like {quote(self.own_section, _LONGEST_NAME)} here" if self.own_section else ""

    def _meaning(self) -> str:
        return self._sections() or "similar in meaning"

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


def _sharing(words: Sequence[str]) -> str:
    return f"shares {listed([quote(word) for word in words[:_N_NAMED]])}" if words else ""


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
