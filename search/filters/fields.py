"""Filter conditions on a note's tags, folder and properties."""

import re
from collections.abc import Callable, Sequence

from search.analysis.fold import fold
from search.query import Phrase, Regex, Word
from search.vault.note import Note

Leaf = Word | Phrase | Regex
_ISO_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)?(?![\d-])")
_YEAR = re.compile(r"\d{4}")


def tag_test(text: str) -> Callable[[str], bool]:
    """A test of whether a tag is `text` or nested below it; `#`, case and accents do not count. Empty: every tag.

    >>> [tag_test("#Work")(tag) for tag in ("work", "work/urgent", "workshop")]
    [True, True, False]
    """
    wanted = fold(text.strip().removeprefix("#").rstrip("/"))
    return lambda tag: not wanted or (folded := fold(tag)) == wanted or folded.startswith(wanted + "/")


def wildcard_test(pattern: str) -> Callable[[str], bool]:
    """A test of whether a whole name matches `pattern`, in which `*` stands for any characters, in any case.

    Takes time linear in the name, unlike a regular expression. `pattern` has at least one `*`.

    >>> is_hit = wildcard_test("Scan*.pdf")
    >>> is_hit("scan of 2024.PDF"), is_hit("my scan.pdf"), is_hit("scan.pdf.md")
    (True, False, False)
    """
    first, *middle, last = fold(pattern).split("*")
    between = [piece for piece in middle if piece]

    def is_hit(name: str) -> bool:
        text = fold(name)
        if not (len(text) >= len(first) + len(last) and text.startswith(first) and text.endswith(last)):
            return False
        at, end = len(first), len(text) - len(last)
        for piece in between:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True

    return is_hit


def folder_test(text: str) -> Callable[[str], bool]:
    """A test of whether a folder is `text` or lies below it, by whole components; a leading slash: from the root.

    >>> [folder_test("next")(folder) for folder in ("docs/next/api", "docs/nextjs")]
    [True, False]
    """
    components = "/".join(part for part in fold(text.strip()).split("/") if part)
    if not components:
        return lambda _: True
    if text.strip().startswith("/"):
        return lambda folder: f"{fold(folder)}/".startswith(components + "/")
    return lambda folder: f"/{components}/" in f"/{fold(folder)}/"


def property_values(note: Note, name: str) -> tuple[str, ...] | None:
    """The values of the property `name`, case ignored; None if the note has no such property.

    The title, aliases and tags are found by these names, also in the singular. Tags are given with and without `#`.
    """
    wanted = fold(name)
    if wanted == "title":
        return (note.title,)
    if wanted in {"alias", "aliases"} and note.aliases:
        return note.aliases
    if wanted in {"tag", "tags"} and note.tags:
        return (*note.tags, *(f"#{tag}" for tag in note.tags))
    found = [values for key, values in note.properties if fold(key) == wanted]
    return tuple(value for values in found for value in values) if found else None


def compares(text: str, values: Sequence[str]) -> bool | None:
    """Whether any of `values` is less (`<5`, `<2024-01-05`) or more (`>`) than the limit in `text`.

    None if `text` is no comparison. Numbers are compared with numbers and ISO dates with ISO dates, up to the precision
    that both have: `>2024-01` means February and later. A number of four digits is also the year of a date.

    >>> compares(">2024-01-05", ["2024-01-06"]), compares(">2024-01", ["2024-01-31"]), compares("x", ["x"])
    (True, False, None)
    >>> compares(">2023", ["2024-01-06"]), compares(">2024", ["2024-01-06"]), compares(">2023", ["2024"])
    (True, False, True)
    """
    if text[:1] not in {"<", ">"}:
        return None
    limit = text[1:].strip()
    day = limit if _YEAR.fullmatch(limit) or _ISO_DATE.fullmatch(limit) else ""
    dates = [match[0] for value in values if (match := _ISO_DATE.match(value.strip()))] if day else []
    if any(_is_beyond(text[0], date.replace(" ", "T"), day.replace(" ", "T")) for date in dates):
        return True
    number = _number(limit)
    if number is None:
        return False if day else None
    found = (other for value in values if (other := _number(value)) is not None)
    return any(other < number if text[0] == "<" else other > number for other in found)


def _is_beyond(sign: str, date: str, limit: str) -> bool:
    n_common = min(len(date), len(limit))
    date, limit = date[:n_common], limit[:n_common]
    return date < limit if sign == "<" else date > limit


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
