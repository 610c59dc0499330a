"""Splits a text into lines at CR LF, LF and CR, as the Language Server Protocol and editors do.

Never use `str.splitlines`: it also splits at U+2028, form feeds and others, which shifts all later line numbers.
"""


def to_lf(text: str) -> str:
    """The text with every line break as LF; line numbers and columns do not change."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    r"""The lines without their line breaks: one more than there are breaks, so "" is one empty line.

    >>> split_lines("oak\r\nelm\n")
    ['oak', 'elm', '']
    """
    return to_lf(text).split("\n")
