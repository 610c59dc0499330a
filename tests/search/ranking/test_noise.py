"""A note that nothing but a cosine below the noise floor speaks for is not found."""

import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.ids import NoteId
from search.query import Query
from search.ranking.presets import PRESETS
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.syntax import parse
from tests.search.ranking.flows import GARDEN, NOW, corpus_of

FAINT = {"deploy.md": 0.15, "rollback.md": 0.12}


def found(preset, text, source):
    by_meaning = Ranking.of(Hit.found(NoteId(path), Found(source, cosine)) for path, cosine in FAINT.items())
    corpus, nothing = corpus_of(GARDEN), Ranking[NoteId]()
    scores = SemanticScores(
        notes=by_meaning if source == "semantic" else nothing,
        gists=by_meaning if source == "gist" else nothing,
        with_vectors=frozenset(corpus.notes),
        with_gists=frozenset(corpus.notes),
        weight=0.5,
        floor=0.2,
        gate=0.6,
    )
    request = Request(query=Query(text=text), parsed=parse(text), pipeline=PRESETS[preset](), now=NOW)
    return rank(request, corpus, scores=scores)


@pytest.mark.parametrize("source", ["semantic", "gist"])
@pytest.mark.parametrize("preset", ["balanced", "intent-hybrid"])
def test_noise_alone_finds_nothing(preset, source):
    answer = found(preset, "zeppelin", source)
    assert (len(answer.ranking), answer.n_found) == (0, 0)


@pytest.mark.parametrize("source", ["semantic", "gist"])
def test_a_note_that_has_the_words_stays(source):
    answer = found("balanced", "undo", source)
    assert [hit.id for hit in answer.ranking] == ["rollback.md", "lone.md"]
    assert answer.n_found == 2
