"""Related notes, by words, meaning, links, citations, tags and folders."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from embedders import WordEmbedder
from search.answer.trail import Fused, replay
from search.engine import Engine
from search.navigation import distinctive as distinct
from search.navigation import related
from search.navigation.related import MIN_SCORE
from search.query import Mode
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import write

GARDEN = """
--- plants/orchid.md
---
tags: [epiphyte, plant]
---
# Orchid

## Substrate
Orchids grow on bark and charcoal, never in soil. See [[watering]].

## Feeding
Weak fertilizer, weakly.
--- plants/vanda.md
---
tags: [epiphyte, plant]
---
# Vanda
A vanda hangs in a basket of charcoal and bark.
--- plants/oak.md
---
tags: [plant]
---
# Oak
An oak stands in soil.
--- watering.md
# Watering
Rain water is best.
--- feeding.md
# Feeding
Fertilizer once a month.
--- index.md
# Index
[[orchid]] and [[feeding]] and [[oak]].
--- taxes.md
# Taxes
The tax office wants the form in May.
"""


def engine_of(root, vault=GARDEN, **options):
    engine = Engine(write(root, vault), **options)
    engine.refresh()
    return engine


def rows(answer):
    return {item.found.hit.id: item for item in answer.notes}


def test_related_notes_have_a_reason_and_linked_ones_are_marked(tmp_path):
    """Linked notes are included and marked, and so is the note with the same rare words and tags."""
    answer = engine_of(tmp_path).related("plants/orchid.md")
    found = rows(answer)
    assert found["plants/vanda.md"].found.sentence == (
        'Shares #epiphyte and #plant; shares "bark" and "charcoal"; both are in plants/.'
    )
    assert {note: item.is_linked for note, item in found.items()} == {
        "plants/vanda.md": False,
        "index.md": True,
        "watering.md": True,
        "feeding.md": False,
        "plants/oak.md": False,
    }
    assert found["watering.md"].found.sentence.startswith("It is linked from here")
    assert found["index.md"].found.sentence.startswith("It links here")
    assert "cited together in 1 note" in found["feeding.md"].found.sentence.lower()
    assert (answer.total, answer.is_complete, answer.notices) == (5, True, ())


def test_each_score_is_the_replay_of_its_trail_and_the_evidence_is_listed(tmp_path):
    answer = engine_of(tmp_path).related("plants/orchid.md")
    for item in answer.notes:
        hit = item.found.hit
        assert hit.score == replay(hit.trail) >= MIN_SCORE
        assert hit.score == pytest.approx(sum(step.amount for step in hit.trail if isinstance(step, Fused)))
    vanda = rows(answer)["plants/vanda.md"].found
    assert [match.query for match in vanda.hit.evidence.matches] == ["bark", "charcoal"]
    assert vanda.hit.evidence.graph.shared_tags == 2
    assert vanda.snippets[0].text == "A vanda hangs in a basket of charcoal and bark."
    assert len(vanda.snippets[0].highlights) == 2


def test_with_a_heading_only_its_section_counts(tmp_path):
    engine = engine_of(tmp_path)
    feeding = rows(engine.related("plants/orchid.md", heading="feeding"))
    assert "fertilizer" in feeding["feeding.md"].found.sentence
    assert "plants/vanda.md" in feeding  # by its tags and folder
    assert "bark" not in feeding["plants/vanda.md"].found.sentence


def test_with_lines_only_their_text_counts(tmp_path):
    found = rows(engine_of(tmp_path).related("plants/orchid.md", lines=(6, 8)))
    assert "bark" in found["plants/vanda.md"].found.sentence


POINTING = """
--- diary.md
# Diary
Weak fertilizer today, as [[orchid#feeding|she]] says; [[roses]] too.
--- quote.md
# Quote
Bark as in [[orchid#^grow]].
--- roses.md
# Roses
Fertilizer for roses.
"""


def test_lines_have_only_links_of_their_own(tmp_path):
    """Links written in them, links to a heading or block in them, and citations by the notes with the latter."""
    vault = GARDEN.replace("See [[watering]].", "See [[watering]]. ^grow") + POINTING
    engine = engine_of(tmp_path, vault)

    def sentences(**part):
        found = rows(engine.related("plants/orchid.md", **part))
        return {note: item.found.sentence.lower() for note, item in found.items()}

    feeding, substrate = sentences(heading="feeding"), sentences(heading="substrate")
    assert "links here" in feeding["diary.md"]
    assert "cited together in 1 note" in feeding["roses.md"]
    assert "fertilizer" in feeding["feeding.md"]
    assert not any("linked from here" in text for text in feeding.values())
    assert "linked from here" in substrate["watering.md"]
    assert "links here" in substrate["quote.md"]
    assert "index.md" not in substrate
    assert not any("link" in text or "cited" in text for text in sentences(lines=(9, 10)).values())


def test_notes_linked_with_the_whole_note_are_marked_for_any_part_of_it(tmp_path):
    found = rows(engine_of(tmp_path, GARDEN + POINTING).related("plants/orchid.md", lines=(9, 10)))
    assert found["diary.md"].is_linked
    assert found["diary.md"].found.hit.evidence.graph is None
    assert not found["roses.md"].is_linked


def test_all_lines_together_have_the_same_neighbourhood_as_the_note(tmp_path):
    engine = engine_of(tmp_path)

    def connections(**part):
        found = rows(engine.related("plants/orchid.md", **part))
        return {note: graph for note, item in found.items() if (graph := item.found.hit.evidence.graph)}

    assert connections()["index.md"].backlinks == 1
    assert connections(lines=(3, 12)) == connections(lines=(0, 99)) == connections(heading="orchid") == connections()
    assert "index.md" not in connections(lines=(4, 12))


def test_an_unknown_heading_is_reported_and_the_whole_note_counts(tmp_path):
    answer = engine_of(tmp_path).related("plants/orchid.md", heading="Roots")
    assert [notice.code for notice in answer.notices] == ["no-such-heading"]
    assert answer.total == 5


@pytest.mark.parametrize(
    ("note", "message"),
    [("nowhere.md", "There is no note nowhere.md."), (".trash/x.md", "There is no note .trash/x.md.")],
)
def test_an_unknown_note_is_reported_and_has_no_related_notes(tmp_path, note, message):
    answer = engine_of(tmp_path).related(note)
    assert (answer.notes, [notice.message for notice in answer.notices]) == ((), [message])


DAILY = """\
---
type: daily
tags: [journal]
---
# 2026-03-{day:02}

Mood: {mood}
Weather: {weather}

## Gratitude
- {thanks}

## Tasks
- [ ] water the plants
- [ ] stretch

## Evening review
What went well today and what did I learn?

{text}
"""


def test_daily_notes_of_one_template_are_not_related_to_each_other(tmp_path):
    """Twenty daily notes share headings, labels, tasks, a tag and a folder; one of them is about an orchid."""
    days = []
    for day in range(1, 21):
        text = "Repotted the orchid into fresh bark." if day == 7 else f"Met person{day} about topic{day}."
        days.append(
            f"--- daily/2026-03-{day:02}.md\n"
            + DAILY.format(day=day, mood=day % 5, weather=f"rain {day}", thanks=f"coffee{day}", text=text)
        )
    others = "".join(f"--- notes/n{n}.md\n# Note {n}\nfiller{n} text{n}\n" for n in range(60))
    orchid = "--- notes/orchid care.md\n# Orchid care\nAn orchid likes bark.\n"
    engine = engine_of(tmp_path, "".join(days) + others + orchid)
    answer = engine.related("daily/2026-03-07.md")
    assert answer.notes[0].found.hit.id == "notes/orchid care.md"
    assert not any(item.found.hit.id.startswith("daily/") for item in answer.notes)
    assert engine.related("daily/2026-03-08.md").notes == ()


@pytest.fixture
def analysed(monkeypatch):
    """The texts that are analysed from now on, by their first lines."""
    seen = []

    def pieces_of(text):
        seen.append(text.partition("\n")[0])
        return distinct.pieces_of(text)

    monkeypatch.setattr(related, "pieces_of", pieces_of)
    return seen


def test_a_change_of_one_note_does_not_repeat_the_analysis_of_others(tmp_path, analysed):
    engine = engine_of(tmp_path)
    engine.related("plants/orchid.md")
    assert analysed
    analysed.clear()
    engine.open_buffer("plants/vanda.md", "# Vanda\nA vanda hangs in a basket of charcoal.\n")
    engine.related("plants/orchid.md")
    assert analysed == ["# Vanda"]


CHANGES = [
    ("a new link", "taxes.md", "# Taxes\n[[orchid]]"),
    ("a new word", "taxes.md", "# Taxes\nBark and charcoal."),
    ("a removed word", "plants/vanda.md", "# Vanda"),
    ("a new tag", "plants/oak.md", "---\ntags: [Epiphyte, plant]\n---\n# Oak\nAn oak stands in soil."),
    ("a new title", "plants/vanda.md", "# Blue\nA vanda hangs in a basket of charcoal and bark."),
    ("a citation", "new.md", "[[orchid]] [[taxes]]"),
]


@pytest.mark.parametrize(("note", "text"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES])
def test_the_next_answer_reflects_a_change_of_another_note(tmp_path, note, text):
    """Cached analyses never show: a fresh engine gives the same answer."""
    engine, fresh = engine_of(tmp_path / "one"), engine_of(tmp_path / "other")
    before = engine.related("plants/orchid.md")
    for changed in (engine, fresh):
        changed.open_buffer(note, text)
    after = engine.related("plants/orchid.md")
    assert after.notes != before.notes
    assert after.notes == fresh.related("plants/orchid.md").notes


def test_only_the_beginning_of_a_long_text_is_analysed(tmp_path, monkeypatch):
    """A hover over a link to a note of megabytes must not count all its words; a late section can be a subject."""
    engine = engine_of(
        tmp_path, GARDEN + "--- long.md\n# Long\nbark charcoal\n" + "\n" * 99_000 + "## Late\ntax office\n"
    )
    seen = []
    monkeypatch.setattr(related, "count_words", lambda pieces: seen.append(pieces) or distinct.count_words(pieces))
    assert "plants/vanda.md" in rows(engine.related("long.md"))
    assert "taxes.md" not in rows(engine.related("long.md"))
    assert "taxes.md" in rows(engine.related("long.md", heading="Late"))
    assert max(len("".join(pieces)) for pieces in seen if isinstance(pieces, list)) <= 50_000


def test_the_number_of_cached_texts_is_limited(tmp_path, analysed, monkeypatch):
    monkeypatch.setattr(related, "_N_TEXTS", 2)
    engine = engine_of(tmp_path)
    for _ in range(2):
        engine.related("plants/orchid.md")
        engine.open_buffer("taxes.md", "# Taxes")
    assert analysed.count("# Watering") == 2
    assert len(engine._related._texts._kept) == 2


def test_an_answer_is_cached_until_something_changes(tmp_path):
    engine = engine_of(tmp_path)
    first = engine.related("plants/orchid.md")
    assert engine.related("plants/orchid.md").notes is first.notes
    engine.open_buffer("taxes.md", "# Taxes\nOrchids on bark and charcoal are free of tax.\n")
    assert "taxes.md" in rows(engine.related("plants/orchid.md"))
    for limit in range(1, 100):
        engine.related("plants/orchid.md", limit=limit)
        engine.related("index.md", limit=limit)
    assert len(engine._related._kept) == 128


def test_a_vault_that_is_still_being_read_answers_with_the_notes_read_so_far(tmp_path):
    engine = Engine(write(tmp_path, "".join(f"--- n{n}.md\noak\n" for n in range(300))))
    answer = engine.related("n0.md", patience_s=0.0)
    assert answer.is_complete is False
    assert "still-reading" in [notice.code for notice in answer.notices]


# Meaning


CARS = """
--- car.md
# Car

"""
CARS += "car " * 25 + "\n\n## Insurance\n" + "physician " * 25
CARS += """
--- automobile.md
automobile
--- doctor.md
doctor
--- bread.md
flour water salt
"""


@pytest.fixture
def meaning(tmp_path):
    """An engine whose notes have vectors."""
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(write(tmp_path / "vault", CARS), settings, embedder=WordEmbedder())
    engine.maintenance().update()
    yield engine
    engine.close()


def test_with_vectors_notes_of_similar_meaning_are_related(meaning):
    answer = meaning.related("automobile.md")
    found = rows(answer)
    assert set(found) == {"car.md"}
    assert (found["car.md"].found.sentence, found["car.md"].found.hit.evidence.cosine > 0.3) == (
        "Similar in meaning; both are in the top folder.",
        True,
    )
    assert meaning.related("automobile.md", mode=Mode.KEYWORD).notes == ()


def test_a_section_is_compared_by_its_own_passages(meaning):
    assert set(rows(meaning.related("car.md", heading="Insurance"))) == {"doctor.md"}


def test_a_note_with_outdated_vectors_is_compared_by_words_alone(meaning):
    meaning.open_buffer("automobile.md", "doctor and automobile")
    assert set(rows(meaning.related("automobile.md"))) == {"doctor.md"}
    assert rows(meaning.related("automobile.md"))["doctor.md"].found.hit.evidence.cosine is None


def test_finding_related_notes_embeds_nothing(tmp_path):
    embedder = WordEmbedder()
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    engine = Engine(write(tmp_path / "vault", CARS), settings, embedder=embedder)
    engine.related("car.md")
    assert (embedder.passages, embedder.queries) == ([], [])
    engine.close()


def test_finding_related_notes_does_not_wait_for_a_busy_model(meaning):
    with ThreadPoolExecutor(1) as pool, meaning.semantic.maintenance.scheduler.model_lock:
        assert pool.submit(meaning.related, "automobile.md").result(10).notes == ()
