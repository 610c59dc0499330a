"""The formula that a step states gives the number that the stage computed, for stages with several cases."""

import pytest
from kit.arithmetic import assert_arithmetic_is_right

from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.fuse.linear import fuse_linear
from search.fuse.missing_scores import fill_missing_scores
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.normalize.scale import Scale
from search.query import DatedNote, PinnedNote, Understood
from search.stages import Context
from search.stages.dates import Dates, raise_dated
from search.stages.kind import Kind, boost_by_kind
from search.stages.length import Length, penalize_short
from search.stages.name import Name, boost_by_name
from search.stages.normalize import Normalize, normalize_scores
from search.stages.pin import Pin, pin_named
from search.stages.recency import Recency, boost_by_recency
from search.stages.rerank import Rerank, rerank_best
from search.stages.title import Title, put_exact_titles_first
from search.vault.note import Note

DAY_S = 86_400.0
RANKING = Ranking.of(
    Hit.found(NoteId(f"{name}.md"), Found("lexical", score), evidence=Evidence(exact_name=exact))
    for name, score, exact in (("oak", 8.0, ""), ("elm", 3.0, "elm"), ("x/elm", 2.0, "elm"), ("ash", 0.0, ""))
)
NOTES = {NoteId(f"{name}.md"): Note(NoteId(f"{name}.md"), name) for name in ("elm", "x/elm")}
AGED = {NoteId(f"{name}.md"): Note(NoteId(f"{name}.md"), name, modified=-days * DAY_S)
        for name, days in (("oak", 1.5), ("elm", 20.0), ("ash", 99.0))}  # fmt: skip


def linked():
    """An index in which `[[elm]]` means the note in the folder."""
    index = LinkIndex()
    index.update(Note(NoteId("x/elm.md"), "elm"))
    return index


PINNED = tuple(PinnedNote(NoteId(f"{name}.md"), "named") for name in ("elm", "ash", "new"))
DATED = tuple(DatedNote(NoteId(f"{name}.md"), "a date", 1.0, is_named=True) for name in ("oak", "elm", "new", "old"))
KINDS = Understood(
    kind_factors={"spec": 1.9, "log": 1.2}, kinds_of=lambda note: {"spec" if note == "oak.md" else "log"}
)


@pytest.mark.parametrize(
    ("stage", "settings", "context", "n_steps"),
    [
        (raise_dated, Dates(), Context(understood=Understood(dated=DATED)), 4),
        (boost_by_kind, Kind(), Context(understood=KINDS), 4),
        (penalize_short, Length(), Context(length_of=len), 4),
        (boost_by_name, Name(), Context(named={NoteId("oak.md"): ("oak", 0.7)}), 1),
        (pin_named, Pin(), Context(understood=Understood(pins=PINNED)), 3),
        (boost_by_recency, Recency(), Context(notes=AGED), 2),
        (boost_by_recency, Recency(tiers=((2.0, 3.0),)), Context(notes=AGED), 1),
        (rerank_best, Rerank(top_n=3), Context(rerank_scores={"oak.md": -1.5, "elm.md": 4.0, "ash.md": 9.0}), 2),
        (rerank_best, Rerank(), Context(rerank_scores={"oak.md": 2.0, "elm.md": 2.0}), 2),
        (put_exact_titles_first, Title(), Context(notes=NOTES), 2),
        (put_exact_titles_first, Title(), Context(notes=NOTES, links=linked()), 2),
        *((normalize_scores, Normalize(scale=scale), Context(), 4) for scale in Scale),
    ],
)
def test_the_arithmetic_of_a_stage_gives_its_numbers(stage, settings, context, n_steps):
    after = stage(RANKING, settings, context)
    steps = [formula for hit in after for formula in assert_arithmetic_is_right(hit.trail)]
    assert len(steps) == n_steps


@pytest.mark.parametrize("scores", [(4.0, 4.0), (0.0, 0.0), (-3.0, -1.0), (-1.0, 2.0)])
@pytest.mark.parametrize("scale", Scale)
def test_the_arithmetic_of_a_normalization_holds_for_equal_zero_and_negative_scores(scale, scores):
    ranking = Ranking.of(Hit.found(NoteId(f"{at}.md"), Found("lexical", score)) for at, score in enumerate(scores))
    for hit in normalize_scores(ranking, Normalize(scale=scale), Context()):
        assert assert_arithmetic_is_right(hit.trail)


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("ceiling", [0.0, 20.0])
@pytest.mark.parametrize("without", [(), ("elm.md",), ("elm.md", "oak.md")])
def test_the_arithmetic_of_a_fusion_by_score_gives_its_amounts(scale, ceiling, without):
    """The cosines are below the floor, between floor and gate, above the gate, and above 1 by a rounding."""
    cosines = {"oak.md": 0.1, "ash.md": 0.4, "fir.md": 0.8, "yew.md": 1.0001}
    near = Ranking.of(Hit.found(NoteId(id_), Found("semantic", cosine)) for id_, cosine in cosines.items())
    fused = fuse_linear(
        {"lexical": RANKING, "semantic": near},
        {"lexical": 0.4, "semantic": 0.6},
        scales={"lexical": scale},
        anchors={"semantic": (0.2, 0.6)},
        ceilings={"lexical": ceiling},
    )
    filled = fill_missing_scores(
        fused, without, missing="semantic", estimate_from="lexical", by="missing-vectors", why=""
    )
    formulas = [formula for hit in filled for formula in assert_arithmetic_is_right(hit.trail)]
    assert len(formulas) == 8 + sum(hit.score > before.score for hit, before in _pairs(filled, fused))


def _pairs(after, before):
    scores = {hit.id: hit for hit in before}
    return [(hit, scores[hit.id]) for hit in after]
