"""The strength of results: what counts as a match of a query's word, and what does not change it."""

import math

import pytest
from kit.engines import engine_of, many

from embedders import WordEmbedder
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.answer.strength import strength_of
from search.engine import Engine
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import search, write

FILLER = "".join(f"--- filler/f{n}.md\nthe plain text number {n} of the vault\n" for n in range(12))


def strengths(engine, query, **options):
    return {found.hit.id: found.strength for found in search(engine, query, **options).hits}


def derived(engine, query, note, **options):
    """The derivation for one note, and its words by their text."""
    found = next(found for found in search(engine, query, **options).hits if found.hit.id == note)
    assert found.strength == found.derivation.value
    return found.derivation, {word.word: word for word in found.derivation.words}


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("Reset the Router", "a/router.md"),  # title
        ("modem restart", "a/router.md"),  # alias
        ("router", "a/router.md"),  # file name
        ("a/router.md", "a/router.md"),
        ("how do I reset the router?", "a/router.md"),  # the title but for stop words
        ("reset-the-router", "a/router.md"),
    ],
)
def test_a_query_that_is_a_name_of_a_note_has_strength_1(tmp_path, query, note):
    vault = "--- a/router.md\n---\ntitle: Reset the Router\naliases: [modem restart]\n---\nPress it.\n"
    found, _ = derived(engine_of(tmp_path, vault + FILLER), query, note)
    assert found.value == 1.0
    assert found.exact_name


def test_a_name_counts_as_exact_whatever_names_other_notes_have(tmp_path):
    """The score puts the closer name first, but the other note is no worse for it."""
    vault = "--- a.md\n---\ntitle: Reset router\n---\nx\n--- b.md\n---\ntitle: Reset the router\n---\ny\n"
    assert strengths(engine_of(tmp_path, vault), "reset the router") == {"a.md": 1.0, "b.md": 1.0}


def test_the_strength_by_hand(tmp_path):
    """14 notes; oak is in two of them, moss in one; "the" is a stop word; gnarl is nowhere."""
    vault = "--- Oak.md\nthe bark\n\n\n\n\nof moss\n--- elm.md\nno oak here\n" + FILLER
    found, words = derived(engine_of(tmp_path, vault), "the oak moss gnarl", "Oak.md", mode=Mode.KEYWORD)

    def idf(df):
        return math.log(1 + (14 - df + 0.5) / (df + 0.5))

    assert {word: one.idf for word, one in words.items()} == pytest.approx(
        {"the": idf(13), "oak": idf(2), "moss": idf(1), "gnarl": idf(0)}
    )
    weights = {"the": 0.05 * idf(13), "oak": idf(2), "moss": idf(1), "gnarl": idf(0)}
    assert {word: one.weight for word, one in words.items()} == pytest.approx(weights)
    qualities = {"the": 0.7, "oak": 0.95, "moss": 0.7, "gnarl": 0.0}
    assert {word: one.quality for word, one in words.items()} == pytest.approx(qualities)
    near = {"oak", "moss"}  # the title counts with every passage; stop words are not looked for in the text
    assert {word for word, one in words.items() if one.is_near} == near
    total = sum(weights.values())
    coverage = sum(weights[word] * qualities[word] for word in weights) / total
    nearness = sum(weights[word] * qualities[word] for word in near) / total
    assert found.value == pytest.approx(0.8 * coverage + 0.2 * nearness)


