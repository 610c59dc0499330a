"""Prints answers for people: with colours and links on a terminal, as plain lines in a pipe.

The words are the same in both. rich is imported only for terminals, since the import takes time.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from search.answer.duration import in_words
from search.answer.explain import render_strength, render_trail
from search.answer.result import FoundNote, LinkedNote, Reason, SearchResult, Snippet
from search.notice import Notice

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from search.navigation.related import RelatedNotes
    from search.semantic.status import Plan

_PATIENCE_S = 1.0  # a progress bar that disappears at once only distracts
_ADVICE = {  # what a person at a terminal can do about a notice, by its code
    "still-embedding": " `vaultseek index` embeds them all.",
    "semantic-foreign": " On the command line, add --embedding-model multilingual-e5-small.",
}
_STYLES = {"path": "bold cyan", "score": "green", "match": "bold yellow", "why": "dim", "": ""}

Piece = tuple[str, str] | tuple[str, str, str]  # text, style, and optionally the address it links to


class Terminal(AbstractContextManager["Terminal"]):
    """Standard output and standard error. A context manager, so that a progress bar always ends."""

    def __init__(
        self,
        output: TextIO,
        errors: TextIO,
        *,
        is_coloured: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._output = output
        self._errors = errors
        self._console = _console(output) if is_coloured else None
        self._bar: Progress | None = None
        self._clock = clock
        self._since = clock()
        self._work = "reading notes"

    def __exit__(self, *_: object) -> None:
        self._end_progress()

    def progress(self, done: int, total: int) -> None:
        """Show the progress, once the work has taken longer than a second."""
        if done >= total:
            self._end_progress()
        elif self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)
        elif self._errors.isatty() and self._clock() - self._since > _PATIENCE_S:
            from rich.console import Console  # noqa: PLC0415 only a terminal needs it
            from rich.progress import Progress  # noqa: PLC0415 only a terminal needs it

            self._bar = Progress(console=Console(file=self._errors), transient=True)
            self._bar.add_task(self._work, completed=done, total=total)
            self._bar.start()

    def start(self, work: str) -> None:
        """Name the work whose progress follows."""
        self._end_progress()
        self._work = work

    def say(self, line: str) -> None:
        """Print one plain line."""
        self.show_line((line, ""))

    def show_line(self, *pieces: Piece) -> None:
        """Print one line of styled pieces."""
        self._end_progress()
        if self._console is None:
            self._output.write("".join(_printable(piece[0]) for piece in pieces) + "\n")
            return
        from rich.text import Text  # noqa: PLC0415 only a terminal needs it

        line = Text()
        for piece in pieces:
            style = _STYLES[piece[1]]
            link = f" link {piece[2]}" if len(piece) == 3 and piece[2] else ""
            line.append(_printable(piece[0]), style=style + link)
        self._console.print(line)

    def show_plan(self, plan: "Plan") -> None:
        """Print how much there is to embed, and where it happens."""
        self.say(
            f"{plan.n_missing} of {plan.n_notes} notes to embed: {plan.n_chunks:,} chunks, {plan.n_tokens:,} tokens"
        )
        self.say(f"model {plan.model}, on {plan.where}")
        if plan.n_chunks and plan.seconds is not None:
            self.say(f"about {in_words(plan.seconds)}")

    def show_result(self, result: SearchResult, root: Path, *, is_explained: bool) -> None:
        """Print the hits, best first; notices go to standard error."""
        self._end_progress()
        for place, found in enumerate(result.hits, start=1):
            self._show_hit(place, found, root, is_explained=is_explained)
        if not result.hits:
            self._errors.write("nothing found\n")
        elif result.total > len(result.hits):
            self.show_line((f"{len(result.hits)} of {result.total} notes", "why"))
        if is_explained and result.suggested:
            self.show_line((f"suggested by the chat model: {', '.join(result.suggested)}", "why"))
        if is_explained and result.passage:
            self.show_line((f"also searched by meaning: {result.passage}", "why"))
        self.show_notices(result.notices)

    def show_related(self, answer: "RelatedNotes", root: Path, *, is_explained: bool) -> None:
        """Print related notes in the same form as hits."""
        hits = tuple(item.found for item in answer.notes)
        result = SearchResult(hits=hits, notices=answer.notices, total=answer.total)
        self.show_result(result, root, is_explained=is_explained)

    def show_notices(self, notices: Iterable[Notice]) -> None:
        """Print to standard error what was left out or went wrong, with advice."""
        for notice in notices:
            advice = _ADVICE.get(notice.code, "")
            self._errors.write(_printable(f"{notice.kind}: {notice.message}{advice}") + "\n")

    def show_reason(self, reason: Reason, root: Path) -> None:
        """Print why a note has its rank, and the last note of the answer for comparison."""
        self.show_line((reason.note, "path"), (f"  {reason.sentence}", ""))
        if reason.found is not None:
            self._show_hit(reason.rank or 0, reason.found, root, is_explained=True)
        if reason.last_shown is not None and reason.step not in ("ranked", "missing", "excluded"):
            self.show_line(("the last note of the answer:", "why"))
            self._show_hit(0, reason.last_shown, root, is_explained=True)
        self.show_notices(reason.notices)

    def _show_hit(self, place: int, found: FoundNote, root: Path, *, is_explained: bool) -> None:
        line = found.snippets[0].line if found.snippets else 0
        path = _shown_path(root / found.hit.id)
        address = (root / found.hit.id).absolute().as_uri() if self._console is not None else ""
        number = f"{place:>2}. " if place else "    "
        self.show_line((number, ""), (f"{path}:{line + 1}", "path", address), (f"  {found.hit.score:.2f}", "score"))
        shown = {path.rpartition("/")[2].rpartition(".")[0], *(snippet.text for snippet in found.snippets[:1])}
        if found.title not in shown:
            self.show_line(("    ", ""), (found.title, ""))
        for snippet in found.snippets:
            self.show_line(("    ", ""), *_highlighted(snippet))
        self.show_line(("    ", ""), (found.sentence, "why"))
        if found.linked:
            self.show_line(("    ", ""), (_linked(found.linked), "why"))
        if is_explained:
            facts = () if found.derivation is None else render_strength(found.derivation)
            for step in (*render_trail(found.hit.trail), *facts):
                self.show_line(("      ", ""), (step, "why"))

    def _end_progress(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _console(output: TextIO) -> "Console":
    from rich.console import Console  # noqa: PLC0415 only a terminal needs it

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Let `main` choose the exit code; rich would exit with 1."""
            raise BrokenPipeError

    return _Console(file=output, highlight=False, soft_wrap=True, force_terminal=True)


