"""Exact before similar: what has the query itself stands above what resembles it, whatever the cosines say."""

import pytest
from attrs import frozen
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.ranking.presets import balanced, intent_hybrid, neighbour_recency
from search.ranking.rank import rank
from search.ranking.request import Request, SemanticScores
from search.syntax import parse
from search.vault.markdown import parse_note

pytestmark = pytest.mark.slow

SOME = settings(max_examples=150, deadline=None)


@frozen
class Kind:
    """A word, and texts that only resemble it."""

    word: str
    resembling: tuple[str, ...]


KINDS = [
    Kind("fox", ("foxlike", "firefox", "foxTrot", "foxes", "fix", "outfoxed", "fox_trap", "the fox's", "snow-fox")),
    Kind("garden", ("gardening", "gardens", "gardenTool", "gadren", "kindergarden", "garden.db", "garden-gate")),
    Kind(
        "shutterTimeout", ("the shutter needs a longer timeout", "shutter_timeout", "shutterTimeouts", "shuterTimeout")
    ),
    Kind(
        "max_retry_count", ("max retry count", "maxRetryCount", "max_retry_counter", "retry count", "max_retri_count")
    ),
    Kind("snow-fox", ("snow fox", "snow_fox", "a fox in the snow", "snow-foxes", "snowfox")),
    Kind("app.ini", ("app ini", "app", "ini", "app.init", "myapp.ini", "app-ini")),
    Kind("OAuth2", ("OAuth", "auth 2", "oauth-2", "OAuth21", "OAuth")),
    Kind("v2.10", ("v2", "2.10", "v2.1", "v2.100", "2 10")),
    Kind("timeout", ("shutterTimeout", "time out", "timeouts", "time_out", "timeuot")),
    Kind("USA", ("U.S.A.", "USAF", "usage")),
    # No text, and no two texts after each other, have the pairs of characters in their order without a gap.
    Kind("知识图谱", ("图谱，识图，知识", "知识 图谱", "谱图识知")),
    Kind("ひらがな", ("らが ひら がな", "がなひら", "ひらかな")),
    Kind("검색엔진", ("검색 엔진 색엔", "엔진은 검색", "색엔 검색 엔진")),
    Kind("ค้นหา", ("หา นห ้น ค้", "นหค้น", "ค้น หา")),
]
OF_SEVERAL_RUNS = [
    Kind("std::vector", ("a vector of std cells", "vector and std too", "stdlib::vectors", "std, a vector")),
    Kind("scope/pkgName", ("the scope of pkg name", "pkgName/scope/x", "scope/pkg", "pkgName in a scope now")),
    Kind("C语言", ("语言 C 和", "C 程序语言", "语言和C吗")),
    Kind("C++20", ("C++ of 20", "20 of C++ 17", "C 20", "C++ 2020")),
]
FILLER = (
    "the weather stayed calm and the sea was grey",
    "bread, apples, cheese and tea",
    "rain again until noon",
    "天气很好，我们去公园。",
)
PIPELINES = {pipeline.name: pipeline for pipeline in (balanced(), intent_hybrid(), neighbour_recency())}

PLACES = [
    "{}",
    "**{}**",
    "_{}_",
    "__{}__",
    "it—{}—is",
    "({}),",
    "# {}",
    "- [ ] {}",
    "> “{}”",
    "{}.",
    "was {}—then",
    "«{}»",
]


def answer(notes, query, cosines, weight, preset):
    """The ranking of `notes`, with the given cosines; every note has vectors, but below the floor it is not near."""
    corpus = Corpus()
    corpus.update(parse_note(NoteId(path), text, modified=1.0) for path, text in notes.items())
    near = [Hit.found(NoteId(path), Found("semantic", cosine)) for path, cosine in cosines.items() if cosine >= 0.2]
    scores = SemanticScores(notes=Ranking.of(near), with_vectors=frozenset(notes), weight=weight, floor=0.2, gate=0.6)
    request = Request(query=Query(text=query), parsed=parse(query), pipeline=PIPELINES[preset])
    found = rank(request, corpus, scores=None if weight == 0 else scores)
    for hit in found.ranking:
        assert replay(hit.trail) == hit.score
    return [hit.id for hit in found.ranking]


