"""What a person asks: the text as typed, read as Obsidian's query language, and the options that go with it.

A query has two halves. Its *ranked terms* decide the order: bare words are ranked and never required. Its *filter*
decides what may be an answer at all: phrases, patterns, `-word`, operators such as `tag:`, properties, and an OR.
These are values only; `search/syntax` reads the text, `search/filters/evaluate.py` applies the filter.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from attrs import field, frozen
from attrs.validators import ge, instance_of, le, optional

from search.ids import NoteId
from search.notice import Notice


class Operator(StrEnum):
    """What a `name:` in front of a word, phrase, regex or group restricts it to."""

    FILE = "file"  # the file name
    PATH = "path"  # the path below the vault
    FOLDER = "folder"  # notes in this folder or below it
    TAG = "tag"  # the tag itself or one nested below it
    LINE = "line"  # all in one line
    SECTION = "section"  # all below one heading
    BLOCK = "block"  # all in one block (paragraph, list item, table, fence)
    TASK = "task"  # in a task, done or not
    TASK_TODO = "task-todo"  # in a task that is not done
    TASK_DONE = "task-done"  # in a task that is done
    CONTENT = "content"  # in the text, not in the name
    MATCH_CASE = "match-case"  # with the case as typed
    IGNORE_CASE = "ignore-case"  # whatever the case, inside a match-case


@frozen
class Word:
    """A bare word as typed."""

    text: str


@frozen
class Phrase:
    """The text between double quotes, to be found as it stands, case and accents aside."""

    text: str


@frozen
class Regex:
    """The pattern between slashes; `regex` module's syntax, case ignored unless inside match-case."""

    pattern: str


@frozen
class Not:
    """Notes for which `node` does not hold."""

    node: "Node"


@frozen
class And:
    """All of `nodes`; of none: everything."""

    nodes: tuple["Node", ...]


@frozen
class Or:
    """At least one of `nodes`."""

    nodes: tuple["Node", ...]


@frozen
class Restricted:
    """`node` holds inside what `operator` names."""

    operator: Operator
    node: "Node"


@frozen
class HasProperty:
    """`[name]`: the note has this property (a null value counts as having it)."""

    name: str


@frozen
class PropertyIs:
    """`[name:value]`: the property is there, and each leaf of `node` matches one of its values.

    A word matches as a substring, case aside; the word `null` a property without a value, `<5` and `>5` numbers,
    `<2024-01-05` and `>2024-01` dates.
    """

    name: str
    node: "Node"


@frozen
class LinkedName:
    """The note that a link of this name leads to; where it leads nowhere, the notes of that title or alias."""

    name: str


Node = Word | Phrase | Regex | Not | And | Or | Restricted | HasProperty | PropertyIs | LinkedName


@frozen
class RankedTerm:
    """A piece of the query's text that counts for the order, as typed."""

    text: str
    is_phrase: bool = False
    is_prefix: bool = False  # the last word of a query still being typed: its completions count too
    is_literal: bool = False  # under an operator, or a tag: meant as typed, without other forms or corrections


@frozen
class ParsedQuery:
    """A query's text, read. `filter` None admits every note; no `terms` means that the filter alone decides."""

    text: str
    terms: tuple[RankedTerm, ...] = ()
    filter: Node | None = None
    notices: tuple[Notice, ...] = ()


@frozen
class PinnedNote:
    """A note that the query names outright, which stands first; a lower `place` comes before a higher one."""

    note: NoteId
    why: str  # "named by [[Router]]"
    place: int = 0


@frozen
class DatedNote:
    """A note of a time that the query speaks of. `order`: days since 1970, less a little for what is less sure."""

    note: NoteId
    why: str  # "daily note of 2024-01-05 (yesterday)"
    order: float
    is_named: bool = False  # its name says so, not only a property or the file's time


@frozen
class QueryExpansion:
    """Words that the query may mean besides what was typed, to be ranked below it."""

    typed: str
    text: str
    why: str  # "RRF: reciprocal rank fusion, as in Fusion.md"


def _no_kinds(_note: NoteId) -> frozenset[str]:
    return frozenset()


@frozen(kw_only=True)
class Understood:
    """What a query means besides its words, found out without a model. Every part may be missing."""

    pins: tuple[PinnedNote, ...] = ()
    dated: tuple[DatedNote, ...] = ()  # the newest first
    is_only_date: bool = False  # the words are no words: `dated` is the answer
    date_words: frozenset[str] = frozenset()  # tokens that say when, counted from today: no subject, beside other words
    expansions: tuple[QueryExpansion, ...] = ()
    intent: str = ""  # for a person: what is wanted, with the words that say so
    kind_factors: Mapping[str, float] = field(factory=dict)
    source_factors: Mapping[str, float] = field(factory=dict)
    kinds_of: Callable[[NoteId], frozenset[str]] = _no_kinds
    notices: tuple[Notice, ...] = ()


NOTHING_UNDERSTOOD = Understood()


class Scope(StrEnum):
    """Where the semantic source looks."""

    VAULT = "vault"  # everywhere: it finds notes that share no word with the query
    CANDIDATES = "candidates"  # among the notes that hold a word of the query


class Level(StrEnum):
    """What of a note is looked at."""

    NOTE = "note"  # all of it
    FILE = "file"  # what it is called and where it lies


class Mode(StrEnum):
    """Which sources answer."""

    HYBRID = "hybrid"  # words and meaning
    KEYWORD = "keyword"  # words alone
    VECTOR = "vector"  # meaning alone


@frozen(kw_only=True)
class Query:
    """One request for notes. Errors in its options raise at construction; its text may be anything."""

    text: str = field(validator=instance_of(str))
    limit: int = field(default=30, validator=[instance_of(int), ge(1), le(100)])
    candidate_limit: int | None = field(
        default=None, validator=optional([instance_of(int), ge(10), le(1000)])
    )  # None: preset's
    rrf_k: int | None = field(
        default=None, validator=optional([instance_of(int), ge(1), le(100)])
    )  # fuse by rank with it
    folder: str = ""  # only notes in it or below it; empty for all
    doc_types: tuple[str, ...] = ()  # only notes of one of these kinds; empty for all
    tags: tuple[str, ...] = ()  # notes must carry all of these, nested ones included, with or without '#'
    limit_to: tuple[str, ...] = ()  # only these note ids; empty for all
    salient_terms: tuple[str, ...] = ()  # further ranked terms
    mode: Mode | None = field(default=None, validator=optional(instance_of(Mode)))  # None: what the settings say
    level: Level = field(default=Level.NOTE, validator=instance_of(Level))
    preset: str = ""  # which design ranks; empty: what the settings say
    depth: int | None = field(
        default=None, validator=optional([instance_of(int), ge(0), le(5)])
    )  # links that are followed from a note; None: what the design says
    include_linked: bool = False  # whether each result comes with the notes that it is linked to
    link_types: tuple[str, ...] = ()  # only links of these types are followed; empty for what the design says
    semantic_weight: float | None = field(default=None, validator=optional([ge(0.0), le(1.0)]))  # None: as above
    semantic_scope: Scope | None = field(default=None, validator=optional(instance_of(Scope)))  # None: as above


@frozen(kw_only=True)
class ExpandedQuery:
    """What a person may have meant besides what was typed; every part but `original` may be missing."""

    original: str
    variants: tuple[str, ...] = ()  # the original first, then other wordings; none for a blank query
    terms: tuple[str, ...] = ()  # the words that matter most: further ranked terms
    hyde: str = ""  # a passage that might answer the question, to be embedded together with it; empty for no question
    notices: tuple[Notice, ...] = ()
