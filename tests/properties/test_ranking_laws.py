"""Properties of every ranking, whatever the parts of the pipeline and their order."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from kit.arithmetic import assert_arithmetic_is_right

from search.answer.evidence import Evidence
from search.answer.explain import render_trail, sentence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled, replay
from search.fuse.linear import fuse_linear
from search.fuse.rrf import fuse_rrf
from search.graph.links import LinkIndex
from search.ids import NoteId
from search.normalize.scale import Scale, rescale
from search.stages import Context
from search.stages.folder import Folder, boost_by_folder
from search.stages.graph import Graph, boost_by_graph
from search.stages.normalize import Normalize, normalize_scores
from search.stages.title import Title, put_exact_titles_first
from search.vault.note import Link, Note

IDS = [NoteId(f"{folder}{name}.md") for folder in ("", "x/", "x/y/") for name in "abcd"]
TAGS = ("tree", "Tree", "moss")
SOURCES = ("lexical", "semantic", "graph")
RANGES = {Scale.RAW: (0.0, 1.0), Scale.MINMAX: (0.02, 0.98), Scale.ZSCORE: (0.02, 0.98), Scale.UNIT: (0.0, 1.0)}
FEW = settings(max_examples=60, deadline=None)

Stage = Callable[[Ranking[NoteId]], Ranking[NoteId]]

any_score = st.floats(allow_nan=False, allow_infinity=False)
positive_score = st.floats(min_value=1e-6, max_value=1e6)
evidences = st.builds(
    Evidence,
    exact_name=st.sampled_from(["", "", "a", "Title"]),
    cosine=st.none() | st.floats(min_value=-1, max_value=1),
)
weights = st.fixed_dictionaries({source: st.sampled_from([0.0, 0.1, 0.3, 1.0]) for source in SOURCES})


@st.composite
def rankings(draw: st.DrawFn, source: str = "lexical", scores: st.SearchStrategy[float] = positive_score):
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    return Ranking.of(Hit.found(id_, Found(source, draw(scores)), evidence=draw(evidences)) for id_ in ids)


several = st.fixed_dictionaries({source: rankings(source) for source in SOURCES})


@st.composite
def indexes(draw: st.DrawFn):
    index = LinkIndex()
    for id_ in IDS:
        targets = draw(st.lists(st.sampled_from(["a", "x/b", "./c", "../d", "A", "nowhere"]), max_size=3))
        index.update(Note(id_, "Title", links=tuple(Link(target, 0) for target in targets)))
    return index


@st.composite
def boosts(draw: st.DrawFn) -> tuple[float, Stage]:
    """A boost and its cap."""
    cap = draw(st.floats(min_value=1.0, max_value=3.0))
    if draw(st.booleans()):
        folder, sizes = Folder(cap=cap, consider=draw(st.integers(1, 20))), dict.fromkeys(["", "x", "x/y"], 5)
        return cap, lambda ranking: boost_by_folder(ranking, folder, Context(notes_per_folder=sizes))
    graph, index, tag = Graph(cap=cap, strength=draw(st.floats(0.0, 1.0))), draw(indexes()), draw(st.sampled_from(TAGS))
    context = Context(notes={id_: Note(id_, "Title", tags=(tag,)) for id_ in IDS}, links=index)
    return cap, lambda ranking: boost_by_graph(ranking, graph, context)


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    """Any stage or fusion, as a function of one ranking."""
    other, shares = draw(rankings("semantic")), draw(weights)
    scale = draw(st.sampled_from(Scale))
    return draw(
        st.sampled_from(
            [
                draw(boosts())[1],
                lambda ranking: put_exact_titles_first(ranking, Title(), Context()),
                lambda ranking: normalize_scores(ranking, Normalize(scale=scale), Context()),
                lambda ranking: fuse_rrf({"lexical": ranking, "semantic": other}, shares),
                lambda ranking: fuse_linear({"lexical": ranking, "semantic": other}, shares, scales={"lexical": scale}),
            ]
        )
    )


@FEW
@given(rankings(), st.lists(stages(), max_size=6))
def test_the_score_is_the_replay_of_the_trail_after_any_pipeline(ranking, pipeline):
    for stage in pipeline:
        ranking = stage(ranking)
        assert [(-hit.score, hit.id) for hit in ranking] == sorted((-hit.score, hit.id) for hit in ranking)
        for hit in ranking:
            assert replay(hit.trail) == hit.score
            assert len(render_trail(hit.trail)) == len(hit.trail)
            assert 0 < len(sentence(hit)) <= 200


@FEW
@given(rankings(), stages())
def test_the_arithmetic_of_each_step_gives_its_number(ranking, stage):
    for hit in stage(ranking):
        assert_arithmetic_is_right(hit.trail)


@FEW
@given(several, weights, st.permutations(SOURCES), st.sampled_from(Scale))
def test_fusion_does_not_depend_on_the_order_of_sources(by_source, shares, order, scale):
    permuted = {source: by_source[source] for source in order}
    scales = dict.fromkeys(SOURCES, scale)
    assert fuse_rrf(permuted, shares) == fuse_rrf(by_source, shares)
    assert fuse_linear(permuted, shares, scales=scales) == fuse_linear(by_source, shares, scales=scales)


@FEW
@given(several, weights)
def test_rank_fusion_depends_only_on_ranks(by_source, shares):
    doubled = {
        source: ranking.map(lambda hit: hit.then(Scaled("test", 2.0, "doubled")))
        for source, ranking in by_source.items()
    }
    fused = fuse_rrf(doubled, shares)
    assert [(hit.id, hit.score) for hit in fused] == [(hit.id, hit.score) for hit in fuse_rrf(by_source, shares)]
    assert all(0 < hit.score <= (1 + 1e-12) / 61 for hit in fused)


@FEW
@given(rankings(), boosts())
def test_a_boost_is_between_one_and_its_cap(ranking, boost):
    cap, stage = boost
    before = {hit.id: hit for hit in ranking}
    boosted = stage(ranking)
    assert {hit.id for hit in boosted} == set(before)
    for hit in boosted:
        added = hit.trail[len(before[hit.id].trail) :]
        assert all(isinstance(step, Scaled) and 1.0 < step.factor <= cap for step in added)
        assert len(added) <= 1


@FEW
@given(rankings(scores=any_score | st.sampled_from([0.0, -0.0, 5e-324, 1.0, 1.0 + 2**-52])), st.sampled_from(Scale))
def test_a_normalizer_keeps_order_and_range(ranking, scale):
    normalized = normalize_scores(ranking, Normalize(scale=scale), Context())
    low, high = RANGES[scale]
    assert [hit.id for hit in normalized] == [hit.id for hit in ranking]
    assert all(low <= hit.score <= high for hit in normalized)


@FEW
@given(st.lists(any_score), st.sampled_from(Scale))
def test_a_normalizer_keeps_equal_scores_equal_and_different_ones_different(scores, scale):
    values = rescale(scores, scale)
    assert len(set(zip(scores, values, strict=True))) == len(set(scores)) == len(set(values))


@FEW
@given(rankings())
def test_exact_names_come_before_all_others_and_keep_their_order(ranking):
    put = put_exact_titles_first(ranking, Title(), Context())
    exact = [hit.id for hit in ranking if hit.evidence.exact_name]
    others = [hit.id for hit in ranking if not hit.evidence.exact_name]
    assert sorted(hit.id for hit in put.top(len(exact))) == sorted(exact)
    assert [hit.id for hit in put][len(exact) :] == others
    lifted = [hit.score for hit in put][: len(exact)]
    assert lifted == sorted(lifted, reverse=True)


@FEW
@given(st.data())
def test_an_updated_link_index_equals_a_fresh_one(data):
    """Also if its caches are filled between the changes; and backlinks are the reverse of outlinks."""
    index, present = LinkIndex(), {}
    targets = st.lists(st.sampled_from(["a", "x/b", "./c", "../d", "A.md", "/x/a", "y/b", "nowhere"]), max_size=4)
    for id_ in data.draw(st.lists(st.sampled_from(IDS), max_size=20)):
        if id_ in present and data.draw(st.booleans()):
            index.remove(id_)
            del present[id_]
        else:
            present[id_] = Note(id_, "Title", links=tuple(Link(target, 0) for target in data.draw(targets)))
            index.update(present[id_])
        index.backlinks(data.draw(st.sampled_from(IDS)))
    fresh = LinkIndex()
    for note in present.values():
        fresh.update(note)
    for id_ in IDS:
        assert index.outlinks(id_) == fresh.outlinks(id_)
        assert index.backlinks(id_) == fresh.backlinks(id_)
        assert index.backlinks(id_) == {source for source in present if id_ in fresh.outlinks(source)}
