"""Which heading of a note a link means, whatever program wrote the link. Every feature asks this module.

The text after `#` is compared with all headings of the note, in this order; the first comparison with a hit decides,
and among equal headings the first in the note:

    1. the heading as written, `#C#`
    2. as in Obsidian: `#A#B` is the first heading B below a heading A, levels may be left out; see `matched`
    3. the author's own id `{#id}`, then the slugs of Markdown programs, see `slugs`
    4. without markup and with typographic signs as typed ones, see `loose`
    5. all of these once more with percent escapes decoded

Case and Unicode composition never count. Never raises; time and memory are linear in the headings.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from search.graph.heading_text import explicit_id, folded, loose, matched, plain, readings
from search.graph.slugs import WRITERS
from search.vault.inline import decode_percent
from search.vault.note import Heading, Note, section_lines

_HYPHENS = re.compile(r"-+")
_MAX_LEVELS = 6  # a path with more parts than there are levels names nothing


class Headings:
    """The headings of one note, ready for many links; each index is made when a link first needs it."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._headings = headings

    def find(self, subpath: str) -> Heading | None:
        """The heading that `[[note#subpath]]` or `(note.md#subpath)` means; None if there is none.

        >>> found = Headings([Heading(1, "A/B", 0), Heading(2, "Notes", 3), Heading(2, "Notes", 7)])
        >>> [found.find(text).line for text in ("a b", "A/B#notes", "notes-1")]
        [0, 3, 7]
        """
        for text in dict.fromkeys((subpath, decode_percent(subpath))):
            for look in (self._as_written, self._in_obsidian, self._by_slug, self._loosely):
                if (at := look(text)) is not None:
                    return self._headings[at]
        return None

    def _as_written(self, subpath: str) -> int | None:
        return self._written.get(folded(subpath))

    def _in_obsidian(self, subpath: str) -> int | None:
        return self._on_path(subpath, matched, self._matched, lambda: self._paths)

    def _by_slug(self, subpath: str) -> int | None:
        slug = folded(subpath)
        at = self._slugs.get(slug)
        return self._collapsed_slugs.get(_collapsed(slug)) if at is None else at

    def _loosely(self, subpath: str) -> int | None:
        at = self._on_path(subpath, loose, self._loose, lambda: self._loose_paths)
        return self._loose.get(loose(plain(subpath))) if at is None else at

    @staticmethod
    def _on_path(
        subpath: str,
        form: Callable[[str], str],
        forms: dict[str, int],
        paths: Callable[[], dict[tuple[str, ...], int]],
    ) -> int | None:
        parts = [part for part in subpath.split("#") if part.strip()]
        at = None
        if 1 < len(parts) <= _MAX_LEVELS:
            at = paths().get(tuple(map(form, parts)))
        return forms.get(form(subpath)) if at is None else at

    @cached_property
    def _written(self) -> dict[str, int]:
        return _first(enumerate(folded(heading.text) for heading in self._headings))

    @cached_property
    def _matched(self) -> dict[str, int]:
        return _first(enumerate(matched(heading.text) for heading in self._headings))

    @cached_property
    def _paths(self) -> dict[tuple[str, ...], int]:
        return _paths_of(self._headings, [matched(heading.text) for heading in self._headings])

    @cached_property
    def _slugs(self) -> dict[str, int]:
        found = _first(enumerate(folded(explicit_id(heading.text)) for heading in self._headings))
        for texts in dict.fromkeys(zip(*self._readings, strict=True)):
            for slug_of, number in WRITERS:
                slugs = number(slug_of(text) for text in texts)
                for at, slug in enumerate(map(folded, slugs)):
                    found.setdefault(slug, at)
        found.pop("", None)
        return found

    @cached_property
    def _collapsed_slugs(self) -> dict[str, int]:
        """Some programs write one hyphen where GitHub writes several."""
        return _first((at, _collapsed(slug)) for slug, at in self._slugs.items())

    @cached_property
    def _loose(self) -> dict[str, int]:
        return _first((at, loose(text)) for texts in zip(*self._readings, strict=True) for at, text in enumerate(texts))

    @cached_property
    def _loose_paths(self) -> dict[tuple[str, ...], int]:
        return _paths_of(self._headings, [loose(in_obsidian) for _, _, in_obsidian, _ in self._readings])

    @cached_property
    def _readings(self) -> list[tuple[str, ...]]:
        return [readings(heading.text) for heading in self._headings]


def section_named(note: Note, subpath: str) -> tuple[int, int] | None:
    """The lines (half-open) of the section whose heading `subpath` means; None if there is none."""
    heading = Headings(note.headings).find(subpath)
    return None if heading is None else section_lines(note, heading)


def _paths_of(headings: Sequence[Heading], names: Sequence[str]) -> dict[tuple[str, ...], int]:
    """Each path of names from any heading above to a heading, with the first heading that it leads to.

    A heading has at most five others above it, so at most 32 paths.
    """
    found: dict[tuple[str, ...], int] = {}
    above: list[tuple[int, list[tuple[str, ...]]]] = []  # level and paths of the headings around
    for at, (heading, name) in enumerate(zip(headings, names, strict=True)):
        while above and above[-1][0] >= heading.level:
            above.pop()
        paths = [(name,), *((*path, name) for _, outer in above for path in outer)]
        for path in paths:
            found.setdefault(path, at)
        above.append((heading.level, paths))
    return found


def _first(forms: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Each form with the first heading that has it; a heading without text is no target."""
    found: dict[str, int] = {}
    for at, form in forms:
        if form:
            found.setdefault(form, at)
    return found


def _collapsed(slug: str) -> str:
    return _HYPHENS.sub("-", slug).strip("-")
