"""Why a note was found: what matched where, and which neighbours spoke for it."""

from enum import StrEnum

from attrs import evolve, frozen


class Field(StrEnum):
    """The parts of a note that are searched apart, in the order in which they are reported."""

    TITLE = "title"  # title and aliases
    PATH = "path"
    TAGS = "tags"
    HEADINGS = "headings"
    LINKS = "links"  # names that the note's links show or lead to
    PROPERTIES = "properties"  # front-matter values
    BODY = "body"


class MatchKind(StrEnum):
    """How a note's word agrees with a word of the query, best first."""

    WORD = "word"  # the whole word, case and accents aside
    STEM = "stem"  # another form of the word
    PREFIX = "prefix"  # the note's word begins with the query's last word
    NEAR = "near"  # a word that the query's may be a misspelling of
    INNER = "inner"  # the query's word stands somewhere inside the note's word
    EXPANSION = "meant"  # the note contains an expansion of the query's words, such as an acronym's full form


@frozen
class FieldMatch:
    """`query` (as typed, folded) stands `count` times in `field`, whose weight is `weight`.

    One that is suggested was not typed: a chat model named it. `form` is what the note has instead: another form of the
    word, or the word that it is taken for.
    """

    field: Field
    query: str
    weight: float
    count: int = 1
    kind: MatchKind = MatchKind.WORD
    is_suggested: bool = False
    form: str = ""


@frozen
class FolderEvidence:
    """`n_relevant` of the folder's `n_notes` notes are among the results; `factor` is what the boost gave."""

    folder: str
    n_relevant: int
    n_notes: int
    factor: float


@frozen
class GraphEvidence:
    """Ties to other results: `connection_score` = 1.0 * backlinks + 0.5 * co_citations + 0.3 * shared_tags."""

    backlinks: int
    co_citations: int
    shared_tags: int
    connection_score: float
    factor: float


@frozen
class Passage:
    """A part of the note, in half-open `lines` from 0 in the file, and its raw cosine."""

    lines: tuple[int, int]
    cosine: float


@frozen
class LinkEvidence:
    """The note lies `hops` links from `origin`, a result; the last of them is of `types`, where that was asked."""

    origin: str
    hops: int
    types: tuple[str, ...] = ()


@frozen(kw_only=True)
class Evidence:
    """Everything that spoke for one hit; empty values mean that the thing did not happen."""

    matches: tuple[FieldMatch, ...] = ()
    exact_name: str = ""  # the title, alias or file name that equals the query
    named: str = ""  # how the query names it outright: "named by [[Router]]", "tagged #net"
    dated: str = ""  # what makes it a note of a date that the query speaks of
    cosine: float | None = None  # raw, -1..1, never rescaled by a query
    semantic_lines: tuple[int, int] | None = None  # half-open, from 0 in the file: the passage that has this cosine
    folder: FolderEvidence | None = None
    graph: GraphEvidence | None = None
    link: LinkEvidence | None = None
    passages: tuple[Passage, ...] = ()  # the best ones, where the score is made of several

    def merged(self, other: "Evidence") -> "Evidence":
        """Both evidences in one; where both have a single value, `self` wins."""
        return evolve(
            self,
            matches=self.matches + tuple(match for match in other.matches if match not in self.matches),
            exact_name=self.exact_name or other.exact_name,
            named=self.named or other.named,
            dated=self.dated or other.dated,
            cosine=self.cosine if self.cosine is not None else other.cosine,
            semantic_lines=self.semantic_lines or other.semantic_lines,
            folder=self.folder or other.folder,
            graph=self.graph or other.graph,
            link=self.link or other.link,
            passages=self.passages or other.passages,
        )


NO_EVIDENCE = Evidence()
