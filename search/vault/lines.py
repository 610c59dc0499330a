"""Where a text's lines end: at CR LF, LF and CR, as the Language Server Protocol and every editor count them.

Never `str.splitlines`, which also cuts at U+2028, form feeds and more, and so shifts every line number after one.
"""


def to_lf(text: str) -> str:
    """The text with every line break as LF; neither lines nor columns change."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    r"""The lines without their breaks: always one more than there are breaks, so "" is one empty line.

    >>> split_lines("oak\r\nelm\n")
    ['oak', 'elm', '']
    """
    return to_lf(text).split("\n")
