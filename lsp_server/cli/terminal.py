"""Prints answers for people: with colours and links on a terminal, as plain lines in a pipe.

A hit is three lines: its title, place and strength; its best excerpt; the reason. On a terminal each is cut to the
width, and the place gets a line of its own where it does not fit next to the title. In a pipe nothing is cut, and two
blanks separate the parts of the first line, which occur in no title:

    NUMBER. TITLE  PATH:LINE  STRENGTH

In a file with pages, a notebook or a canvas, `#page=NUMBER`, `#cell=NUMBER` or `#ID` stands for `:LINE`. Nothing
stands for it if the excerpt is of a note that links to the file.

rich is imported only for colours, since the import takes time.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from lsp_server.cli.arguments import HOW_FOUND
from lsp_server.cli.printable import cut, cut_start, in_encoding, n_cells, printable, window, wrapped
from search.answer.duration import in_words
from search.answer.explain import render_strength, render_trail
from search.answer.result import MISSING, FoundNote, LinkedNote, Reason, SearchResult, Snippet
from search.ids import has_lines_of_file, is_by_name
from search.notice import Notice

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from search.navigation.related import RelatedNotes
    from search.semantic.status import Plan

_PATIENCE_S = 1.0  # a progress bar that disappears at once only distracts
_WORKS: Sequence[str] = ("reading notes", "comparing meaning")  # of a search, in their order
_ADVICE = {  # what a person at a terminal can do about a notice, by its code
    "still-embedding": " `vaultseek index` computes them now.",
    "attachments-pending": " `vaultseek index` reads them now.",
    "semantic-foreign": " On the command line, add --embedding-model multilingual-e5-small.",
    "empty-vault": f" {HOW_FOUND}",
}
_STYLES = {
    "title": "bold",
    "path": "dim",
    "match": "bold yellow",
    "why": "dim",
    "": "",
    **dict.fromkeys(("exact", "strong", "good"), "green"),  # the words for a strength
    **dict.fromkeys(("fair", "weak"), "yellow"),
}
_INDENT = "    "

Piece = tuple[str, str] | tuple[str, str, str]  # text, style, and optionally the address it links to


class Terminal(AbstractContextManager["Terminal"]):
    """Standard output and standard error. A context manager, so that a progress bar always ends."""

    def __init__(
        self,
        output: TextIO,
        errors: TextIO,
        *,
        is_coloured: bool,
        width: int | None = None,
        errors_width: int | None = None,
        n_snippets: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`n_snippets` says how many excerpts to show.

        Lines of an answer are cut to `width` cells, messages are wrapped at `errors_width` (None: not at all).
        """
        self._output = output
        self._errors = errors
        self._encoding = getattr(output, "encoding", None) or "utf-8"
        self._ellipsis = self._shown("…")
        self._console = _console(output) if is_coloured else None
        self._width = width
        self._errors_width = errors_width
        self._n_snippets = n_snippets
        self._bar: Progress | None = None
        self._clock = clock
        self._since = clock()
        self._works = _WORKS

    def __exit__(self, *_: object) -> None:
        self._end_progress()

    def progress(self, done: int, total: int) -> None:
        """Show the progress, once all work has taken longer than a second.

        One bar stays on the screen for all works, and says which of them is done.
        """
        if done >= total:
            self._works = self._works[1:] or self._works
        elif self._bar is not None:
            self._bar.update(self._bar.task_ids[0], description=self._works[0], completed=done, total=total)
        elif self._errors.isatty() and self._clock() - self._since > _PATIENCE_S:
            from rich.console import Console  # noqa: PLC0415 only a terminal needs it
            from rich.progress import Progress  # noqa: PLC0415 only a terminal needs it

            self._bar = Progress(console=Console(file=self._errors), transient=True)
            self._bar.add_task(self._works[0], completed=done, total=total)
            self._bar.start()

    def start(self, work: str) -> None:
        """Name the work whose progress follows."""
        self._works = (work,)

    def say(self, line: str) -> None:
        """Print one plain line."""
        self.show_line((line, ""))

    def show_text(self, text: str) -> None:
        """Print a text of several lines as it is; its control characters are escaped already."""
        self._end_progress()
        self._output.write(in_encoding(text, self._encoding))

    def warn(self, line: str) -> None:
        """Print one line to standard error, wrapped at the terminal's width."""
        self._end_progress()
        encoding = getattr(self._errors, "encoding", None) or "utf-8"
        for part in wrapped(in_encoding(printable(line), encoding), self._errors_width):
            self._errors.write(part + "\n")

    def show_line(self, *pieces: Piece) -> None:
        """Print one line of styled pieces."""
        self._end_progress()
        if self._console is None:
            self._output.write("".join(self._shown(piece[0]) for piece in pieces) + "\n")
            return
        from rich.text import Text  # noqa: PLC0415 only a terminal needs it

        line = Text()
        for piece in pieces:
            style = _STYLES[piece[1]]
            link = f" link {piece[2]}" if len(piece) == 3 and piece[2] else ""
            line.append(self._shown(piece[0]), style=style + link)
        self._console.print(line)

    def show_beside(self, *pieces: Piece, text: str) -> None:
        """Print a text to the right of styled pieces, wrapped there at the terminal's width."""
        indent = sum(n_cells(piece[0]) for piece in pieces)
        room = None if self._width is None else max(1, self._width - indent)
        first, *others = wrapped(self._shown(text), room)
        self.show_line(*pieces, (first, ""))
        for line in others:
            self.show_line((" " * indent, ""), (line, ""))

    def show_plan(self, plan: "Plan") -> None:
        """Print how many vectors there are and how many are missing, and where they are made."""
        from search.semantic.status import coverage  # noqa: PLC0415 - only the index command needs it

        amount = f"{plan.n_chunks:,} chunks, {plan.n_tokens:,} tokens"
        n_notes, n_missing = plan.n_notes - plan.n_foreign, plan.n_missing
        self.say(coverage(n_notes=n_notes, n_missing=n_missing, n_missing_gists=plan.n_missing_gists))
        self.say(f"to compute: {amount}")
        self.say(f"model {plan.model}, on {plan.where}")
        if plan.n_chunks:
            unknown = "for an unknown time, as an endpoint's speed shows only while it works"
            self.say(unknown if plan.seconds is None else f"for about {in_words(plan.seconds)}")

    def show_result(self, result: SearchResult, root: Path, *, is_explained: bool) -> None:
        """Print the hits, best first; notices go to standard error."""
        self._end_progress()
        for place, found in enumerate(result.hits, start=1):
            self._show_hit(place, found, root, is_explained=is_explained)
        if not result.hits:
            self.warn("nothing found")
        elif result.total > len(result.hits):
            self.show_line((f"{len(result.hits)} shown of {result.total:,} matches", "why"))
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
            self.warn(f"{notice.kind}: {notice.message}{advice}")

    def show_reason(self, reason: Reason, root: Path) -> None:
        """Print why a note has its rank, and the last note of the answer for comparison."""
        if reason.found is None:
            self.show_line((reason.note, "title"), (f"  {reason.sentence}", ""))
        else:  # the hit has the note's title and path
            for part in wrapped(self._shown(reason.sentence), self._width):
                self.say(part)
            self._show_hit(reason.rank or 0, reason.found, root, is_explained=True)
        if reason.last_shown is not None and reason.step not in ("ranked", MISSING, "excluded"):
            self.show_line(("the last note of the answer:", "why"))
            self._show_hit(0, reason.last_shown, root, is_explained=True)
        self.show_notices(reason.notices)

    def _show_hit(self, place: int, found: FoundNote, root: Path, *, is_explained: bool) -> None:
        shown = [snippet for snippet in found.snippets if snippet.text != found.title][: self._n_snippets]
        self._show_head(f"{place:>2}. " if place else _INDENT, found, _place(found, shown or found.snippets), root)
        for snippet in shown:
            self._show_excerpt(snippet)
        self._show_indented(found.sentence)
        if found.linked:
            self._show_indented(_linked(found.linked))
        if is_explained:
            facts = () if found.derivation is None else render_strength(found.derivation)
            for step in (*render_trail(found.hit.trail), *facts):
                self.show_line(("      ", ""), (step, "why"))

    def _show_head(self, number: str, found: FoundNote, place: str, root: Path) -> None:
        """The title, the path with its place, and the strength; the path on its own line where they do not fit."""
        title = self._shown(" ".join(found.title.split()))
        path = self._shown(f"{_shown_path(root / found.hit.id)}{place}")
        address = (root / found.hit.id).absolute().as_uri() if self._console is not None else ""
        address += place if address and place.startswith("#") else ""
        word = found.strength_level
        strength = [("  ", ""), (word, word)] if word else []
        if self._width is None or n_cells(f"{number}{title}  {path}  {word}".rstrip()) <= self._width:
            self.show_line((number, ""), (title, "title"), ("  ", ""), (path, "path", address), *strength)
            return
        room = self._width - len(number) - sum(len(text) for text, _ in strength)
        self.show_line((number, ""), (cut(title, room, self._ellipsis), "title"), *strength)
        path = cut_start(path, self._width - len(_INDENT), self._ellipsis)
        self.show_line((_INDENT, ""), (path, "path", address))

    def _show_excerpt(self, snippet: Snippet) -> None:
        pieces = [(self._shown(text), style) for text, style in _highlighted(snippet)]
        if self._width is not None:
            pieces = _fitted(pieces, self._width - len(_INDENT), self._ellipsis)
        self.show_line((_INDENT, ""), *pieces)

    def _show_indented(self, text: str) -> None:
        if self._width is not None:
            text = cut(self._shown(text), self._width - len(_INDENT), self._ellipsis)
        self.show_line((_INDENT, ""), (text, "why"))

    def _shown(self, text: str) -> str:
        """The text without control characters, in characters that the output can encode."""
        return in_encoding(printable(text), self._encoding)

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

    # Whether there are colours is decided before, so that `--color always` also holds with NO_COLOR.
    return _Console(file=output, highlight=False, soft_wrap=True, force_terminal=True, no_color=False)


