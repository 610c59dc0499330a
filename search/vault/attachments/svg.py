"""SVG: the texts that a drawing shows (`text`, and HTML in it), and the titles and descriptions of it and its parts.

Diagrams are exported in this form, with their labels as texts. Entities are never expanded: a drawing that declares
some is found by its name.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn
from xml.parsers import expat

from attrs import define, field

from search.vault.attachments.extracted import Unreadable
from search.vault.attachments.image_texts import ImageTexts, Role

_IS_SVG = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
_N_PROLOG = 16 * 1024  # bytes of declarations and comments in which the first element is looked for
_DEEPEST = 1_000  # nested elements
_SVG, _HTML = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"
_TEXTS = frozenset({"text", "foreignObject", "title", "desc"})
_HIDDEN = frozenset({"style", "script", "metadata"})
_POSITIONS = frozenset({"x", "y", "dx", "dy"})  # with one of them, a part of a text begins somewhere else
_UNKNOWN_ENCODING = (LookupError, ValueError, OSError)
_PIXELS = re.compile(r"([0-9]{1,6})(?:\.[0-9]{0,9})?(?:px)?")


def is_svg(data: bytes) -> bool:
    """Whether the bytes of a picture are those of an SVG drawing."""
    return _IS_SVG.match(data) is not None and b"<svg" in data[:_N_PROLOG]


def read_svg(data: bytes, found: ImageTexts) -> None:
    """Add the texts, up to the place where the XML is cut or damaged; and the size, if it is in pixels."""
    reader = _Reader(found)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.add
    parser.EntityDeclHandler = _refuse
    with suppress(expat.ExpatError, Unreadable, *_UNKNOWN_ENCODING):
        parser.Parse(data, True)  # noqa: FBT003 - expat takes no name for it


@define
class _Reader:
    """Collects the pieces of each text."""

    found: ImageTexts
    # Of each open element: its role, and whether it is one of `_TEXTS`.
    _open: list[tuple[Role | None, bool]] = field(factory=list, init=False)
    _pieces: list[str] = field(factory=list, init=False)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        role = self._open[-1][0] if self._open else None  # parts of a text have its role
        if len(self._open) >= _DEEPEST:
            raise Unreadable("it is nested too deeply")
        if not self._open:
            self.found.size = _size(attributes)
        is_text = space in {_SVG, ""} and tag in _TEXTS
        if is_text:
            self._take()  # of the text around this one
            role = Role.TITLE if tag == "title" and len(self._open) == 1 else Role.CAPTION
        elif tag in _HIDDEN or space not in {_SVG, _HTML, ""}:
            role = None
        elif tag != "tspan" or _POSITIONS.intersection(attributes):
            self._pieces.append(" ")
        self._open.append((role, is_text))

    def end(self, _name: str) -> None:
        if self._open[-1][1]:
            self._take()
        self._open.pop()

    def add(self, text: str) -> None:
        if self._open and self._open[-1][0] is not None:
            self._pieces.append(text)

    def _take(self) -> None:
        text, role = " ".join("".join(self._pieces).split()), self._open[-1][0] if self._open else None
        self._pieces.clear()
        if text and role is not None:
            self.found.add(role, text)


def _refuse(*_: object) -> NoReturn:
    raise Unreadable("it declares entities")


def _size(attributes: Mapping[str, str]) -> tuple[int, int]:
    """Width and height of a drawing that states them in pixels; (0, 0) for any other."""
    sides = [_PIXELS.fullmatch(attributes.get(name, "").strip()) for name in ("width", "height")]
    width, height = (int(side[1]) if side else 0 for side in sides)
    return (width, height) if width and height else (0, 0)
