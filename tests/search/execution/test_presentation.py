"""What is shown of a note that was found."""

import pytest

from search.engine import Engine
from search.query import Query
from vaults import write

VAULT = """
--- The dome.md
How do I turn the dome?
--- Play.md
To be or not to be, that is the question of the play.
"""


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("how do I turn the dome", '"dome" in the title, "turn" in the text.'),
        ("the question of the play", '"play" in the title, "question" in the text.'),
        ("or not to be", '"or", "not", "to" and 1 more in the text.'),
    ],
)
def test_a_reason_names_stop_words_only_where_the_query_has_nothing_else(tmp_path, query, sentence):
    engine = Engine(write(tmp_path, VAULT))
    assert engine.search(Query(text=query)).hits[0].sentence == sentence