def _place(found: FoundNote, snippets: Sequence[Snippet]) -> str:
    """What follows a path to name the place of its first excerpt: `:12`, `#page=12`, `#cell=3`, `#ID`, or nothing."""
    if is_by_name(found.hit.id) or (snippets and snippets[0].is_of_linking_note):
        return ""
    if snippets and snippets[0].fragment:
        return f"#{snippets[0].fragment}"
    return f":{snippets[0].line + 1 if snippets and has_lines_of_file(found.hit.id) else 1}"


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


def _highlighted(snippet: Snippet) -> list[tuple[str, str]]:
    text, highlights = snippet.shown
    pieces = []
    at = 0
    for start, end in highlights:
        pieces += [(text[at:start], ""), (text[start:end], "match")]
        at = end
    return [*pieces, (text[at:], "")]


def _fitted(pieces: Sequence[tuple[str, str]], width: int, ellipsis: str) -> list[tuple[str, str]]:
    """The part around the first match that fits, with an ellipsis at each cut."""
    text = "".join(piece for piece, _ in pieces)
    if n_cells(text) <= width:
        return list(pieces)
    first = next((at for at, (_, style) in enumerate(pieces) if style), None)
    start = 0 if first is None else sum(len(piece) for piece, _ in pieces[:first])
    stop = 0 if first is None else start + len(pieces[first][0])
    begin, end = window(text, (start, stop), max(1, width - 2 * (n_cells(ellipsis) + 1)))
    fitted = [(f"{ellipsis} ", "")] if begin else []
    at = 0
    for piece, style in pieces:
        fitted.append((piece[max(0, begin - at) : max(0, end - at)], style))
        at += len(piece)
    return [*fitted, (f" {ellipsis}", "")] if end < len(text) else fitted
