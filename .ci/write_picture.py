# ruff: noqa: INP001 - a script, not a module of any package
"""Draws what a terminal shows for some commands, as docs/pictures/terminal.svg.

`make readme` runs it from the project's folder. The output is real: colours, bold and dim text are those of the
program, on a terminal so narrow that its letters can be read on a phone. The picture has its own background, so it
looks the same on light and dark pages. The first command is there from the start, the others appear one after another,
once; where nothing moves, or the reader asked for less motion, all are there from the start.
"""

import contextlib
import fcntl
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
from html import escape
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text
from write_readme import COMMANDS, VAULT, run

PICTURE = Path("docs/pictures/terminal.svg")
COLUMNS = 50
_SIZE, _ADVANCE, _LINE, _MARGIN, _BAR = 15, 9.03, 21, 14, 34  # pixels; a character is .602 em wide in these fonts
_SECONDS = 2.0  # between commands
_COLOURS = {1: "#e57474", 2: "#8ccf7e", 3: "#e5c76b", 4: "#67a0e8", 5: "#c47fd5", 6: "#56c2d6"}  # by ANSI number
_PLAIN, _DIM, _BACK = "#dadada", "#8b9198", "#1b1f23"


def picture() -> str:
    """The SVG file."""
    with tempfile.TemporaryDirectory() as cache:
        run("index", cache)
        frames = [(command, shown(command, cache)) for command in COMMANDS]
    lines: list[str] = []
    n_lines = 0
    for number, (command, output) in enumerate(frames):
        prompt = Text.assemble(("$", "green"), f" vaultseek {command}")
        style = f' class="later" style="animation-delay: {number * _SECONDS:g}s"' if number else ""
        lines.append(f"<g{style}>")
        for content in (*wrapped(prompt), *output, Text()):
            y = _BAR + _MARGIN + n_lines * _LINE
            lines.append(f'<text x="{_MARGIN}" y="{y}" xml:space="preserve">{row(content)}</text>')
            n_lines += 1
        lines.append("</g>")
    width = round(2 * _MARGIN + COLUMNS * _ADVANCE)
    return frame(width, _BAR + n_lines * _LINE, lines)


def shown(command: str, cache: str) -> list[Text]:
    """What a command prints on a terminal as wide as the picture, as styled lines."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"VAULTSEEK_CACHE": cache, "PYTHONPATH": str(Path.cwd()), "TERM": "xterm-256color"}
    environment |= {"PYTHONIOENCODING": "utf-8"}
    started = subprocess.Popen(  # noqa: S603 our own program
        [sys.executable, "-m", "lsp_server", *shlex.split(command)],
        cwd=VAULT,
        env=environment,
        stdout=secondary,
        stderr=subprocess.PIPE,
    )
    os.close(secondary)
    output = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(primary, 65_536):
            output += part
    os.close(primary)
    if problem := started.communicate()[1]:
        raise SystemExit(problem.decode())
    return [Text.from_ansi(line) for line in output.decode().rstrip().replace("\r\n", "\n").split("\n")]


def wrapped(line: Text) -> list[Text]:
    """The line, broken at spaces where it is wider than the picture."""
    found, at = [], 0
    for piece in textwrap.wrap(line.plain, COLUMNS, break_on_hyphens=False):
        start = line.plain.index(piece, at)
        at = start + len(piece)
        found.append(line[start:at])
    return found


def row(line: Text) -> str:
    """One line as SVG text spans."""
    segments = line.render(Console(width=COLUMNS))
    return "".join(
        f"<tspan{attributes(segment.style or Style())}>{escape(segment.text, quote=False)}</tspan>"
        for segment in segments
        if segment.text.strip("\n")
    )


def attributes(style: Style) -> str:
    """The attributes of a span."""
    fill = _COLOURS.get((style.color.number or 0) % 8) if style.color else _DIM if style.dim else None
    bold = ' font-weight="bold"' if style.bold else ""
    underline = ' text-decoration="underline"' if style.underline else ""
    return (f' fill="{fill}"' if fill else "") + bold + underline


def frame(width: int, height: int, lines: list[str]) -> str:
    """A window with the lines in it."""
    dots = "".join(
        f'<circle cx="{_MARGIN + 6 + 20 * at}" cy="17" r="6" fill="{colour}"/>'
        for at, colour in enumerate(("#e5656b", "#e5c76b", "#8ccf7e"))
    )
    style = (
        f"text {{ font: {_SIZE}px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: {_PLAIN}; }}"
        " .later { animation: appear .3s backwards; }"
        " @keyframes appear { from { opacity: 0; } }"
        " @media (prefers-reduced-motion: reduce) { .later { animation: none; } }"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            "<title>Vaultseek in a terminal</title>",
            f"<style>{style}</style>",
            f'<rect width="{width}" height="{height}" rx="10" fill="{_BACK}" stroke="#3a4047"/>',
            dots,
            *lines,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    drawn = picture()
    if "--check" not in sys.argv:
        PICTURE.write_text(drawn, encoding="utf-8")
    elif PICTURE.read_text(encoding="utf-8") != drawn:
        raise SystemExit(f"{PICTURE} is out of date, run `make readme`")
