"""Evidence: why a note was found, such as matching words, similarity, folder, links."""

from collections.abc import Iterable
from enum import StrEnum

from attrs import field, frozen


class Field(StrEnum):
    """The parts of a note that are searched separately, in the order in which they are reported."""

    TITLE = "title"  # title and aliases
    PATH = "path"
    TAGS = "tags"
    HEADINGS = "headings"
    LINKS = "links"  # names that the note's links show or lead to
    PROPERTIES = "properties"  # front-matter values
    BODY = "body"


class MatchKind(StrEnum):
    """How a note's word matches a word of the query, best first."""

    WORD = "word"  # the whole word, ignoring case and accents
    STEM = "stem"  # another form of the word
    PREFIX = "prefix"  # the note's word begins with the query's last word
    NEAR = "near"  # the query's word may be a misspelling of the note's word
    INNER = "inner"  # the note's word contains the query's word
    EXPANSION = "meant"  # the note contains an expansion of the query's words, such as an acronym's full form


@frozen
class FieldMatch:
    """The word `query` (as typed, folded) occurs `count` times in `field`, whose weight is `weight`.

    A suggested word was not typed but comes from a chat model. `form` is the note's word if it differs: another form
    of the query's word, or its correction.
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
    """`n_relevant` of the folder's `n_notes` notes are relevant results; `factor` is the boost."""

    folder: str
    n_relevant: int
    n_notes: int
    factor: float


@frozen
class GraphEvidence:
    """Connections to other results; `connection_score` = 1.0 * backlinks + 0.5 * co_citations + 0.3 * shared_tags."""

    backlinks: int
    co_citations: int
    shared_tags: int
    connection_score: float
    factor: float


@frozen
class Passage:
    """A part of the note, as half-open `lines` from 0 in the file, and its raw cosine."""

    lines: tuple[int, int]
    cosine: float


def _sorted(types: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(types))


@frozen
class LinkEvidence:
    """The note is `hops` links away from the result `origin`; the last link has these `types`, if looked up."""

    origin: str
    hops: int
    types: tuple[str, ...] = field(default=(), converter=_sorted)


@frozen(kw_only=True)
class Evidence:
    """All evidence for one hit; an empty value means that there is no evidence of that kind."""

    matches: tuple[FieldMatch, ...] = ()
    exact_name: str = ""  # the title, alias or file name that equals the query
    named: str = ""  # how the query names it explicitly: "named by [[Router]]", "tagged #net"
    dated: str = ""  # why it belongs to a date that the query mentions
    cosine: float | None = None  # raw, -1..1, never rescaled for a query
    gist: float | None = None  # likewise, of the note's name or opening, whichever is nearer
    semantic_lines: tuple[int, int] | None = None  # half-open, from 0 in the file: the passage with this cosine
    folder: FolderEvidence | None = None
    graph: GraphEvidence | None = None
    link: LinkEvidence | None = None
    passages: tuple[Passage, ...] = ()  # the best ones, if the score combines several

    @property
    def nearest(self) -> float | None:
        """The raw cosine of whatever is nearest in the note: a passage, its name or its opening."""
        return max((cosine for cosine in (self.cosine, self.gist) if cosine is not None), default=None)

    def merged(self, other: "Evidence") -> "Evidence":
        """Both evidences combined; if both have a single value, `self` wins."""
        return Evidence(
            matches=self.matches + tuple(match for match in other.matches if match not in self.matches),
            exact_name=self.exact_name or other.exact_name,
            named=self.named or other.named,
            dated=self.dated or other.dated,
            gist=self.gist if self.gist is not None else other.gist,
            cosine=self.cosine if self.cosine is not None else other.cosine,
            semantic_lines=self.semantic_lines or other.semantic_lines,
            folder=self.folder or other.folder,
            graph=self.graph or other.graph,
            link=self.link or other.link,
            passages=self.passages or other.passages,
        )


NO_EVIDENCE = Evidence()
