"""How often a regular expression repeats its parts: the compiler writes `a{1000}` as a thousand times `a`.

So a pattern of a few characters can take all memory of a computer before it is applied to anything.
"""

import re
from math import prod

_MOST = 500_000  # characters of a pattern that is written out; the compiler takes some 300 bytes for each
# With the flag `x`, spaces and comments may stand between digits.
_COUNT = re.compile(r"\{(?:\s|#.*+)*+((?:\d(?:\s|#.*+)*+)++)")
_NO_DIGIT = re.compile(r"\s|#.*+")


def repeats_too_much(pattern: str) -> bool:
    r"""Whether compiling a pattern could take hundreds of megabytes.

    Its counts are multiplied as if each were inside the next one, which is never too few whatever the syntax means.

    >>> [repeats_too_much(pattern) for pattern in (r"\d{4}-\d{2}-\d{2}", "a{99999999}", "((a{99}){99}){99}")]
    [False, True, True]
    """
    counts = [int(_NO_DIGIT.sub("", count)) for count in _COUNT.findall(pattern)]
    return bool(counts) and prod(max(1, count) for count in counts) * len(pattern) > _MOST
