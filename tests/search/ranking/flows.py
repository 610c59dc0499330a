"""Rankings of small vaults by one preset, with cosines as from a model: shared by the tests of the presets."""

from attrs import evolve

from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.syntax import parse
from search.vault.markdown import parse_note
from vaults import notes_of

DAY = 86_400.0
NOW = 20_000 * DAY


def corpus_of(vault: str, ages=None) -> Corpus:
    corpus = Corpus()
    corpus.update(
        parse_note(NoteId(path), text, modified=NOW - DAY * (ages or {}).get(path, 400))
        for path, text in notes_of(vault).items()
    )
    return corpus


def meaning_of(pipeline, **cosines) -> SemanticScores:
    """Scores as from a model: for each note the cosines of its passages."""
    sections = Ranking.of(
        Hit.found(
            (NoteId(f"{name}.md"), at),
            Found("semantic", cosine),
            evidence=Evidence(cosine=cosine, semantic_lines=(at, at + 1)),
        )
        for name, found in cosines.items()
        for at, cosine in enumerate(found)
    )
    near = Ranking.of(
        Hit.found(NoteId(f"{name}.md"), Found("semantic", max(found)), evidence=Evidence(cosine=max(found)))
        for name, found in cosines.items()
    )
    return SemanticScores(
        notes=near,
        with_vectors=frozenset(near.ranks),
        passages=sections,
        weight=pipeline.semantic.weight,
        floor=0.2,
        gate=0.6,
    )


def ranked(pipeline, corpus, text, *, meaning=None, limit=10, allowed=None):
    query = Query(text=text, limit=limit)
    request = Request(query=query, parsed=parse(text), pipeline=pipeline, allowed=allowed, now=NOW)
    if meaning is not None:  # of every note
        meaning = evolve(meaning, with_vectors=frozenset(corpus.notes))
    found = rank(request, corpus, scores=meaning)
    assert all(replay(hit.trail) == hit.score for hit in found.ranking)
    return found


def scores(found):
    return {hit.id.removesuffix(".md"): round(hit.score, 6) for hit in found.ranking}


# deploy -> runbook -> far; rollback has no links
GARDEN = """--- deploy.md
see [[runbook]]
--- runbook.md
up:: [[far]]
--- far.md
nothing
--- rollback.md
undo undo
--- lone.md
one undo among many other words that make it long
"""
COSINES = {"deploy": [0.9, 0.6, 0.3], "rollback": [0.5]}
