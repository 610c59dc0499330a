# ruff: noqa: INP001 - a script, not a module of any package
"""Draws what a terminal shows for some commands, as docs/pictures/terminal.svg.

`make readme` runs it from the project's folder. The output is real: colours, bold and dim text are those of the
program. The picture has its own background, so it looks the same on light and dark pages. Commands appear one after
another, once; readers who asked their system for less motion see the whole at once.
"""

import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.text import Text
from write_readme import COMMANDS, run

PICTURE = Path("docs/pictures/terminal.svg")
COLUMNS = 88
_SIZE, _ADVANCE, _LINE, _MARGIN, _BAR = 15, 9.03, 21, 18, 34  # pixels; a character is .602 em wide in these fonts
_SECONDS = 2.5  # between commands
_COLOURS = {"cyan": "#56c2d6", "green": "#8ccf7e", "yellow": "#e5c76b", "magenta": "#c47fd5", "blue": "#67a0e8"}
_PLAIN, _DIM, _BACK = "#dadada", "#8b9198", "#1b1f23"


def picture() -> str:
    """The SVG file."""
    with tempfile.TemporaryDirectory() as cache:
        run("index", cache)
        frames = [(command, shown(command, cache)) for command in COMMANDS]
    lines: list[str] = []
    n_lines = 0
    for number, (command, output) in enumerate(frames):
        prompt = f'<tspan fill="{_COLOURS["green"]}">$</tspan> {escape(f"vaultseek {command}", quote=False)}'
        rows = [prompt, *map(row, output), ""]
        lines.append(f'<g style="animation-delay: {number * _SECONDS:g}s">')
        for content in rows:
            y = _BAR + _MARGIN + n_lines * _LINE
            lines.append(f'<text x="{_MARGIN}" y="{y}" xml:space="preserve">{content}</text>')
            n_lines += 1
        lines.append("</g>")
    width = round(2 * _MARGIN + COLUMNS * _ADVANCE)
    return frame(width, _BAR + n_lines * _LINE, lines)


def shown(command: str, cache: str) -> list[Text]:
    """What a command prints, as styled lines no wider than the picture."""
    output = run(command, cache, "--color", "always", columns=COLUMNS)
    return [part for line in output.rstrip().split("\n") for part in wrapped(Text.from_ansi(line))]


def wrapped(line: Text) -> list[Text]:
    """The line, broken at spaces where it is wider than the picture, with the indent of its beginning."""
    plain = line.plain
    indent = len(plain) - len(plain.lstrip())
    pieces = textwrap.wrap(plain, COLUMNS, subsequent_indent=" " * indent, drop_whitespace=True) or [""]
    found, at = [], 0
    for piece in pieces:
        inner = piece if not found else piece[indent:]
        start = plain.index(inner, at)
        at = start + len(inner)
        found.append(Text(" " * indent if found else "") + line[start:at])
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
    fill = _COLOURS.get(style.color.name.removeprefix("bright_")) if style.color else _DIM if style.dim else None
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
        " g { opacity: 0; animation: appear .3s forwards; }"
        " @keyframes appear { to { opacity: 1; } }"
        " @media (prefers-reduced-motion: reduce) { g { opacity: 1; animation: none; } }"
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
