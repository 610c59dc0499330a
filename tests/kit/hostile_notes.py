"""Notes made to be slow: signs that begin something, again and again, and never end it."""

from collections.abc import Iterator

BEFORE = ("", "---\na: ", "---\ntags: ", "---\na:\n  - ", "- ", "> ", "```\n", "<!--", "# ", "| a |\n|-|\n", "[")
UNITS = (
    *("[", "]", "[[", "[[x]],", "[a](", "![](", "![[", "[^1]: ", "[a]: x\n", "[a]:", "[a]: <", "![a][", "](", "\\["),
    *('](a "', "](<", "](a (", '<a b="', "<a b='", "<a b ", "`a``b```c", "]: ", "a]: <"),
    *("`", "``` ", "~~~\n", "```\n", "$", "$$", "$$\n", "%%", "%% ", "<!--", "-->", "%%a%%", "$a$ ", "`a`"),
    *("<a ", "</a>", "<pre>\n", "<div\n", "<", "<?", "&", "&amp;", "http://a ", "data:a;base64,", "A" * 64),
    *("\\", "*", "_", "**a", "#", "#a/", " ^a", "- ", "> ", "- [ ] ", "1. ", "\t", "  ", "* * ", "> - "),
    *("| a ", "|-|\n", "---\n", "a\n===\n", "# a\n", "## a#\n", "- a\n  - b\n", "a:: ", "(a:: ", "a: ", "{", "{#a}"),
    *("é", "\u0301", "\u0301\u0323", "\u200d", "中", "a'", "a.", "a&", "aA", "\0", "\r", "\u2028", "\ud800"),
    *("(", "((", '"', ".", "x\n\n", "  \n", "\n", "a ", "0", "-1", "2024-01-01 "),
)
AFTER = ("", "!\n---\nx\n")


def hostile_notes(n_bytes: int) -> Iterator[tuple[str, str]]:
    """Each sign, and a note of about `n_bytes` bytes that consists of it; only text that JSON can carry."""
    for unit in UNITS:
        if "\ud800" not in unit:
            yield unit, "[[oak]]\n\n" + unit * (n_bytes // len(unit.encode()))


def notes_in_places(n_bytes: int) -> Iterator[tuple[str, str]]:
    """The same signs in front matter, a list, a quote, code and other places, one after the other; a note a sign."""
    for number, unit in enumerate(UNITS):
        if "\ud800" not in unit:
            before, after = BEFORE[1 + number % (len(BEFORE) - 1)], AFTER[number % len(AFTER)]
            yield before + unit, before + unit * (n_bytes // len(unit.encode())) + after
