"""Web pages (HTML) as their readers see them: text, headings, links and the title, without tags, scripts and styles.

A scanner of its own, as no page may take more than linear time: a tag ends at the first `>` outside quotes, or at the
first one at all if its quotes are broken.
"""

import re
from html import unescape

from search.vault.inline import markdown_link
from search.vault.kinds.reading import Reading, add_links, has_room
from search.vault.limits import MAX_LINKS, MAX_SIGNS
from search.vault.lines import split_lines, to_lf
from search.vault.note import Heading, Link, LinkKind

_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9-]{0,30})")
_ATTRIBUTES = re.compile(r"""(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_LONGEST_TAG = 65_536  # characters; what is longer is text
_N_BROKEN = 100  # tags with broken quotes; after so many, quotes are ignored, since each search for an end costs time
_LONGEST_TITLE = 300  # characters, also of a heading: one that is never closed would be all the rest of the page
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
_UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "object", "textarea", "select", "svg"})
_RAW = frozenset({"script", "style"})  # never text, even without an end
_CLOSERS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in sorted(_UNSEEN)}
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    }
)
_CELLS = frozenset({"td", "th"})  # on one line, with a space between them
_LEVELS = {f"h{level}": level for level in range(1, 7)}


def read_web_page(text: str) -> Reading:
    """The page's text; every block of it begins on a line of its own."""
    page, scan = _Page(), _Scan(text)
    n_tags = 0
    while (opened := text.find("<", scan.at)) >= 0:
        n_tags += 1
        if n_tags > MAX_SIGNS:
            return page.reading(f"what follows the first {MAX_SIGNS:,} tags is not used")
        page.add_text(text[scan.at : opened])
        scan.at = opened + 1
        if text.startswith(("<!", "<?"), opened):
            scan.skip("-->" if text.startswith("<!--", opened) else ">")
            continue
        named = _NAME.match(text, opened)
        end = scan.end_of_tag(named) if named else 0
        if named is None or not end:
            page.add_text("<")
            continue
        name, attributes = named[1].lower(), text[named.end() : end - 1]
        is_end = named[0][1] == "/"
        scan.at = end
        if name in _UNSEEN:
            if not is_end and not attributes.endswith("/"):
                scan.skip_element(name)
        else:
            page.add_tag(name, attributes, is_end=is_end)
    page.add_text(text[scan.at :])
    return page.reading()


class _Scan:
    """A place in the text, `at`, that only moves forward."""

    def __init__(self, text: str) -> None:
        self.at = 0
        self._text = text
        self._n_broken = 0
        self._next_end = -1  # the last `>` that was looked up; beyond the text if there is none
        self._unclosed: set[str] = set()

    def skip(self, closer: str) -> None:
        """Move to the end of the next `closer`, or to the end of the page."""
        end = self._text.find(closer, self.at)
        self.at = len(self._text) if end < 0 else end + len(closer)

    def skip_element(self, name: str) -> None:
        """Move to the end of an element.

        If it is never closed, a script or style goes on to the end of the page, and the tag of any other is ignored.
        """
        if name in self._unclosed:
            return
        closed = _CLOSERS[name].search(self._text, self.at)
        if closed is None and name in _RAW:
            self.at = len(self._text)
        elif closed is None:
            self._unclosed.add(name)
        else:
            self.at = closed.end()
            self.skip(">")

    def end_of_tag(self, named: re.Match[str]) -> int:
        """Where the tag with this name ends; 0 if it has no end nearby."""
        start = named.end()
        if self._next_end < start:
            found = self._text.find(">", start)
            self._next_end = len(self._text) if found < 0 else found
        if self._next_end - start >= _LONGEST_TAG or self._next_end == len(self._text):
            return 0
        if self._n_broken < _N_BROKEN:
            if whole := _ATTRIBUTES.match(self._text, start, start + _LONGEST_TAG):
                return whole.end()
            self._n_broken += 1
        return self._next_end + 1


class _Page:
    """The text of a page while it is put together."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []  # of the last line
        self._title: list[str] = []
        self._is_in_title = False
        self._is_verbatim = 0  # how many `pre` are open
        self._heading: tuple[int, int] | None = None  # level and first line of the open heading
        self._link: tuple[str, int, list[str]] | None = None  # destination, line and text of the open link
        self._headings: list[Heading] = []
        self._links: list[Link] = []

    def add_text(self, text: str) -> None:
        if not text:
            return
        text = to_lf(unescape(text)) if "&" in text else text
        if self._is_in_title:
            self._title.append(text)
            return
        if self._link is not None:
            self._link[2].append(text)
        if not self._is_verbatim:
            self._pieces.append(text)
            return
        first, *others = split_lines(text)
        self._pieces.append(first)
        for line in others:
            self._break()
            self._pieces.append(line)

    def add_tag(self, name: str, attributes: str, *, is_end: bool) -> None:
        if name == "a":
            self._end_link()
            has_use = not is_end and len(self._links) <= MAX_LINKS
            if has_use and (destination := _href(attributes)):
                self._link = destination, len(self._lines), []
        elif name in _CELLS:
            self._pieces.append(" ")
        elif name in _BLOCKS:
            self._break()
            self._is_in_title = name == "title" and not is_end and not self._title
            if name == "pre":
                self._is_verbatim = max(0, self._is_verbatim + (-1 if is_end else 1))
            if name in _LEVELS:
                self._end_heading()
                self._heading = None if is_end else (_LEVELS[name], len(self._lines))

    def _break(self) -> None:
        """End the line, unless it is empty."""
        line = "".join(self._pieces)
        self._pieces.clear()
        line = line.rstrip() if self._is_verbatim else " ".join(line.split())
        if line:
            self._lines.append(line)

    def _end_heading(self) -> None:
        if self._heading is None or not has_room(self._headings):
            return
        level, start = self._heading
        if text := " ".join(self._lines[start : start + _LONGEST_TITLE])[:_LONGEST_TITLE]:
            self._headings.append(Heading(level, text, start))

    def _end_link(self) -> None:
        if self._link is None:
            return
        (destination, line, pieces), self._link = self._link, None
        path, hash_sign, place = destination.partition("#")
        address = path.partition("?")[0] + hash_sign + place
        link = markdown_link(address, "".join(pieces), line, LinkKind.MARKDOWN)
        add_links(self._links, [link] if link and link.target else [])

    def reading(self, *lost: str) -> Reading:
        """The whole page, or what there is of it and what was lost."""
        self._end_link()
        self._break()
        self._end_heading()
        title = " ".join("".join(self._title).split())[:_LONGEST_TITLE]
        return Reading(
            text="\n".join(self._lines),
            title=title,
            headings=tuple(self._headings),
            links=tuple(self._links),
            lost=lost,
        )


def _href(attributes: str) -> str:
    """The destination of a link; not that of `data-href`, nor what another attribute quotes."""
    found = (match for match in _ATTRIBUTE.finditer(attributes) if match[1].lower() == "href")
    match = next(found, None)
    return unescape(match[2] or match[3] or match[4] or "").strip() if match else ""
