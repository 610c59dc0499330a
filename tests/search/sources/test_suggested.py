"""Words that a chat model suggests find notes, and never displace the typed words."""

import re
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.evidence import FieldMatch
from search.answer.trail import Found, Fused
from search.engine import Engine
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import ExpandedQuery, Mode, Query
from search.ranking.pipeline import Fusion, Pipeline
from search.ranking.rank import Ranked, rank
from search.ranking.request import Request
from search.settings import Settings
from search.sources.suggested import Suggested
from search.syntax import parse
from search.vault.markdown import parse_note
from tests.search.test_judgments import CASES, VAULTS, composed
from vaults import ids, write

NOTES = {
    "Flat.md": "# Flat wheel\nThe wheel lost air on the way home.",
    "Tube.md": "# Tube\nA puncture in the tyre is mended with a patch.",
    "Air.md": "# Air\nOpen the window for fresh air.",
    "Garage.md": "# Garage\nIt is cold.",
}
PLAIN = Pipeline(name="plain")


def corpus_of(notes: dict[str, str]) -> Corpus:
    corpus = Corpus()
    corpus.update(parse_note(NoteId(path), text) for path, text in notes.items())
    return corpus


def ranked(text, *suggestions, notes=NOTES, pipeline=PLAIN, **options) -> Ranked:
    request = Request(query=Query(text=text, **options), parsed=parse(text), pipeline=pipeline)
    return rank(request, corpus_of(notes), suggestions=suggestions)


def names(found: Ranked) -> list[str]:
    return [hit.id.removesuffix(".md") for hit in found.ranking]


def test_a_note_with_suggested_words_only_is_found_last():
    found = ranked("wheel air", "puncture", "tyre")
    assert names(found) == ["Flat", "Air", "Tube"]
    (hit,) = (hit for hit in found.ranking if hit.id == "Tube.md")
    assert [type(step) for step in hit.trail] == [Found, Fused]
    assert {step.source for step in hit.trail} == {"suggested"}
    assert found.n_found == 3


def test_without_suggestions_nothing_changes():
    assert ranked("wheel air").ranking == ranked("wheel air", "", "the", "wheel AIR", "nowhere").ranking


def test_suggestions_do_not_change_the_lexical_scores_of_typed_words():
    plain, more = ranked("wheel air"), ranked("wheel air", "puncture", "home")
    assert plain.retrieval.lexical == more.retrieval.lexical


@pytest.mark.parametrize("word", ["the", "a", "x", "garag", "unctur", "wheel"])
def test_stop_words_letters_parts_of_words_and_typed_words_are_ignored_as_suggestions(word):
    assert names(ranked("wheel air", word)) == ["Flat", "Air"]


def test_words_in_scripts_without_spaces_can_be_suggested():
    notes = {**NOTES, "輪.md": "自転車の修理"}
    assert "輪" in names(ranked("wheel", "自転車", notes=notes))


def test_a_word_that_is_suggested_twice_counts_twice():
    notes = {"once.md": "patch", "twice.md": "tyre", "typed.md": "wheel"}
    assert names(ranked("wheel", "tyre puncture", "tyre patch", notes=notes)) == ["typed", "twice", "once"]


def test_settings_limit_the_suggested_words_and_the_notes_they_find():
    few = evolve(PLAIN, suggested=Suggested(n_terms=1))
    assert names(ranked("wheel", "cold", "puncture", pipeline=few)) == ["Flat", "Garage"]
    one = evolve(PLAIN, suggested=Suggested(n_notes=1))
    assert len(names(ranked("wheel", "cold", "puncture", "window", pipeline=one))) == 2


def test_with_fusion_by_rank_suggested_words_rank_last_as_well():
    assert names(ranked("wheel air", "puncture", pipeline=evolve(PLAIN, fusion=Fusion.RRF))) == ["Flat", "Air", "Tube"]


def test_a_query_without_words_ignores_suggestions():
    query, allowed = Query(text="-nothing"), frozenset({NoteId("Air.md")})
    request = Request(query=query, parsed=parse("-nothing"), pipeline=PLAIN, allowed=allowed)
    found = rank(request, corpus_of(NOTES), suggestions=("tyre",))
    assert names(found) == ["Air"]


