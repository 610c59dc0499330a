"""How often a regular expression repeats its parts: the compiler writes `a{1000}` as a thousand times `a`.

So a pattern of a few characters can take all memory of a computer before it is applied to anything.
"""

import re

_MOST = 500_000  # characters of a pattern that is written out; the compiler takes some 300 bytes for each
# With the flag `x`, spaces and comments may stand between digits.
_COUNT = re.compile(r"\{(?:\s|#.*+)*+((?:\d(?:\s|#.*+)*+)++)")
_NO_DIGIT = re.compile(r"\s|#.*+")
_BEFORE_COUNT_OF_GROUP = re.compile(r"[)}?*+\s]")  # also another count, or a space that the flag `x` allows in between


def repeats_too_much(pattern: str) -> bool:
    r"""Whether compiling a pattern could take hundreds of megabytes.

    A count of a single character or class can be inside no other such count. So they follow each other, and a pattern
    is written out to at most its length times the largest of them. Counts of groups are multiplied as if each were
    inside the next one, which is never too few whatever the syntax means.

    >>> [repeats_too_much(pattern) for pattern in (r"\d{4}-\d{2}-\d{2}", "a{99999999}", "((a{99}){99}){99}")]
    [False, True, True]
    """
    largest = of_groups = 1
    for found in _COUNT.finditer(pattern):
        count = int(_NO_DIGIT.sub("", found[1]))
        if _BEFORE_COUNT_OF_GROUP.match(pattern, found.start() - 1):
            of_groups *= max(1, count)
        else:
            largest = max(largest, count)
    return largest * of_groups * len(pattern) > _MOST