@pytest.mark.parametrize(
    ("vault", "query", "word", "quality"),
    [
        ("--- n.md\nan oak", "oak x", "oak", 0.7),
        ("--- n.md\n## oak tree", "oak x", "oak", 0.85),
        ("--- n.md\n---\ntitle: oak tree\n---\n", "oak y", "oak", 0.95),
        ("--- oak/n.md\nx", "oak y", "oak", 0.85),
        ("--- n.md\n#oak", "oak y", "oak", 0.85),
        ("--- n.md\n---\nkind: oak\n---\n", "oak y", "oak", 0.7),
        ("--- n.md\nsee soakedoaken", "oak y", "oak", 0.4 * 0.7),  # inside a word
        ("--- n.md\nthe routers", "router x", "router", 0.7 * 0.7),  # begins with an unknown word
        ("--- n.md\na router and routers", "router x", "router", 0.7),
        ("--- n.md\nthe routers", "x route", "route", 0.7 * 0.7),  # still being typed
        ("--- n.md\nthe router", "ruoter x", "ruoter", 0.6 * 0.7),  # corrected
        ("--- n.md\nthunder and storm", "thunderstorm x", "thunderstorm", 0.6 * 0.7),  # split
        ("--- n.md\nonly thunder\n--- o.md\na storm", "thunderstorm x", "thunderstorm", 0.6 * 0.7 / 2),
        ("--- n.md\na keyboard", "key board x", "key", 0.6 * 0.7),  # joined
        ("--- n.md\na keyboard", "key board x", "board", 0.6 * 0.7),
        ("--- n.md\ncall max_count", "max_count x", "max_count", 0.7),  # a compound
        ("--- n.md\nmax of the count", "max_count x", "max_count", 0.9 * 0.7),
        ("--- n.md\nonly the count", "max_count x", "max_count", 0.9 * 0.7 / 2),
        ("--- n.md\nmax of the count", "max_count max", "max", 0.7),  # a part that is also a word of its own
        ("--- n.md\n望远镜", "望远", "望远", 0.7),
        ("--- n.md\nash", "oak ash", "oak", 0.0),
        ("--- n.md\nash", "max_count ash", "max_count", 0.0),
    ],
)
def test_the_quality_of_a_match(tmp_path, vault, query, word, quality):
    note = vault.removeprefix("--- ").partition("\n")[0]
    _, words = derived(engine_of(tmp_path, vault + "\n" + FILLER), query, note)
    assert words[word].quality == pytest.approx(quality)


def test_the_parts_of_a_compound_are_no_further_words_of_the_query(tmp_path):
    found, words = derived(engine_of(tmp_path, "--- n.md\ncall max_count\n" + FILLER), "max_count call", "n.md")
    assert set(words) == {"max_count", "call"}
    assert found.coverage == pytest.approx(0.7)


def test_other_forms_of_a_word_count_less_than_the_word(tmp_path):
    english = "".join(f"--- e{n}.md\nthis is what they have and it was not with you\n" for n in range(30))
    vault = f"--- whole.md\nhe paints and we paint\n--- form.md\nwhat they painted\n{english}"
    engine = engine_of(tmp_path, vault)
    _, whole = derived(engine, "paint", "whole.md")
    _, form = derived(engine, "paint", "form.md")
    assert whole["paint"].quality == pytest.approx(0.7)
    assert (form["paint"].quality, form["paint"].form) == (pytest.approx(0.9 * 0.7), "painted")


def test_words_that_stand_together_count_more_than_the_same_words_far_apart(tmp_path):
    vault = "--- near.md\noak\n\nmoss\n--- apart.md\noak\n\n\nmoss\n--- with.md\noak and moss\n" + FILLER
    found = strengths(engine_of(tmp_path, vault), "oak moss", mode=Mode.KEYWORD)
    assert found["near.md"] == found["with.md"] == pytest.approx(0.7)
    assert found["apart.md"] == pytest.approx(0.8 * 0.7 + 0.2 * 0.35)