WORDS = st.sampled_from(["oak", "elm", "ash", "fir", "yew", "box", "bay", "may", "sun", "sky"])
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@given(
    st.dictionaries(st.sampled_from("abcdef"), TEXTS, min_size=2),
    st.lists(WORDS, min_size=1, max_size=3).map(" ".join),
    st.lists(WORDS, max_size=6),
    st.sampled_from(Fusion),
)
@settings(max_examples=60, deadline=None)
def test_a_note_is_overtaken_only_if_suggestions_outweigh_the_difference(notes, query, suggestions, fusion):
    """A note gains at most the share of the suggestions, and loses nothing against notes that gain nothing."""
    vault = {f"{name}.md": text for name, text in notes.items()}
    pipeline = evolve(PLAIN, fusion=fusion)
    before = {hit.id: hit.score for hit in ranked(query, notes=vault, pipeline=pipeline).ranking}
    after = {hit.id: hit for hit in ranked(query, *suggestions, notes=vault, pipeline=pipeline).ranking}
    assert before.keys() <= after.keys()
    gains = {id_: sum(step.amount for step in hit.trail if _is_suggested(step)) for id_, hit in after.items()}
    share = 0.25 / 1.25 if before else 1.0  # without typed words they have all the weight
    assert all(0.0 <= gain <= share + 1e-9 for gain in gains.values())
    for high, low in ((a, b) for a in before for b in before if before[a] > before[b] + 1e-9):
        if after[low].score > after[high].score:
            assert gains[low] > gains[high]


def _is_suggested(step):
    return isinstance(step, Fused) and step.source == "suggested"


# With the whole engine


@pytest.fixture
def engine(tmp_path):
    """An engine whose chat model returns a fixed value."""
    root = write(tmp_path, "\n".join(f"--- {path}\n{text}" for path, text in NOTES.items()))
    opened = Engine(Path(root), Settings(), expand=lambda text, _mode, _budget: opened.said(text))
    opened.said = lambda text: ExpandedQuery(
        original=text, variants=(text, "tyre puncture"), terms=("wheel", "patch"), hyde="A patch mends it."
    )
    yield opened
    opened.close()


def test_an_answer_shows_the_suggested_words_and_where_they_occur(engine):
    early = []
    result = engine.search(Query(text="wheel air"), on_answer=early.append)
    assert [ids(answer) for answer in (*early, result)] == [["Flat.md", "Air.md"], ["Flat.md", "Air.md", "Tube.md"]]
    assert (early[0].suggested, early[0].variants, early[0].passage) == ((), (), "")
    assert (result.terms, result.suggested) == (("wheel", "air"), ("patch", "tyre", "puncture"))
    assert (result.variants, result.passage) == (("tyre puncture",), "A patch mends it.")
    tube = result.hits[-1]
    assert tube.sentence.startswith('The suggested "patch", "tyre" and "puncture" in the text')
    assert all(match.is_suggested for match in tube.hit.evidence.matches)
    assert tube.snippets[0].highlights
    assert result.mode == "keyword"
    assert engine.explain(Query(text="wheel air"), NoteId("Tube.md")).rank == 3


def test_suggestions_obey_the_filter_and_do_not_affect_keyword_mode(engine):
    assert ids(engine.search(Query(text="wheel air -patch"))) == ["Flat.md", "Air.md"]
    engine.said = None
    assert ids(engine.search(Query(text="wheel air", mode=Mode.KEYWORD))) == ["Flat.md", "Air.md"]


def test_the_sentence_distinguishes_typed_and_suggested_words(engine):
    engine.said = lambda text: ExpandedQuery(original=text, terms=("home",))
    (flat,) = engine.search(Query(text="wheel")).hits
    assert flat.sentence == '"wheel" in the title, the suggested "home" in the text.'
    assert FieldMatch("body", "home", 1.0, is_suggested=True) in flat.hit.evidence.matches


BABBLE = ("committee report telescope", "notes meeting observatory year", "dome", "star night week")


@pytest.mark.parametrize(("root", "judgment"), [case for case in CASES if "first" in case.values[1] and not case.marks])
def test_bad_suggestions_never_change_the_expected_first_result(root, judgment):
    """For the judged queries of all fixture vaults: what a person expects first comes first, whatever is suggested."""
    engine = _opened(root)
    query = Query(text=judgment["ask"], folder=judgment.get("folder", ""), tags=tuple(judgment.get("tags", ())))
    assert composed(ids(engine.search(query))[0]) == composed(judgment["first"])


_ENGINES: dict[Path, Engine] = {}


def _opened(root: Path) -> Engine:
    if root not in _ENGINES:
        said = ExpandedQuery(original="", variants=("", *BABBLE), terms=BABBLE)
        _ENGINES[root] = Engine(root, Settings(), expand=lambda _text, _mode, _budget: said)
    return _ENGINES[root]


def test_the_bad_suggestions_of_these_tests_are_words_of_the_vault():
    result = _opened(VAULTS / "handbook").search(Query(text="something"))
    assert len(result.suggested) == len(re.findall(r"\w+", " ".join(BABBLE)))
