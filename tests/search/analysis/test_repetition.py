"""Counts in regular expressions: ordinary ones are allowed, and none that write out too much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.repetition import repeats_too_much

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
COUNTS = st.sampled_from([0, 2, 9, 99, 999, 9999])
LIMIT = 1_000_000  # parts that are written out, each a character or a group; regex takes some 300 bytes for one


@pytest.mark.parametrize(
    "pattern",
    [
        rf"{UUID}.*{UUID}",
        "|".join([UUID] * 8),
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        r"(?:\d{1,3}\.){3}\d{1,3}:\d{1,5} (?:\d{1,3}\.){3}\d{1,3}",
        r"(?x) \d {4} - \d {2}",
    ],
)
def test_patterns_that_people_write_are_allowed(pattern):
    assert not repeats_too_much(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a{99999999}",
        "(a{1000}){1000}",
        "(?:a{1000}){1000}",
        "(?x)(a{1000}) {1000}",
        "(?x)(a{1000}) # why\n{1000}",
        "(a{1000})(?#why){1000}",
        "[(a){1000}]{1000000}",
        "((a{99}){99}){99}",
        "(a{999}b{2}){999}",
        r"(\({999}){999}",
        "({1000}a{1000}){1000}",
        "a{1000}{1000}",
    ],
)
def test_patterns_that_write_out_too_much_are_refused(pattern):
    assert repeats_too_much(pattern)


def grown(parts):
    """Patterns made of smaller ones, each with the number of parts that it writes out."""
    groups = st.tuples(parts, COUNTS).map(lambda of: (f"(?:{of[0][0]}){{{of[1]}}}", of[0][1] * of[1] + 1))
    return st.one_of(
        groups,
        st.lists(parts, min_size=1, max_size=4).map(lambda of: ("".join(p for p, _ in of), sum(n for _, n in of))),
        parts.map(lambda of: (f"(?:{of[0]})*", of[1] + 1)),
    )


LEAVES = st.tuples(st.sampled_from(["a", r"\)", "[)]", r"\d", "."]), COUNTS).map(
    lambda of: (f"{of[0]}{{{of[1]}}}", of[1])
)


@given(st.recursive(LEAVES, grown, max_leaves=12))
def test_whatever_writes_out_too_much_is_refused_however_its_counts_are_nested(found):
    pattern, n_parts = found
    assert n_parts <= LIMIT or repeats_too_much(pattern)