def _linked(pages: Sequence[LinkedNote]) -> str:
    """The linked notes in each direction, with the types of their links except plain ones."""

    def named(page: LinkedNote) -> str:
        types = [name for name in page.types if name != "plain"]
        return f"{page.note} ({', '.join(types)})" if types else page.note

    ways = {"links to": False, "linked from": True}
    ends = {way: [named(page) for page in pages if page.is_backlink is back] for way, back in ways.items()}
    return "; ".join(f"{way} {', '.join(notes)}" for way, notes in ends.items() if notes)


def _shown_path(path: Path) -> str:
    """The shortest path that can be opened from the current folder."""
    absolute = path.absolute()
    return os.path.relpath(absolute) if absolute.is_relative_to(Path.cwd()) else str(absolute)


def _highlighted(snippet: Snippet) -> Iterator[Piece]:
    text, highlights = snippet.shown
    at = 0
    for start, end in highlights:
        yield text[at:start], ""
        yield text[start:end], "match"
        at = end
    yield text[at:], ""


_JOINERS = frozenset("\u200c\u200d")  # not printable in Python's eyes, but needed for Persian words and many emoji


def _printable(text: str) -> str:
    """The text with control characters made visible: a note must not be able to control the terminal."""
    return "".join(char if char.isprintable() or char in _JOINERS else _visible(char) for char in text)


def _visible(char: str) -> str:
    return " " if char in "\t\n\r" else f"\\x{ord(char):02x}" if ord(char) < 0x100 else "\N{REPLACEMENT CHARACTER}"