def test_a_filter_alone_has_no_strength_and_a_filter_next_to_words_does_not_count(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak #tree\n--- b.md\noak\n" + FILLER)
    assert strengths(engine, "tag:#tree") == {"a.md": None}
    assert strengths(engine, "oak tag:#tree")["a.md"] == strengths(engine, "oak")["a.md"]


def test_words_that_the_client_sends_along_count_as_words_of_the_query(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak\n--- b.md\noak bark\n" + FILLER)
    found = strengths(engine, "oak", salient_terms=("bark",))
    assert found["b.md"] > found["a.md"]


def test_the_strength_of_a_note_does_not_depend_on_the_rest_of_the_answer(tmp_path):
    vault = "--- x/a.md\n# Oak care\nmoss and bark\n--- b.md\noak [[a]] bark\n--- c.md\nmoss #tree\n" + FILLER
    engine = engine_of(tmp_path, vault)
    whole = strengths(engine, "oak bark moss")
    assert set(whole) == {"x/a.md", "b.md", "c.md"}
    for note, strength in whole.items():
        assert strengths(engine, "oak bark moss", limit_to=(note,)) == {note: strength}
        reason = engine.explain(Query(text="oak bark moss", limit=1), note)
        assert reason.found.strength == strength
    best, *_ = whole.items()
    assert strengths(engine, "oak bark moss", limit=1) == dict([best])
    for preset in PRESETS:
        assert strengths(engine, "oak bark moss", preset=preset).items() <= whole.items()
    assert strengths(engine, "oak bark moss", rrf_k=1) == whole


def test_a_note_found_by_its_links_alone_has_strength_0(tmp_path):
    engine = engine_of(tmp_path, "--- oak.md\noak [[ash]]\n--- ash.md\nnothing\n" + FILLER)
    found = strengths(engine, "oak tree", preset="neighbour-recency", mode=Mode.KEYWORD)
    assert found["ash.md"] == 0.0
    assert found["oak.md"] > 0.3


def test_the_date_that_a_query_names_is_a_match_of_its_words(tmp_path):
    vault = "--- 2024-01-09.md\noak\n--- old.md\noak\n" + FILLER
    engine = Engine(write(tmp_path, vault), understand=Understanding(lexicon()), now=lambda: 1704888000.0)
    dated, words = derived(engine, "oak yesterday", "2024-01-09.md")
    assert words["yesterday"].quality == pytest.approx(0.8)
    assert words["yesterday"].form == "the note's date"
    other, words = derived(engine, "oak yesterday", "old.md")
    assert words["yesterday"].quality == 0.0
    assert dated.value > other.value


def test_the_long_form_of_an_acronym_is_a_match(tmp_path):
    vault = "--- a.md\nReciprocal rank fusion (RRF) is simple.\n--- b.md\nreciprocal rank fusion\n" + FILLER
    engine = Engine(write(tmp_path, vault), understand=Understanding(lexicon()))
    _, words = derived(engine, "RRF", "b.md", preset="intent-hybrid")
    assert words["rrf"].quality == pytest.approx(0.8 * 0.7)


@pytest.fixture
def semantic(tmp_path):
    vault = "--- a.md\nautomobile road\n--- b.md\nautomobile bus lorry train bicycle tram plane\n--- c.md\ncar\n"
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(write(tmp_path / "vault", vault + FILLER), settings, embedder=WordEmbedder())
    yield engine
    engine.close()


def test_the_cosine_counts_by_the_anchors_of_the_model(semantic):
    found = {note: derived(semantic, "car", note)[0] for note in ("a.md", "b.md", "c.md")}
    assert found["a.md"].by_words == found["b.md"].by_words == 0.0
    for one in found.values():
        assert (one.floor, one.ceiling) == (0.3, 0.6)
        unit = min(1.0, (one.cosine - 0.3) / 0.3)
        assert one.by_meaning == pytest.approx(0.7 * unit * unit)
        assert one.value == pytest.approx(one.by_words + (1 - one.by_words) * one.by_meaning)
    assert found["a.md"].value == pytest.approx(0.7)
    assert found["c.md"].value == pytest.approx(0.7 + 0.3 * 0.7)
    assert 0.0 < found["b.md"].value < 0.3


def test_a_cosine_is_the_same_whatever_the_preset_makes_of_it(semantic):
    whole = strengths(semantic, "car")
    for preset in PRESETS:
        if preset != "neighbour-recency":  # its query vector also has concepts of the vault
            assert strengths(semantic, "car", preset=preset).items() <= whole.items()


def test_a_related_note_has_its_score_as_strength_as_that_depends_on_no_other_result(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak bark moss [[b]]\n--- b.md\noak bark\n--- c.md\nmoss\n" + FILLER)
    (first, *_) = engine.related("a.md").notes
    assert first.found.strength == first.found.hit.score
    assert first.found.derivation is None


def test_the_first_answer_by_name_has_only_exact_strengths(tmp_path):
    engine = engine_of(tmp_path, "--- oak.md\nx\n--- oak tree.md\nx\n")
    engine.refresh()
    found = {found.hit.id: found for found in engine.by_name(Query(text="oak")).hits}
    assert found["oak.md"].strength == 1.0
    assert found["oak.md"].derivation == strength_of((), exact_name="oak")
    assert found["oak tree.md"].strength is None


def test_a_note_with_many_matches_is_no_stronger_for_them(tmp_path):
    found = strengths(engine_of(tmp_path, "--- a.md\n" + "oak\n" * 50 + many(2, "oak")), "oak x")
    assert len(set(found.values())) == 1
