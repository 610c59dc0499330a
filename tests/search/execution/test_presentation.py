"""What is shown of a note that was found."""

import pytest
from attrs import evolve

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


MANY = "".join(
    f"--- {number:02}.md\n# Number {number}\n## Oak\nAn oak {'and ' * number}an elm.\n" for number in range(14)
)


def test_first_ten_hits_come_whole_before_the_others_have_excerpts(tmp_path):
    """The others have all that does not depend on their text; the answer has everything."""
    engine, early = Engine(write(tmp_path, MANY)), []
    answer = engine.search(Query(text="oak elm"), on_first=early.append)
    first, others = early[0].hits[:10], early[0].hits[10:]
    assert (len(early), first, len(others)) == (1, answer.hits[:10], 4)
    assert [
        evolve(found, snippets=(), sections=(), strength=None, derivation=None) for found in answer.hits[10:]
    ] == list(others)
    assert all(found.snippets and found.sections and found.strength for found in answer.hits)
    assert (early[0].total, early[0].terms) == (answer.total, answer.terms)


def test_ten_hits_are_not_sent_twice(tmp_path):
    engine, early = Engine(write(tmp_path, MANY)), []
    engine.search(Query(text="oak elm", limit=10), on_first=early.append)
    assert early == []
