"""The values of a query: its text as typed, the text parsed as Obsidian's query language, and its options.

A query has two halves. Its *ranked terms* decide the order: bare words are ranked and never required. Its *filter*
decides which notes may be found at all: phrases, patterns, `-word`, operators such as `tag:`, properties, and OR.
These are values only; `search/syntax` parses the text, `search/filters/evaluate.py` applies the filter.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

from attrs import Attribute, field, frozen
from attrs.validators import ge, instance_of, le, optional

from search.errors import ConfigError, one_of
from search.ids import FILE_TYPES, MARKDOWN, NoteId
from search.notice import Notice


class Operator(StrEnum):
    """`name:` in front of a word, phrase, regex or group: where in a note it must match."""

    FILE = "file"  # the file name
    PATH = "path"  # the path below the vault
    FOLDER = "folder"  # notes in this folder or below it
    TAG = "tag"  # the tag itself or one nested below it
    LINE = "line"  # everything in the same line
    SECTION = "section"  # everything below the same heading
    BLOCK = "block"  # everything in the same block (paragraph, list item, table, fence)
    TASK = "task"  # in a task, done or not
    TASK_TODO = "task-todo"  # in a task that is not done
    TASK_DONE = "task-done"  # in a task that is done
    TYPE = "type"  # the type of the file; only in front of one, so that other words with `type:` stay words
    CONTENT = "content"  # in the text, not in the file name
    MATCH_CASE = "match-case"  # case-sensitive
    IGNORE_CASE = "ignore-case"  # case-insensitive; only useful inside a match-case


UNRANKED = frozenset({Operator.TAG, Operator.FOLDER, Operator.TYPE})  # the text under them only filters


@frozen
class Word:
    """A bare word as typed."""

    text: str


@frozen
class Phrase:
    """The text between double quotes, found exactly as written except for case and accents."""

    text: str


@frozen
class Regex:
    """The pattern between slashes, in the syntax of the `regex` module; case-insensitive unless inside match-case."""

    pattern: str


@frozen
class Not:
    """Notes that do not match `node`."""

    node: "Node"


@frozen
class And:
    """Notes that match all of `nodes`; an empty And matches every note."""

    nodes: tuple["Node", ...]


@frozen
class Or:
    """Notes that match at least one of `nodes`."""

    nodes: tuple["Node", ...]


@frozen
class Restricted:
    """`operator:node`: `node` matches inside the part of a note that `operator` names."""

    operator: Operator
    node: "Node"


@frozen
class HasProperty:
    """`[name]`: the note has this property (a null value counts as having it)."""

    name: str


@frozen
class PropertyIs:
    """`[name:value]`: the note has the property, and each leaf of `node` matches one of its values.

    A word matches as a case-insensitive substring. The word `null` matches a property without a value, `<5` and `>5`
    compare numbers, `<2024-01-05` and `>2024-01` compare dates.
    """

    name: str
    node: "Node"


@frozen
class LinkedName:
    """`[[name]]`: the note that such a link leads to; if it leads nowhere, the notes with that title or alias."""

    name: str


@frozen
class Named:
    """A `[[link]]` or `#tag` among words: `words` are ranked, `notes` are those that it means. In no parsed filter."""

    words: "Node"
    notes: "Node"


Node = Word | Phrase | Regex | Not | And | Or | Restricted | HasProperty | PropertyIs | LinkedName | Named


@frozen
class RankedTerm:
    """A word or phrase of the query, as typed, that counts for the order of the results."""

    text: str
    is_phrase: bool = False
    is_prefix: bool = False  # the last word of a query, perhaps still being typed: its completions match too
    is_literal: bool = False  # a tag, or a term under an operator: neither its other forms nor corrections match


@frozen
class Exclusion:
    """A `-word`, `-"phrase"`, `-/pattern/` or `-(group)`, characters `start` to `end` of the query's text.

    `before` is what stands in front of a `-word`, up to the last space; empty for the other kinds.
    """

    start: int
    end: int
    before: str = ""


@frozen
class ParsedQuery:
    """A query's parsed text. A `filter` of None allows every note; without `terms` the filter alone selects notes."""

    text: str
    terms: tuple[RankedTerm, ...] = ()
    filter: Node | None = None
    notices: tuple[Notice, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()


@frozen
class PinnedNote:
    """A note that the query names explicitly, such as `[[Router]]`. Pinned notes come first, in order of `place`."""

    note: NoteId
    why: str  # "named by [[Router]]"
    place: int = 0


@frozen
class DatedNote:
    """A note from a date that the query mentions.

    A higher `order` comes first: days since 1970, minus a fraction of a day where the note's date is less certain.
    """

    note: NoteId
    why: str  # "daily note of 2024-01-05 (yesterday)"
    order: float
    is_named: bool = False  # the date is in the note's name, not only in a property or in the file's times


@frozen
class QueryExpansion:
    """Words that something in the query may stand for, such as the long form of an acronym; ranked below it."""

    typed: str
    text: str
    why: str  # "RRF: reciprocal rank fusion, as in Fusion.md"


def _no_kinds(_note: NoteId) -> frozenset[str]:
    return frozenset()


@frozen(kw_only=True)
class Understood:
    """What a query asks for beyond its words, recognized without a model. Every part may be empty."""

    pins: tuple[PinnedNote, ...] = ()
    dated: tuple[DatedNote, ...] = ()  # the newest first
    is_only_date: bool = False  # the query is nothing but a date: `dated` is the answer
    date_words: frozenset[str] = frozenset()  # tokens of relative dates ("yesterday"): no subject next to other words
    expansions: tuple[QueryExpansion, ...] = ()
    intent: str = ""  # for display: the intent, with the words of the query that it was recognized by
    kind_factors: Mapping[str, float] = field(factory=dict)
    source_factors: Mapping[str, float] = field(factory=dict)
    kinds_of: Callable[[NoteId], frozenset[str]] = _no_kinds
    notices: tuple[Notice, ...] = ()


NOTHING_UNDERSTOOD = Understood()


class Linked(StrEnum):
    """What to do with notes that are linked already: among the others, after all others, or left out."""

    INCLUDE = "include"
    LAST = "last"
    EXCLUDE = "exclude"


class Scope(StrEnum):
    """Which notes the semantic source searches."""

    VAULT = "vault"  # all of them: it also finds notes that share no word with the query
    CANDIDATES = "candidates"  # only the notes that contain a word of the query


class Level(StrEnum):
    """Which part of a note is searched."""

    NOTE = "note"  # all of it
    FILE = "file"  # its names and its path


class Mode(StrEnum):
    """Which sources contribute results."""

    HYBRID = "hybrid"  # lexical and semantic sources
    KEYWORD = "keyword"  # lexical sources only
    VECTOR = "vector"  # semantic sources only


def _range(low: int, high: int) -> "Callable[[Query, Attribute[int | None], int | None], None]":
    """A validator for attrs: None or a whole number in a closed range."""
    return optional([instance_of(int), ge(low), le(high)])


def _known_types(_query: "Query", _attribute: "Attribute[tuple[str, ...]]", types: tuple[str, ...]) -> None:
    known = (MARKDOWN, *FILE_TYPES)
    for name in types:
        if name not in known:
            raise ConfigError("types", name, one_of(known, name))


@frozen(kw_only=True)
class Query:
    """One search request. An invalid option raises at construction; the text may be anything."""

    text: str = field(validator=instance_of(str))
    limit: int = field(default=30, validator=[instance_of(int), ge(1), le(100)])
    candidate_limit: int | None = field(default=None, validator=_range(10, 1000))  # None: the preset's value
    rrf_k: int | None = field(
        default=None, validator=_range(1, 100)
    )  # fuse by RRF with this k; None: fuse as the preset does
    folder: str = ""  # only notes in this folder or below it; empty: all notes
    doc_types: tuple[str, ...] = ()  # only notes of one of these kinds; empty: all notes
    tags: tuple[str, ...] = ()  # only notes with all of these tags or tags nested below them; '#' is optional
    types: tuple[str, ...] = field(default=(), validator=_known_types)  # only files of these types; empty: all
    limit_to: tuple[str, ...] = ()  # only these note ids; empty: all notes
    salient_terms: tuple[str, ...] = ()  # additional ranked terms
    mode: Mode | None = field(default=None, validator=optional(instance_of(Mode)))  # None: the mode in the settings
    level: Level = field(default=Level.NOTE, validator=instance_of(Level))
    preset: str = ""  # the name of a preset; empty: the preset in the settings
    depth: int | None = field(
        default=None, validator=_range(0, 5)
    )  # how many links are followed from a note; None: the preset's value
    include_linked: bool = False  # whether each result lists the notes that it is linked to
    include_terms: bool = False  # whether the trail of each result has the addends of its BM25F score, term by term
    link_types: tuple[str, ...] = ()  # only links of these types are followed; empty: the preset's types
    semantic_weight: float | None = field(default=None, validator=optional([ge(0.0), le(1.0)]))  # None: the preset's
    semantic_scope: Scope | None = field(default=None, validator=optional(instance_of(Scope)))  # None: the preset's


@frozen(kw_only=True)
class ExpandedQuery:
    """A query with other wordings that a chat model wrote for it; every part except `original` may be empty."""

    original: str
    variants: tuple[str, ...] = ()  # the original first, then other wordings; empty for a blank query
    terms: tuple[str, ...] = ()  # the words that matter most: additional ranked terms
    hyde: str = ""  # a passage that might answer the question, embedded together with it; empty if there is no question
    notices: tuple[Notice, ...] = ()
