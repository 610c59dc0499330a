"""The names that Markdown programs give to headings, for links such as `[text](#some-heading)`.

Each program makes a name, a slug, from the heading's text and numbers the repeated ones:

    GitHub       without signs and emoji, each space a hyphen; foo, foo-1, foo-2
    VS Code      the same of the trimmed text, but counts the heading's own repetitions only
    Pandoc       keeps dots, begins with a letter; "section" if nothing is left
    MkDocs       ASCII letters and digits; foo, foo_1
    kramdown     ASCII letters and digits, begins with a letter; "section" if nothing is left

Sources: Flet/github-slugger, microsoft/vscode-markdown-languageservice, Pandoc's MANUAL (auto_identifiers),
Python-Markdown's `toc`, kramdown's converter.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from unicodedata import category, normalize

_WORD_KINDS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})
_NO_ASCII_WORD = re.compile(r"[^\w -]", re.ASCII)
_NO_PANDOC_WORD = re.compile(r"[^\w .-]", re.ASCII)
_SPACE = re.compile(r"\s")
_HYPHENS = re.compile(r"[-\s]+")


def github(text: str) -> str:
    """The slug of GitHub, also of Docusaurus and Hugo.

    >>> github("Hello, World!"), github("A & B"), github("2.4 Setup"), github("🚀 Launch")
    ('hello-world', 'a--b', '24-setup', '-launch')
    """
    return _words(text.lower(), " -").replace(" ", "-")


def vscode(text: str) -> str:
    """The slug of VS Code's preview and link completion."""
    return github(_SPACE.sub(" ", text.strip()))


def pandoc(text: str) -> str:
    """The identifier of Pandoc.

    >>> pandoc("2.4 Setup"), pandoc("x.y v1.2"), pandoc("A & B"), pandoc("1984")
    ('setup', 'x.y-v1.2', 'a-b', 'section')
    """
    slug = "-".join(_words(text, " -.").lower().split())
    first = next((at for at, char in enumerate(slug) if char.isalpha()), len(slug))
    return slug[first:] or "section"


def mkdocs(text: str) -> str:
    """The id of Python-Markdown's table of contents.

    >>> mkdocs("Über uns: A -- B")
    'uber-uns-a-b'
    """
    ascii_text = normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _HYPHENS.sub("-", _NO_ASCII_WORD.sub("", _SPACE.sub(" ", ascii_text)).strip().lower())


def kramdown(text: str) -> str:
    """The id of kramdown, which Jekyll uses.

    >>> kramdown("2.4 Set_up"), kramdown("!")
    ('setup', 'section')
    """
    kept = "".join(char for char in text if char.isascii() and (char.isalnum() or char in " -"))
    return kept.lstrip("0123456789 -").replace(" ", "-").lower() or "section"


def numbered(slugs: Iterable[str], separator: str = "-") -> Iterator[str]:
    """The slugs with a number on those that are taken, as GitHub, Pandoc, MkDocs and kramdown count.

    >>> list(numbered(["foo", "foo", "foo-1", "foo"]))
    ['foo', 'foo-1', 'foo-1-1', 'foo-2']
    """
    taken: dict[str, int] = {}  # slug -> the last number added to it
    for slug in slugs:
        unique = slug
        while unique in taken:
            taken[slug] += 1
            unique = f"{slug}{separator}{taken[slug]}"
        taken[unique] = 0
        yield unique


def counted(slugs: Iterable[str]) -> Iterator[str]:
    """The slugs with the number of equal ones before, as VS Code counts: two headings may get the same.

    >>> list(counted(["foo", "foo", "foo-1", "foo"]))
    ['foo', 'foo-1', 'foo-1', 'foo-2']
    """
    n_before: Counter[str] = Counter()
    for slug in slugs:
        yield f"{slug}-{n_before[slug]}" if n_before[slug] else slug
        n_before[slug] += 1


def _numbered_by_underscore(slugs: Iterable[str]) -> Iterator[str]:
    return numbered(slugs, "_")


WRITERS: Sequence[tuple[Callable[[str], str], Callable[[Iterable[str]], Iterator[str]]]] = (
    (github, numbered),
    (vscode, counted),
    (pandoc, numbered),
    (mkdocs, _numbered_by_underscore),
    (kramdown, numbered),
)


def _words(text: str, signs: str) -> str:
    """The letters, marks, digits, connectors such as `_`, and `signs` of a text."""
    if text.isascii():
        return _NO_ASCII_WORD.sub("", text) if "." not in signs else _NO_PANDOC_WORD.sub("", text)
    return "".join([char for char in text if char in signs or category(char) in _WORD_KINDS])
