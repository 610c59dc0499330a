"""Set operations on arrays agree with those on Python's sets."""

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from search.index.number_sets import distinct, is_first, without

NUMBERS = st.lists(st.integers(0, 9) | st.integers(0, 2**32 - 1))


@given(NUMBERS)
def test_distinct_gives_each_number_once_in_order(numbers):
    assert distinct(np.array(numbers, np.uint32)).tolist() == sorted(set(numbers))


@given(NUMBERS, NUMBERS)
def test_without_keeps_order_and_duplicates(numbers, others):
    left = without(np.array(numbers, np.uint32), np.array(sorted(others), np.uint32))
    assert left.tolist() == [number for number in numbers if number not in others]


@given(NUMBERS)
def test_is_first_marks_the_first_of_equal_neighbours(numbers):
    expected = [at == 0 or number != numbers[at - 1] for at, number in enumerate(numbers)]
    assert is_first(np.array(numbers, np.uint32)).tolist() == expected


def test_a_first_search_does_not_import_masked_arrays(tmp_path):
    """`np.unique` and functions that use it import numpy.ma, which takes as long as a warm search."""
    (tmp_path / "oak.md").write_text("the oaks and the elms", encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from search.engine import Engine; from search.query import Query;"
        "vault = Path(sys.argv[1]); texts = 'oak', 'o', 'oka elm', '\"the\"';"
        "found = [Engine(vault).search(Query(text=text)).total for text in texts];"
        "print(found, 'numpy.ma' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[1,", "1,", "1,", "1]", "False"]
