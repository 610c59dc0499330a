"""Filter conditions on a note's tags, folder and properties."""

import re
from collections.abc import Callable, Iterable

from search.analysis.fold import fold
from search.query import Phrase, Regex, Word
from search.vault.note import Note

Leaf = Word | Phrase | Regex
_ISO_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)?(?![\d-])")


def tag_test(text: str) -> Callable[[str], bool]:
    """A test of whether a tag is `text` or nested below it; `#`, case and accents do not count. Empty: every tag.

    >>> [tag_test("#Work")(tag) for tag in ("work", "work/urgent", "workshop")]
    [True, True, False]
    """
    wanted = fold(text.strip().removeprefix("#").rstrip("/"))
    return lambda tag: not wanted or (folded := fold(tag)) == wanted or folded.startswith(wanted + "/")


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
    if wanted in {"alias", "aliases"}:
        return note.aliases or None
    if wanted in {"tag", "tags"}:
        return (*note.tags, *(f"#{tag}" for tag in note.tags)) or None
    found = [values for key, values in note.properties if fold(key) == wanted]
    return tuple(value for values in found for value in values) if found else None


def compares(text: str, values: Iterable[str]) -> bool | None:
    """Whether any of `values` is less (`<5`, `<2024-01-05`) or more (`>`) than the limit in `text`.

    None if `text` is no comparison. Numbers are compared with numbers and ISO dates with ISO dates, up to the precision
    that both have: `>2024-01` means February and later.

    >>> compares(">2024-01-05", ["2024-01-06"]), compares(">2024-01", ["2024-01-31"]), compares("x", ["x"])
    (True, False, None)
    """
    if text[:1] not in {"<", ">"}:
        return None
    limit = _number(text[1:])
    if limit is not None:
        numbers = [number for value in values if (number := _number(value)) is not None]
        return any(number < limit if text[0] == "<" else number > limit for number in numbers)
    if (day := _ISO_DATE.fullmatch(text[1:].strip())) is None:
        return None
    found = (match[0] for value in values if (match := _ISO_DATE.match(value.strip())))
    return any(_is_beyond(text[0], date.replace(" ", "T"), day[0].replace(" ", "T")) for date in found)


def _is_beyond(sign: str, date: str, limit: str) -> bool:
    n_common = min(len(date), len(limit))
    date, limit = date[:n_common], limit[:n_common]
    return date < limit if sign == "<" else date > limit


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
