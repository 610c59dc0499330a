"""Finds tags and links in the text of one block, and nothing in what only looks like them.

The trick: one pattern finds the next sign that may mean something; each sign then either consumes what belongs to
it (a code span, a formula, a comment, a link) or is passed over, so the text is gone through once. Brackets are
paired by a stack, as CommonMark describes it. Every pattern is linear: no unclosed sign makes a text be searched twice.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from html import unescape
from sys import intern

from attrs import define, field

from search.vault.note import Link, LinkKind

# What Unicode calls letters, digits and most symbols may stand in a tag; ASCII and CJK punctuation and the general
# punctuation block may not, except for the joiner that emoji need.
_TAG_CHAR = (
    r"[^\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s\x00-\x1f]"
)
TAG = re.compile(rf"{_TAG_CHAR}+")
_TOKEN = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    r"|(?P<code>`+)"
    r"|(?P<wiki>!?\[\[(?!\[)(?:[^\[\]\n]|\[(?!\[)|\](?!\]))++\]\])"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\])"
    r"|(?P<hide>%%|<!--|\$\$)"
    r"|(?P<math>\$)"
    r"|(?P<html></?[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?>"
    r"|<[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*+>)"
    rf"|\#(?P<tag>{_TAG_CHAR}++)"
)
_MATH = re.compile(r"\$(?![\s$])(?:[^$\\]|\\.)*+(?<!\s)\$(?!\d)", re.DOTALL)
_PARENS = r"\((?:[^\s()\\]|\\.?|\((?:[^\s()\\]|\\.?)*+\))*+\)"
_DESTINATION = (
    rf"(?:<(?P<angled>(?:[^<>\n\\]|\\.)*+)>|(?P<bare>(?!<)(?:[^\s()\\]|\\.?|{_PARENS})*+))"
    r"(?P<title>\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+"
)
_INLINE_LINK = re.compile(rf"\(\s*+{_DESTINATION}\s*+\)", re.DOTALL)
_REFERENCE = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.DOTALL)
_DEFINITION = re.compile(rf" {{0,3}}\[((?:[^\[\]\\]|\\.)++)\]:\s*+{_DESTINATION}[ \t]*+(?:\n|$)", re.DOTALL)
_BACKTICKS = re.compile(r"`+")
_SPACE = re.compile(r"\s")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_BEFORE_TAG = frozenset("([{\"'“‘«（「『【《、。，！？：；,;>*_~|")
_CLOSERS = {"%%": "%%", "<!--": "-->", "$$": "$$"}


_MAX_OPEN_BRACKETS = 500  # deeper nesting than anyone writes; keeps the pairing of brackets linear
_LONGEST_URL = 2000  # characters before a tag in which a URL that it belongs to would begin


@define
class Inlines:
    """What was found so far in one note. References are kept until all definitions are known.

    `closes_later` is asked whether a comment that a block leaves open is closed further down, with its closing sign.
    """

    closes_later: Callable[[str], bool]
    has_references: bool = False  # whether the note defines link references at all
    links: list[Link] = field(factory=list)
    tags: list[str] = field(factory=list)
    references: list[tuple[int, str, str, int, LinkKind]] = field(factory=list)  # place, label, shown, line, kind
    definitions: dict[str, str] = field(factory=dict)  # label -> destination

    def scan(self, text: str, line: int) -> None:
        """Takes up the tags and links of one block, `text`, whose first line is `line` of the file."""
        at = self._define(text) if self.has_references else 0
        openers: list[_Opener] = []
        runs: dict[int, list[int]] | None = None
        unclosed: set[str] = set()
        search = _TOKEN.search
        while match := search(text, at):
            kind, start, at = match.lastgroup, match.start(), match.end()
            if kind == "tag":
                self._tag(text, start, match["tag"])
            elif kind == "wiki":
                self._wiki(match.group(), line + text.count("\n", 0, start))
            elif kind == "open":
                openers.append(_Opener(at, is_image=text[start] == "!"))
                del openers[:-_MAX_OPEN_BRACKETS]
            elif kind == "close":
                at = self._close(text, at, line, openers)
            elif kind == "code":
                runs = _backtick_runs(text) if runs is None else runs
                at = _after_code(runs, at, at - start)
            elif kind == "math":
                formula = _MATH.match(text, start)
                at = formula.end() if formula else at
            elif kind == "hide" and match.group() not in unclosed:
                at = self._hide(text, at, match.group(), unclosed)

    def resolve(self) -> tuple[Link, ...]:
        """All links in their order, with each reference replaced by what it is defined as."""
        n_added = 0
        for place, label, shown, line, kind in self.references:
            destination = self.definitions.get(label)
            link = None if destination is None else markdown_link(destination, shown, line, kind)
            if link:
                self.links.insert(place + n_added, link)
                n_added += 1
        return tuple(self.links)

    def _hide(self, text: str, at: int, sign: str, unclosed: set[str]) -> int:
        """Where the text goes on after the comment or formula that `sign` opens before `at`."""
        closer = _CLOSERS[sign]
        end = text.find(closer, at)
        if end >= 0:
            return end + len(closer)
        if sign != "$$" and self.closes_later(closer):
            return len(text)
        unclosed.add(sign)
        return at

    def _tag(self, text: str, start: int, tag: str) -> None:
        before = text[start - 1] if start else " "
        if before not in _BEFORE_TAG and not before.isspace():
            return
        url = text.rfind("://", max(0, start - _LONGEST_URL), start)
        if url >= 0 and not _SPACE.search(text, url, start):
            return
        if name := clean_tag(tag):
            self.tags.append(name)

    def _wiki(self, text: str, line: int) -> None:
        kind = LinkKind.EMBED if text[0] == "!" else LinkKind.WIKI
        if link := wiki_link(text[3:-2] if kind is LinkKind.EMBED else text[2:-2], line, kind):
            self.links.append(link)

    def _close(self, text: str, at: int, line: int, openers: "list[_Opener]") -> int:
        """Pairs the bracket closed before `at`; where the text goes on after the link that it makes, or else `at`."""
        if not openers or not (opener := openers.pop()).is_live:
            return at
        shown = text[opener.at : at - 1]
        kind = LinkKind.EMBED if opener.is_image else LinkKind.MARKDOWN
        line += text.count("\n", 0, opener.at)
        if text[at : at + 1] == "(" and (match := _INLINE_LINK.match(text, at)):
            if link := markdown_link(_destination(match), shown, line, kind):
                self.links.append(link)
            at = match.end()
        elif self.has_references and shown and shown[0] != "^":
            match = _REFERENCE.match(text, at)
            self.references.append(
                (len(self.links), _label(match[1] if match and match[1] else shown), shown, line, kind)
            )
            at = match.end() if match else at
        else:
            return at
        if not opener.is_image:  # links do not nest, images do
            for outer in openers:
                outer.is_live = outer.is_live and outer.is_image
        return at

    def _define(self, text: str) -> int:
        """Takes the definitions that a paragraph begins with; where its text begins."""
        at = 0
        while (match := _DEFINITION.match(text, at)) and match[1][0] != "^":
            self.definitions.setdefault(_label(match[1]), _destination(match))
            at = match.end()
        return at


@define
class _Opener:
    at: int  # where the text in brackets begins
    is_image: bool
    is_live: bool = True


def wiki_link(inside: str, line: int, kind: LinkKind, *, name: str = "") -> Link | None:
    """The link between double brackets, `target#heading|shown`; None for a URL and for nothing."""
    path, _, shown = inside.replace("\\|", "|").partition("|")
    path, shown = path.strip(), shown.strip()
    if "://" in path:
        return None
    target, heading, block = _split_target(path)
    if not (target or heading or block):
        return None
    return Link(target, line, kind, heading, block, intern(shown) if shown and shown != target else "", name)


def markdown_link(destination: str, shown: str, line: int, kind: LinkKind) -> Link | None:
    """The link to `destination` as written; None when it leads out of the vault or nowhere."""
    if _SCHEME.match(destination):
        return None
    if "&" in destination:
        destination = unescape(destination)
    target, heading, block = (decode_percent(part) for part in _split_target(_ESCAPED.sub(r"\1", destination)))
    if not (target or heading or block):
        return None
    shown = " ".join(shown.split())
    return Link(intern(target), line, kind, heading, block, intern(shown) if shown != target else "")


def clean_tag(tag: str) -> str:
    """A tag without its hash and outer slashes, or "" where it is none: it must have more than digits and joiners.

    >>> clean_tag("#a/b-c/"), clean_tag("#123")
    ('a/b-c', '')
    """
    tag = tag.removeprefix("#").strip("/")
    return intern(tag) if tag.strip("0123456789_-/") else ""


def decode_percent(text: str) -> str:
    """Percent escapes decoded as UTF-8; a bad one stays as it is.

    >>> decode_percent("caf%C3%A9%20100%zz%FF")
    'café 100%zz%FF'
    """
    return _PERCENT.sub(_decode_run, text) if "%" in text else text


def _decode_run(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match.group().replace("%", "")).decode()
    except UnicodeDecodeError:
        return match.group()


def _split_target(path: str) -> tuple[str, str, str]:
    """The parts of `target#heading` or `target#^block`; of several headings the last counts."""
    target, _, rest = path.partition("#")
    last = rest.rpartition("#")[2].strip()
    if last[:1] == "^":
        return intern(target.strip()), "", last[1:]
    return intern(target.strip()), intern(last), ""


def _destination(match: re.Match[str]) -> str:
    return match["bare"] if match["angled"] is None else match["angled"]


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _backtick_runs(text: str) -> dict[int, list[int]]:
    """Where runs of backticks begin, by their length."""
    runs: dict[int, list[int]] = {}
    for match in _BACKTICKS.finditer(text):
        runs.setdefault(match.end() - match.start(), []).append(match.start())
    return runs


def _after_code(runs: dict[int, list[int]], at: int, length: int) -> int:
    """The end of the code span whose opening run ends at `at`; `at` itself when nothing closes it."""
    starts = runs.get(length, ())
    index = bisect_left(starts, at)
    return starts[index] + length if index < len(starts) else at
