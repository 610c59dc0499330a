"""What keeps search by meaning from an answer, or from knowing all notes, as notices; and which of it still does."""

import contextlib
from collections.abc import Iterator

from search.answer.duration import in_words
from search.errors import VaultseekError
from search.notice import Notice, NoticeKind

FAILED, UNEMBEDDED = "semantic-failed", "still-embedding"  # codes of notices
WORDS_ALONE = "Words alone were searched"
SOME_MISSING = "Some notes are not known by their meaning"


class Diagnostics:
    """What failed last, by what it means for an answer."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    @property
    def problem(self) -> str:
        """What still fails; empty for nothing."""
        return next(iter(self._last.values()), "")

    @contextlib.contextmanager
    def noticing(self, notices: list[Notice] | None = None, *, what: str = WORDS_ALONE) -> Iterator[list[Notice]]:
        """What fails inside becomes a notice, once, and the last one counts; `what` that means for the answer."""
        notices = [] if notices is None else notices
        try:
            yield notices
        except (VaultseekError, OSError) as error:
            self._last[what] = str(error)
            said = ended(error)
            notices[:] = [told for told in notices if not (told.code == FAILED and told.message.endswith(said))]
            notices.append(Notice(NoticeKind.DEGRADED, FAILED, f"{what}: {said}"))
        else:
            self._last.pop(what, None)


def foreign(model: str) -> Notice:
    """That a model cannot read a query, and which one can."""
    message = (
        f"{WORDS_ALONE}: {model} cannot read this query's script. "
        'Install "vaultseek[multilingual]" and set embeddingModel to "multilingual-e5-small".'
    )
    return Notice(NoticeKind.DEGRADED, "semantic-foreign", message)


def unembedded(n_notes: int, seconds: float | None, *, is_never: bool) -> Notice:
    """That some notes have no vectors yet, with the time that they will take; `is_never`: unless somebody asks."""
    left = f", about {in_words(seconds)} of work" if seconds else ""
    if is_never:
        left = "; autoIndex is never, so that only the command for it embeds them"
    are = "1 note is" if n_notes == 1 else f"{n_notes:,} notes are"
    message = f"{are} not embedded yet{left}; what only their meaning finds may be missing."
    return Notice(NoticeKind.PARTIAL, UNEMBEDDED, message)


def ended(error: Exception) -> str:
    """What an error says, as the end of a sentence."""
    said = str(error)
    return said if said.endswith((".", "?", "!", "…")) else f"{said}."
