"""The forms in which programs compare the text of a heading with the text after `#` in a link.

    folded   one space between words; case, Unicode composition and invisible characters do not count
    matched  as in Obsidian: the characters that a link may not hold, and some more, count as spaces
    loose    matched, and typographic quotes and dashes count as typed ones
    plain    without markup, as renderers show the heading; `readings` gives the variants that renderers differ in

All functions take linear time; markup is looked for only in texts of up to `MAX_MARKED` characters.
"""

import re
from html import unescape
from unicodedata import normalize

MAX_MARKED = 1000

# Soft hyphens, zero-width and direction marks, and the selectors that turn a symbol into an emoji.
_INVISIBLE = re.compile(r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_SPACED = str.maketrans(dict.fromkeys('!"#$%&()*+,.:;<=>?@^`{|}~/[]\\\r\n', " "))
_TYPED = str.maketrans(dict.fromkeys("‘’‚‛′ʼ´", "'") | dict.fromkeys("“”„‟″", '"') | dict.fromkeys("‐‑‒–—―−", "-"))
_DASHES = re.compile(r"-{2,}")
_TARGET = r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])"
_MARKUP = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|<!--.*?-->"
    rf"|!\[(?P<alt>[^\[\]]*)\]{_TARGET}"
    rf"|(?<!\[)\[(?P<label>(?!\^)[^\[\]]*)\]{_TARGET}"
    r"|<(?P<address>[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*)>"
    r"|</?[A-Za-z][^<>]*>"
    r"|(?<![^\W_])_+|_+(?![^\W_])"
)
_OBSIDIAN_MARKUP = re.compile(
    r"%%.*?%%|!?\[\[(?P<target>[^\[\]|]*)(?:\|(?P<shown>[^\[\]]*))?\]\]|\[\^[^\[\]\s]+\]|\s\^[\w-]+$|\{[#.:][^{}]*\}$"
)
_ID = re.compile(r"\{:?\s*#([^\s{}]+)[^{}]*\}$")


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
    return folded(normalize("NFC", text).translate(_SPACED)) or folded(text)[:1] and "?"


def loose(text: str) -> str:
    """`matched`, where typographic characters count as the ones on a keyboard.

    >>> loose("Don\u2019t \u2014 stop\u2026"), loose("\uff21\uff1a\uff22")
    ("don't - stop", 'a b')
    """
    return matched(_DASHES.sub("-", as_typed(text)))


def as_typed(text: str) -> str:
    """The text with typographic quotes, dashes and spaces as on a keyboard, and without invisible characters.

    >>> as_typed("Don\u2019t\u00a0stop \u2014 \u201cnow\u201d")
    'Don\\'t stop - "now"'
    """
    return _INVISIBLE.sub("", normalize("NFKC", text.translate(_TYPED)).translate(_TYPED))


def readings(text: str) -> tuple[str, ...]:
    """The heading as renderers show it: without the texts of images, with them, as in Obsidian, and as written.

    >>> readings("**Bold** `code_x` [t](u.md) ![i](p.png)")
    ('**Bold** code_x t ', '**Bold** code_x t i', '**Bold** code_x t i', '**Bold** `code_x` [t](u.md) ![i](p.png)')
    """
    if len(text) > MAX_MARKED or text.replace(" ", "").isalnum():
        return (text,) * 4
    bare = plain(text)
    return plain(text, with_images=False), bare, plain(_OBSIDIAN_MARKUP.sub(_named, text)), text


def plain(text: str, *, with_images: bool = True) -> str:
    """The text without links, tags, comments, code marks and underscores around words.

    Signs such as `*` stay, because no form of comparison keeps them.
    """

    def shown(found: re.Match[str]) -> str:
        if found["label"] is not None:
            return plain(found["label"], with_images=with_images)
        if found["alt"] is not None:
            return found["alt"] if with_images else ""
        return found["code"] or found["escaped"] or found["address"] or ""

    if len(text) > MAX_MARKED:
        return text
    before = ""
    while before != text and "](" in text:  # an image inside a link
        before, text = text, _IMAGE.sub(lambda found: found[1] if with_images else "", text)
    return unescape(_MARKUP.sub(shown, text))


_IMAGE = re.compile(rf"!\[([^\[\]]*)\]{_TARGET}")


def explicit_id(text: str) -> str:
    """The id that the author gave the heading for links, as in `## Text {#id}`; "" without one."""
    found = _ID.search(text) if text.endswith("}") and len(text) <= MAX_MARKED else None
    return found[1] if found else ""


def _named(found: re.Match[str]) -> str:
    return found["shown"] or found["target"] or ""