@st.composite
def vaults(draw):
    """A kind, notes that hold its word whole, and notes that resemble it, with a cosine for each."""
    kind = draw(st.sampled_from([*KINDS, *OF_SEVERAL_RUNS]))
    whole = {}
    for number in range(draw(st.integers(1, 3))):
        diary = [draw(st.sampled_from(FILLER))] * draw(st.integers(0, 60))
        diary.insert(draw(st.integers(0, len(diary))), draw(st.sampled_from(PLACES)).format(kind.word))
        whole[f"whole{number}.md"] = "\n".join(diary)
    others = {}
    for number in range(draw(st.integers(1, 6))):
        texts = draw(st.lists(st.sampled_from((*kind.resembling, *FILLER)), min_size=1, max_size=5))
        others[f"other{number}.md"] = draw(st.sampled_from(["{}", "# {}"])).format("\n".join(texts))
    notes = whole | others
    cosines = {path: draw(st.floats(0.0, 1.0)) for path in notes}
    return kind.word, whole, others, cosines


@SOME
@given(
    vaults(),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(list(PIPELINES)),
    st.sampled_from(["{}", '"{}"', "{} -zebra"]),
)
def test_no_note_that_resembles_the_only_word_stands_above_one_that_has_it_whole(vault, weight, preset, form):
    word, whole, others, cosines = vault
    found = answer(whole | others, form.format(word), cosines, weight, preset)
    assert set(found[: len(whole)]) == set(whole)


NAMES = ("fox", "Snow Fox", "shutterTimeout", "How to be", "C++", "release 2.10", "Über uns", "snow-fox")


@SOME
@given(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["title", "alias", "file name"])),
    st.integers(0, 5),
    st.lists(st.floats(0.0, 1.0), min_size=7, max_size=7),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["balanced", "intent-hybrid"]),
)
def test_the_note_whose_name_is_the_query_comes_first(named, n_others, cosines, weight, preset):
    name, where = named
    heads = {"title": f"# {name}\n", "alias": f"---\naliases: ['{name}']\n---\n", "file name": ""}
    path = f"{name}.md" if where == "file name" else "this one.md"
    notes = {path: heads[where] + FILLER[0]}
    notes |= {f"other{number}.md": f"{name} and {name}, {name}\n" * 3 for number in range(n_others)}
    found = answer(notes, name, dict(zip(notes, cosines, strict=False)), weight, preset)
    assert found[0] == path


@SOME
@given(
    st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind.word), st.sampled_from(kind.resembling))),
    st.sampled_from(["raise {}", "{} door", "why is the {} there", "{} on ice"]),
    st.tuples(*[st.lists(st.sampled_from((*FILLER, "the door on ice", "raise it")), max_size=4)] * 2),
    st.sampled_from(["{}", "# {}"]),
    st.tuples(st.sampled_from([0.0, 0.5]), st.floats(0.0, 1.0)),
)
def test_among_several_words_a_whole_one_counts_more_than_what_resembles_it(pair, query, around, line, meaning):
    """All else equal: the notes differ in nothing but the word, and are equally similar in meaning."""
    (word, resembling), (before, after) = pair, around
    assume(not set(resembling.split()) & set(query.split()))  # "the" of "the fox's" counts too

    def note(text):
        return "\n".join((*before, line.format(text), *after))

    notes = {"b.md": note(word), "a.md": note(resembling), "c.md": "raise the door, why is it there on ice"}
    weight, cosine = meaning
    found = answer(notes, query.format(word), dict.fromkeys(notes, cosine), weight, "balanced")
    assert "b.md" in found
    assert "a.md" not in found[: found.index("b.md")]
