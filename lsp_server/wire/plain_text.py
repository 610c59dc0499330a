"""Text for an editor without control characters: what notes, names and messages quote must not control a display."""

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PART = 1 << 18  # characters


def plain(text: str) -> str:
    r"""The text with a replacement character for each control character, except tabs and line ends.

    Characters that reverse the direction of text, and lone surrogates, as in a file name that is not valid text, count
    too: most programs reject a whole message because of the latter. Lengths and columns stay the same.

    >>> plain("no\x1b[31m red\n") == "no\N{REPLACEMENT CHARACTER}[31m red\n"
    True
    """
    if text.isprintable():
        return text
    parts = (text[at : at + _PART] for at in range(0, len(text), _PART))  # as no other thread runs during one call
    return "".join(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", part) for part in parts)
