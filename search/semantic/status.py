"""The state of semantic search as values for display, and its problems as notices of an answer."""

import contextlib
from collections.abc import Iterator

from attrs import define, field, frozen

from search.answer.duration import in_words
from search.errors import VaultseekError
from search.notice import Notice, NoticeKind

FAILED, WITHOUT_VECTORS = "semantic-failed", "still-embedding"  # notice codes
KEYWORDS_ONLY = "Only keyword search was used"
THIS_COMPUTER = "this computer"  # where a model runs that is no endpoint
PARTLY_COVERED = "Semantic search does not cover all notes"


@frozen
class PartPlan:
    """The work for one kind of vectors; the fields are those of `Plan`."""

    n_missing: int
    n_chunks: int
    n_tokens: int
    seconds: float | None


@frozen(kw_only=True)
class Plan:
    """The work that embedding all missing notes takes."""

    n_notes: int  # in the vault
    n_missing: int  # notes with a passage to embed; one without text, renamed or with text of others is not missing
    n_missing_gists: int = 0  # notes whose name or opening is to be embedded
    n_foreign: int = 0  # notes in a language or script that the model cannot read
    n_chunks: int
    n_tokens: int
    seconds: float | None  # None: the throughput is unknown, because no chunk was embedded yet
    model: str
    where: str


@frozen(kw_only=True)
class SemanticStatus:
    """The state of semantic search, found without loading anything."""

    model: str
    n_notes: int  # with vectors, as far as known
    n_vectors: int
    n_missing: int
    n_gists: int = 0  # notes whose names and openings have vectors, as far as known
    n_missing_gists: int = 0
    n_bytes: int  # on disk
    folder: str
    is_indexing: bool
    seconds_left: float | None
    problem: str = ""  # why semantic search does not work; empty if it does
    read_only_reason: str = ""  # why new vectors are kept in memory only, such as a full disk; empty if they are stored
    n_foreign: int = 0  # notes in a language or script that the model cannot read, which are not missing

    @property
    def foreign_notes(self) -> str:
        """The number of these notes in words."""
        are = "1 note is" if self.n_foreign == 1 else f"{self.n_foreign:,} notes are"
        return f"{are} in a language or script that {self.model} cannot read, so words alone find such text"


@define
class Diagnostics:
    """The latest failures, by their consequence for an answer."""

    _last: dict[str, str] = field(factory=dict, init=False)

    @property
    def problem(self) -> str:
        """The failure that still holds; empty if there is none."""
        return next(iter(self._last.values()), "")

    @contextlib.contextmanager
    def reporting(self, notices: list[Notice] | None = None, *, impact: str = KEYWORDS_ONLY) -> Iterator[list[Notice]]:
        """Turn a failure inside the block into a notice. Each error is reported once, with its latest `impact`."""
        notices = [] if notices is None else notices
        try:
            yield notices
        except (VaultseekError, OSError) as error:
            self._last[impact] = str(error)
            reason = as_sentence_end(error)
            notices[:] = [one for one in notices if not (one.code == FAILED and one.message.endswith(reason))]
            notices.append(Notice(NoticeKind.DEGRADED, FAILED, f"{impact}: {reason}"))
        else:
            self._last.pop(impact, None)


def foreign_script(model: str) -> Notice:
    """The notice that a model cannot read a query, with a model that can."""
    message = (
        f"{KEYWORDS_ONLY}: {model} cannot read this query's script. "
        'Install "vaultseek[multilingual]" and set embeddingModel to "multilingual-e5-small".'
    )
    return Notice(NoticeKind.DEGRADED, "semantic-foreign", message)


def coverage(*, n_notes: int, n_missing: int, n_missing_gists: int) -> str:
    """How many of the notes that the model can read have vectors of either kind.

    >>> coverage(n_notes=1012, n_missing=892, n_missing_gists=0)
    'names and openings: 1,012 of 1,012; whole text: 120 of 1,012'
    """
    gists, texts = n_notes - n_missing_gists, n_notes - n_missing
    return f"names and openings: {gists:,} of {n_notes:,}; whole text: {texts:,} of {n_notes:,}"


def foreign_language(model: str) -> Notice:
    """The notice that a query is in a language that a model cannot read, with a model that can."""
    message = (
        f"{KEYWORDS_ONLY}: {model} knows only English, so notes and queries in other languages are matched by words. "
        'Install "vaultseek[multilingual]" and set embeddingModel to "multilingual-e5-small".'
    )
    return Notice(NoticeKind.NOTE, "semantic-foreign", message)


def without_vectors(
    seconds: float | None, *, n_notes: int, n_missing: int, n_missing_gists: int, is_never: bool
) -> Notice:
    """The notice that notes have no vectors yet; `seconds` of work are left, unless automatic indexing `is_never`."""
    left = f", about {in_words(seconds)} of work left" if seconds else ""
    if is_never:
        left = "; autoIndex is never, so only the index command computes them"
    have = coverage(n_notes=n_notes, n_missing=n_missing, n_missing_gists=n_missing_gists)
    message = f"Notes with vectors so far: {have}{left}; matches by meaning in the others may be missing."
    return Notice(NoticeKind.PARTIAL, WITHOUT_VECTORS, message)


def unusable_vectors(n_passages: int, model: str) -> Notice:
    """The notice that a model returned no usable vector for some passages."""
    passages = "1 passage" if n_passages == 1 else f"{n_passages:,} passages"
    message = (
        f"{passages} got no usable vector from {model}; only keyword search finds such text. "
        "To try again: vaultseek index --rebuild."
    )
    return Notice(NoticeKind.SKIPPED, "no-vector", message)


def as_sentence_end(error: Exception) -> str:
    """An error's message with a full stop where it has no end mark."""
    message = str(error)
    return message if message.endswith((".", "?", "!", "…")) else f"{message}."
