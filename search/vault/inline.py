"""Finds the tags and links in the text of one block, but not in code, formulas and comments.

The trick: one fast pattern finds the next sign that may have a meaning. Each sign then consumes what belongs to it (a
code span, a formula, a link), so the text is scanned once. Brackets are paired with a stack, as CommonMark describes.
Every pattern takes linear time, and no text is searched twice for the end of an unclosed sign.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from html import unescape
from sys import intern

from attrs import define, field

from search.vault.note import Link, LinkKind

# A tag may contain letters, digits and most symbols of Unicode, but no ASCII or CJK punctuation and nothing from the
# general punctuation block except the joiner that emoji need.
_TAG_CHAR = (
    r"[^\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s\x00-\x1f]"
)
_TAG = re.compile(rf"{_TAG_CHAR}++")
_WIKI = re.compile(r"\[\[(?!\[)((?:[^\[\]\n]|\[\^[^\[\]\s]++\](?=\]\])|\[(?!\[)|\](?!\]))++)\]\]")
# A sign; group 1 is the target of `[[target]]`, the most common kind of link. Alternatives and not a set of characters,
# because `re` searches faster for alternatives that each begin with one character.
# Code that is short and on one line, as most is, is one sign.
_SIGN = re.compile(r"\[\[([^\[\]|#:\\\n]++)\]\]|\[|\]|\#|`(?:[^`\n]{1,200}+`(?!`))?+|\\|%|<|\$")
HTML_TAG = re.compile(
    r"</?[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?>"
    r"|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*+>"
)
_MATH = re.compile(r"\$(?![\s$])(?:[^$\\]|\\.)*+(?<!\s)\$(?!\d)", re.DOTALL)
_PARENS = r"\((?:[^\s()\\]|\\.?|\((?:[^\s()\\]|\\.?)*+\))*+\)"
_DESTINATION = (
    rf"(?:<(?P<angled>(?:[^<>\n\\]|\\.)*+)>|(?P<bare>(?!<)(?:[^\s()\\]|\\.?|{_PARENS})*+))"
    r"(?P<title>\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+"
)
INLINE_LINK = re.compile(rf"\(\s*+{_DESTINATION}\s*+\)", re.DOTALL)
_REFERENCE = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.DOTALL)
DEFINITION = re.compile(rf" {{0,3}}\[((?:[^\[\]\\]|\\.)++)\]:\s*+{_DESTINATION}[ \t]*+(?:\n|$)", re.DOTALL)
_BACKTICKS = re.compile(r"`+")
_SPACE = re.compile(r"\s")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_UNDECODED = re.compile(r"[\udc80-\udcff]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_FIELD_KEY = r"[*_]{0,2}(\w[\w \-/]{0,60}?)[*_]{0,2}\s*::"
_LINE_FIELD = re.compile(rf"\s*(?:>\s*|[-*+]\s+(?:\[.\]\s+)?)*{_FIELD_KEY}(?=\s|!?\[|$)")
_BRACKETED_FIELD = re.compile(rf"[\[(]{_FIELD_KEY}(?:[^\[\]()]|\[\[[^\[\]]*\]\]|\[[^\[\]]*\]\([^()]*\))*$")
_LONGEST_FIELD = 300  # characters before a link that are searched for the beginning of its Dataview field
_BEFORE_TAG = frozenset("({\"'“‘«（「『【《、。，！？：；,;>*_~|")
_ESCAPABLE = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


_MAX_OPEN_BRACKETS = 64  # deeper nesting than anyone writes; keeps the pairing of brackets linear
MAX_DEFINITIONS = 50_000  # of link references in one note; far more than anyone writes
_LONGEST_URL = 2000  # characters before a tag that are searched for the beginning of a URL


# A block's text, the line of the file where it begins, and the half-open range of a tag or link in the text.
Place = tuple[str, int, int, int]


@define
class Inlines:
    """The tags and links found so far in a note. References are collected until all definitions are known.

    `closes_later(closing sign)` tells whether a comment that is open at the end of a block is closed further down.
    """

    closes_later: Callable[[str], bool]
    has_references: bool = False  # whether the note defines link references at all
    is_placed: bool = False  # whether to keep the places of tags and links
    tags: list[str] = field(factory=list)
    tag_places: list[Place] = field(factory=list)
    links: list[Link | None] = field(factory=list)  # None for a reference
    link_places: list[Place] = field(factory=list)
    references: dict[int, tuple[str, str, int, LinkKind]] = field(factory=dict)  # position -> label, shown, line, kind
    definitions: dict[str, tuple[str, Place]] = field(factory=dict)  # label -> destination
    has_more_definitions: bool = False  # than are used
    text: str = ""  # of the current block
    line: int = 0  # the line of the file where the block begins
    has_fields: bool = False  # whether the block may have Dataview fields
    counted_to: int = 0  # the position in the block up to which line breaks were counted
    n_breaks: int = 0  # the number of line breaks before that position
    comment_end: int = -1  # the end of the comment that the text is in, if the comment is within a line
    unclosed: set[str] = field(factory=set)  # the closing signs that a search of the block did not find
    ticks: dict[int, list[int]] | None = None  # length of a run of backticks -> where such runs begin

    def scan(self, text: str, first: int) -> None:
        """Collect the tags and links of one block, `text`, whose first line is `first` of the file."""
        at = self.define(text, first) if self.has_references else 0
        self.text, self.line = text, first
        self.has_fields = "::" in text
        self.counted_to = self.n_breaks = 0
        self.comment_end = -1
        self.ticks = None
        if self.unclosed:
            self.unclosed.clear()
        openers: list[_Opener] = []
        while found := _SIGN.search(text, at):
            start, at = at, found.end()
            if found.lastindex:
                self._named(found[1], found.start(), start, at)
                continue
            sign = found[0]
            if sign == "#":
                at = self._tag(at)
            elif sign == "[":
                is_image = text[at - 2 : at - 1] == "!" and at - 2 >= start
                if text[at : at + 1] == "[" and (wiki := _WIKI.match(text, at - 1)):
                    kind = LinkKind.EMBED if is_image else LinkKind.WIKI
                    if link := wiki_link(wiki[1], self._line_at(at), kind, name=self._field_name(at - 1)):
                        self._add(link, at - 1 - is_image, wiki.end())
                    at = wiki.end()
                else:
                    openers.append(_Opener(at, is_image))
                    del openers[:-_MAX_OPEN_BRACKETS]
            elif sign == "]":
                at = self._close(at, openers)
            elif len(sign) == 1:
                at = self._skip(at, sign)

    def define(self, text: str, line: int) -> int:
        """Collect the link definitions at the beginning of a paragraph; return where its text begins."""
        at = 0
        while (match := DEFINITION.match(text, at)) and match[1][0] != "^":
            at = match.end()
            title = text.find("\n", match.end("bare" if match["angled"] is None else "angled"), at)
            end = at if title < 0 else title  # the place is on one line, even if the title is on the next
            place = text, line, match.start(1) - 1, match.start(1) - 1 + len(text[match.start(1) - 1 : end].rstrip())
            label = _label(match[1])
            if len(self.definitions) >= MAX_DEFINITIONS and label not in self.definitions:
                self.has_more_definitions = True
                break
            self.definitions.setdefault(label, (destination_in(match), place))
        return at

    def resolve(self) -> list[Link | None]:
        """All links in order, with each reference resolved by its definition; None for undefined references."""
        for at, (label, shown, line, kind) in self.references.items():
            if label in self.definitions:
                self.links[at] = markdown_link(self.definitions[label][0], shown, line, kind)
        return self.links

    def _add(self, link: Link | None, start: int, end: int) -> None:
        self.links.append(link)
        if self.is_placed:
            self.link_places.append((self.text, self.line, start, end))

    def _line_at(self, at: int) -> int:
        """The line of the file that contains the position `at`; counts on from the position of the last call."""
        if at >= self.counted_to:
            self.n_breaks += self.text.count("\n", self.counted_to, at)
        else:
            self.n_breaks -= self.text.count("\n", at, self.counted_to)
        self.counted_to = at
        return self.line + self.n_breaks

    def _field_name(self, at: int) -> str:
        return _field_name(self.text, at) if self.has_fields else ""

    def _tag(self, at: int) -> int:
        """Collect the tag whose hash is before `at`, if it is one; return where to go on."""
        text = self.text
        before = text[at - 2] if at > 1 else " "
        match = _TAG.match(text, at)
        if match is None:
            return at
        if before in _BEFORE_TAG or before.isspace() or text.startswith("==", at - 3):
            url = text.rfind("://", max(0, at - _LONGEST_URL), at)
            name = clean_tag(match.group().rstrip("_") if before == "_" else match.group())
            if name and (url < 0 or _SPACE.search(text, url, at)):
                self.tags.append(name)
                if self.is_placed:
                    self.tag_places.append((text, self.line, at - 1, at + len(name)))
        return match.end()

    def _named(self, name: str, at: int, start: int, end: int) -> None:
        """Collect the link `[[name]]` from `at` to `end`; `start` is the end of the sign before it.

        Does without `_add` and `_field_name`, since most links of a vault are of this form.
        """
        kind = LinkKind.EMBED if at > start and self.text[at - 1] == "!" else LinkKind.WIKI
        if target := name.strip():
            field_name = _field_name(self.text, at) if self.has_fields else ""
            self.links.append(Link(target, self._line_at(at), kind, name=field_name))
            if self.is_placed:
                self.link_places.append((self.text, self.line, at - (kind is LinkKind.EMBED), end))

    def _skip(self, at: int, sign: str) -> int:
        """The end of the code, formula, comment or HTML tag that `sign` opens before `at`, or `at` if it opens none."""
        text = self.text
        if sign == "`":
            return self._after_code(at - 1)
        if sign == "\\":
            return at + (text[at : at + 1] in _ESCAPABLE)
        if sign == "<" and text.startswith("!--", at):
            return self._after_hidden(at + 3, "-->")
        if sign == "%":
            return self._after_percent(at)
        if sign == "$" and text[at : at + 1] == "$":
            return self._after_hidden(at + 1, "$$")
        match = (HTML_TAG if sign == "<" else _MATH).match(text, at - 1)
        return match.end() if match else at

    def _after_percent(self, at: int) -> int:
        """The end of the comment over several lines that `%` may open before `at`, or the end of its sign.

        A comment within a line hides no tags and links, as in Obsidian.
        """
        text = self.text
        if text[at : at + 1] != "%":
            return at
        if at + 1 == self.comment_end:
            return at + 1
        end = self._after_hidden(at + 1, "%%")
        if text.endswith("%%", at + 1, end) and "\n" not in text[at:end]:
            self.comment_end = end
            return at + 1
        return end

    def _after_hidden(self, at: int, closer: str) -> int:
        """The position after the next `closer`, or `at` if there is none."""
        if closer in self.unclosed:
            return at
        end = self.text.find(closer, at)
        if end >= 0:
            return end + len(closer)
        if closer != "$$" and self.closes_later(closer):
            return len(self.text)
        self.unclosed.add(closer)
        return at

    def _after_code(self, start: int) -> int:
        """The end of the code span that begins at `start`, or of the backticks there if they open no code span."""
        if self.ticks is None:
            self.ticks = {}
            for run in _BACKTICKS.finditer(self.text):
                self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        opening = _BACKTICKS.match(self.text, start)
        length = opening.end() - start if opening else 1
        starts = self.ticks.get(length, [])
        index = bisect_left(starts, start + length)
        return start + length if index == len(starts) else starts[index] + length

    def _close(self, at: int, openers: "list[_Opener]") -> int:
        """Pair the bracket that closes before `at` and collect its link; return the end of the link, or `at`."""
        if not openers or not (opener := openers.pop()).is_live:
            return at
        text = self.text
        shown = text[opener.at : at - 1]
        kind = LinkKind.EMBED if opener.is_image else LinkKind.MARKDOWN
        line = self._line_at(opener.at)
        begin = opener.at - 1 - opener.is_image
        if text[at : at + 1] == "(" and (match := INLINE_LINK.match(text, at)):
            at = match.end()
            if link := markdown_link(destination_in(match), shown, line, kind, name=self._field_name(opener.at - 1)):
                self._add(link, begin, at)
        elif self.has_references and shown and shown[0] != "^":
            match = _REFERENCE.match(text, at)
            at = match.end() if match else at
            label = _label(match[1] if match and match[1] else shown)
            self._add(None, begin, at)
            self.references[len(self.links) - 1] = label, shown, line, kind
        else:
            return at
        if not opener.is_image:  # links do not nest, images do
            for outer in openers:
                outer.is_live = outer.is_live and outer.is_image
        return at


@define
class _Opener:
    at: int  # where the text in brackets begins
    is_image: bool
    is_live: bool = True


def wiki_link(inside: str, line: int, kind: LinkKind, *, name: str = "") -> Link | None:
    """The link `[[target#heading|shown]]` from the text in its brackets; None for a URL and for an empty link."""
    path, _, shown = inside.replace("\\|", "|").partition("|")
    path, shown = path.strip(), shown.strip()
    if not path and shown:
        path, shown = inside.strip(), ""  # as in Obsidian, a link to a note that cannot exist
    if "://" in path:
        return None
    target, heading, block = _split_target(*path.partition("#")[::2])
    if not (target or heading or block):
        return None
    return Link(target, line, kind, heading, block, shown if shown and shown != target else "", name)


def _field_name(text: str, at: int) -> str:
    """The key of the Dataview field, `key:: …` in a line or in brackets, whose value contains the link at `at`.

    >>> _field_name("- up:: [[a]], [[b]]", 14), _field_name("see [by:: [[a]]]", 10), _field_name("a::b and [[c]]", 9)
    ('up', 'by', '')
    """
    before = text[max(text.rfind("\n", 0, at) + 1, at - _LONGEST_FIELD) : at]
    match = (_BRACKETED_FIELD.search(before) or _LINE_FIELD.match(before)) if "::" in before else None
    return intern(match[1].strip()) if match else ""


def markdown_link(destination: str, shown: str, line: int, kind: LinkKind, *, name: str = "") -> Link | None:
    """The link to `destination` as written; None for a URL and for an empty link."""
    if _SCHEME.match(destination):
        return None
    if "&" in destination:
        destination = unescape(destination)
    if "\\" in destination:
        destination = _ESCAPED.sub(r"\1", destination)
    path, _, subpath = destination.partition("#")
    target, heading, block = _split_target(decode_percent(path), decode_percent(subpath))
    if not (target or heading or block):
        return None
    shown = " ".join(shown.split())
    return Link(target, line, kind, heading, block, shown if shown != target else "", name)


def clean_tag(tag: str) -> str:
    """A tag without its hash, outer slashes and brackets, or "" if it is none: a number or joiners alone are not a tag.

    >>> clean_tag("#a/b-c/"), clean_tag("#2024-01"), clean_tag("#123"), clean_tag("1.5")
    ('a/b-c', '2024-01', '', '')
    """
    tag = tag.removeprefix("#").strip("/[]")
    return intern(tag) if tag.strip("0123456789.,") and tag.strip("_-/") else ""


def decode_percent(text: str) -> str:
    """The text with percent escapes decoded as UTF-8; invalid ones are left as they are.

    >>> decode_percent("caf%C3%A9%20100%zz%20%FF")
    'café 100%zz %FF'
    """
    return _PERCENT.sub(_decode_run, text) if "%" in text else text


def _decode_run(match: re.Match[str]) -> str:
    text = bytes.fromhex(match.group().replace("%", "")).decode(errors="surrogateescape")
    return _UNDECODED.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def _split_target(target: str, subpath: str) -> tuple[str, str, str]:
    """The (target, heading, block) of a link to `target#subpath`; `#a#^block` is the block only."""
    last = subpath.rpartition("#")[2].strip()
    if last[:1] == "^":
        return target.strip(), "", last[1:]
    return target.strip(), subpath.strip() if subpath.strip("# ") else "", ""


def destination_in(match: re.Match[str]) -> str:
    """The destination that `INLINE_LINK` or `DEFINITION` found, as written."""
    return match["bare"] if match["angled"] is None else match["angled"]


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()
