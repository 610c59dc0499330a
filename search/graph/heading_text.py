"""The forms in which programs compare the text of a heading with the text after `#` in a link.

    folded   one space between words; case, Unicode composition and invisible characters do not count
    matched  as in Obsidian: the characters that a link may not hold, and some more, count as spaces
    loose    matched, and typographic quotes and dashes count as typed ones
    plain    without markup, as renderers show the heading; `readings` gives the variants that renderers differ in

All functions take linear time, so no pattern may search the rest of the text for the end of an unclosed sign.
"""

import re
from collections.abc import Iterator
from html import unescape
from unicodedata import normalize

# Soft hyphens, zero-width and direction marks, and the selectors that turn a symbol into an emoji.
_INVISIBLE = re.compile(r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_SPACED = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n', " "))
_TYPED = str.maketrans(dict.fromkeys("‘’‚‛′ʼ´", "'") | dict.fromkeys("“”„‟″", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
_DASHES = re.compile(r"-{2,}")
_TARGET = r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
_IMAGE = re.compile(rf"!\[([^\[\]]*)\]{_TARGET}")
_MARKUP = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    rf"|(?<!\[)\[(?P<label>(?!\^)[^\[\]]*)\]{_TARGET}"
    r"|<(?P<address>[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*)>"
    r"|</?[A-Za-z][^<>]*>"
    r"|(?P<underscores>_+)"
)
_TICKS = re.compile(r"`+")
_MAX_NESTED = 3  # images inside links
_OBSIDIAN_MARKUP = re.compile(
    r"%%.*?%%|!?\[\[(?P<target>[^\[\]|]*)(?:\|(?P<shown>[^\[\]]*))?\]\]|\[\^[^\[\]\s]+\]|\s\^[\w-]+$|\{[#.:][^{}]*\}$"
)
_ID = re.compile(r"\{:?\s*#([^\s{}]++)[^{}]*+\}$")


def folded(text: str) -> str:
    """The text in lower case, composed, with single spaces and without invisible characters; accents stay.

    >>> folded(" Über  uns ") == folded("u\u0308ber\u00a0UNS")
    True
    """
    if text.isascii():
        return " ".join(text.lower().split())
    caseless = normalize("NFC", normalize("NFD", text).casefold())
    return " ".join(_INVISIBLE.sub("", caseless).split())


def matched(text: str) -> str:
    """The form in which Obsidian compares headings; `?` for a text of signs alone, as Obsidian sees no difference.

    >>> matched("Minecraft: The *Game*"), matched("TCP/IP"), matched("???")
    ('minecraft the game', 'tcp ip', '?')
    """
    return folded(normalize("NFC", text).translate(_SPACED)) or (folded(text) and "?")


def loose(text: str) -> str:
    """`matched`, where typographic characters count as the ones on a keyboard.

    >>> loose("Don\u2019t \u2014 stop\u2026"), loose("\uff21\uff1a\uff22")
    ("don't - stop", 'a b')
    """
    return matched(_DASHES.sub("-", as_typed(text)))


def as_typed(text: str) -> str:
    r"""The text with typographic quotes, dashes and spaces as on a keyboard, and without invisible characters.

    >>> as_typed("Don\u2019t\u00a0stop \u2014 \u201cnow\u201d")
    'Don\'t stop - "now"'
    """
    return _INVISIBLE.sub("", normalize("NFKC", text.translate(_TYPED)).translate(_TYPED))


def readings(text: str) -> tuple[str, ...]:
    """The heading as renderers show it: without the texts of images, with them, as in Obsidian, and as written.

    >>> readings("**Bold** `code_x` [t](u.md) ![i](p.png)")
    ('**Bold** code_x t ', '**Bold** code_x t i', '**Bold** code_x t i', '**Bold** `code_x` [t](u.md) ![i](p.png)')
    """
    if text.replace(" ", "").isalnum():
        return (text,) * 4
    bare = plain(text)
    return plain(text, with_images=False), bare, plain(_OBSIDIAN_MARKUP.sub(_named, text)), text


def plain(text: str, *, with_images: bool = True) -> str:
    """The text without links, tags, comments, code marks and underscores around words.

    Signs such as `*` stay, because no form of comparison keeps them.
    """
    for _ in range(_MAX_NESTED if "](" in text or "][" in text else 0):
        text = _IMAGE.sub(r"\1" if with_images else "", text)
    parts = _code_and_text(_without_comments(text))
    return "".join(part if is_code else unescape(_MARKUP.sub(_shown, part)) for is_code, part in parts)


def _shown(found: re.Match[str]) -> str:
    if found["label"] is not None:
        return plain(found["label"])
    if found["underscores"]:
        around = found.string[max(0, found.start() - 1) : found.start()], found.string[found.end() : found.end() + 1]
        return found["underscores"] if all(map(str.isalnum, around)) else ""
    return found["escaped"] or found["address"] or ""


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def _code_and_text(text: str) -> Iterator[tuple[bool, str]]:
    """The code spans, without their marks, and the texts between them."""
    runs = list(_TICKS.finditer(text))
    closers: dict[int, int] = {}  # number of ticks -> the next run of so many
    closed_by: list[int | None] = []
    for at in range(len(runs) - 1, -1, -1):
        n_ticks = len(runs[at][0])
        closed_by.append(closers.get(n_ticks))
        closers[n_ticks] = at
    closed_by.reverse()
    begin = at = 0
    while at < len(runs):
        closer = closed_by[at]
        if closer is not None:
            yield False, text[begin : runs[at].start()]
            yield True, text[runs[at].end() : runs[closer].start()]
            begin, at = runs[closer].end(), closer
        at += 1
    yield False, text[begin:]


def explicit_id(text: str) -> str:
    """The id that the author gave the heading for links, as in `## Text {#id}`; "" without one."""
    found = _ID.search(text) if text.endswith("}") else None
    return found[1] if found else ""


def _named(found: re.Match[str]) -> str:
    return found["shown"] or found["target"] or ""
