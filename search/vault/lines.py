"""Splits a text into lines at CR LF, LF and CR, as the Language Server Protocol and editors do.

Never use `str.splitlines`: it also splits at U+2028, form feeds and others, which shifts all later line numbers.
"""

_PART = 1 << 18  # characters


def to_lf(text: str) -> str:
    """The text with every line break as LF; line numbers and columns do not change."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    r"""The lines without their line breaks: one more than there are breaks, so "" is one empty line.

    >>> split_lines("oak\r\nelm\n")
    ['oak', 'elm', '']
    """
    text = to_lf(text)
    if len(text) <= _PART:
        return text.split("\n")
    lines: list[str] = []
    at = 0
    # In parts, since no other thread runs during a split.
    while end := text.rfind("\n", at, at + _PART) + 1 or text.find("\n", at + _PART) + 1:
        lines += text[at : end - 1].split("\n")
        at = end
    lines.append(text[at:])
    return lines
