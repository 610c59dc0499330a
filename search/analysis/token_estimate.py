"""How many tokens a text takes at most for a chat model, without its tokenizer.

Tokenizers differ, and no model's own is at hand. So the estimate is high on purpose.
"""

import re

_ASCII, _LATIN, _OTHER = 40, 70, 160  # hundredths of a token a character
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """The tokens that a text takes at most, about; 0 for no text. Never less for a longer text.

    >>> estimate_tokens("")
    0
    """
    hundredths = _ASCII * len(text)
    for run in _NOT_ASCII.findall(text):
        hundredths += sum((_LATIN if char < "\u0250" else _OTHER) - _ASCII for char in run)
    return -(-hundredths // 100)
