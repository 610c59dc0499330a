"""A hypothetical answer: a passage from a chat model that might answer the question is searched with the question."""

from embedders import WordEmbedder
from search.errors import ProviderError
from search.notice import Notice, NoticeKind
from search.query import ExpandedQuery, Mode, Query
from vaults import codes, ids, search


class Expander:
    """Stands for a chat model: adds the same parts to every query, and keeps what it was asked."""

    def __init__(self, **parts):
        self.asked = []
        self._parts = parts

    def __call__(self, text, _mode, _budget):
        """The expanded query."""
        self.asked.append(text)
        return ExpandedQuery(original=text, **self._parts)


def test_a_hypothetical_answer_finds_notes_that_the_question_does_not(make):
    assert ids(search(make(), "vehicle?")) == []
    expand = Expander(hyde="the automobile needs oil")
    engine = make(expand=expand)
    assert ids(search(engine, "vehicle?"))[0] == "Garage.md"
    assert engine.explain(Query(text="vehicle?"), "Garage.md").rank == 1
    search(engine, "vehicle? -path:Notes")
    assert expand.asked[0] == "vehicle?"
    assert "path" not in expand.asked[-1]


def test_keyword_mode_asks_for_none_and_the_keyword_answer_comes_before_it(make):
    expand = Expander(notices=(Notice(NoticeKind.DEGRADED, "expansion-failed", "It failed."),))
    engine = make(expand=expand)
    search(engine, "oil", mode=Mode.KEYWORD)
    assert expand.asked == []
    answers = []
    result = engine.search(Query(text="oil"), on_answer=lambda answer: answers.append((answer.mode, len(expand.asked))))
    assert answers == [("keyword", 0)]
    assert "expansion-failed" in codes(result)


def test_a_hypothetical_answer_that_cannot_be_embedded_is_left_out(make):
    embedder = WordEmbedder()
    search(make(embedder), "car")

    def fail(_text):
        raise ProviderError("words@1", "is tired", is_retriable=True)

    engine = make(embedder, expand=Expander(hyde="some passage"))
    embedder.on_passage = fail
    result = search(engine, "car")
    assert ids(result)[0] == "Garage.md"
    assert [notice.message for notice in result.notices if notice.code == "expansion-failed"] == [
        "The hypothetical answer was left out: words@1: is tired."
    ]


def test_a_vector_blended_with_its_opposite_stays_the_vector(make):
    embedder = WordEmbedder()
    engine = make(embedder)
    vector, _ = engine.semantic.embed_query("oil", is_chosen=False)
    assert engine.semantic.with_passage(-embedder.embed_passages(["oil"])[0], "oil", notices=[]).any()
    assert vector.any()
