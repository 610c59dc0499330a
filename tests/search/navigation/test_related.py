"""Related notes, by words, meaning, links, citations, tags and folders."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.attachments import pdf

from embedders import WordEmbedder
from search.answer.trail import Fused, replay
from search.engine import Engine
from search.navigation import distinctive as distinct
from search.navigation import subject
from search.query import Linked, Mode
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
    assert found["plants/vanda.md"].found.sentence == 'Shares #epiphyte and #plant; shares "bark" and "charcoal".'
    assert {note: item.is_linked for note, item in found.items()} == {
        "plants/vanda.md": False,
        "index.md": True,
        "watering.md": True,
        "feeding.md": False,
        "plants/oak.md": False,
    }
    assert found["watering.md"].found.sentence.startswith("It is linked from here")
    assert found["index.md"].found.sentence.startswith("It links here")
    assert '"Index" links to both' in found["feeding.md"].found.sentence
    assert (answer.total, answer.is_complete, answer.notices) == (5, True, ())


def test_each_score_is_the_replay_of_its_trail_and_the_evidence_is_listed(tmp_path):
    answer = engine_of(tmp_path).related("plants/orchid.md")
    for item in answer.notes:
        hit = item.found.hit
        assert hit.score == replay(hit.trail) > 0.0
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
    assert '"diary" links to both' in feeding["roses.md"]
    assert "fertilizer" in feeding["feeding.md"]
    assert not any("linked from here" in text for text in feeding.values())
    assert "linked from here" in substrate["watering.md"]
    assert "links here" in substrate["quote.md"]
    assert "index.md" not in substrate
    assert not any("link" in text for text in sentences(lines=(9, 10)).values())


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


SIBLINGS = (
    "--- a.md\n# Mirror\nA mirror: rain, zebra, quartz.\n"
    "--- b.md\n# Beta\nA mirror of zebra.\n--- c.md\n# Gamma\nA mirror of quartz.\n"
    "--- d.md\n# Delta\nA mirror of rain.\n"
    + "".join(f"--- other {number}.md\n# Other {number}\nText {number}.\n" for number in range(20))
)


def test_reason_begins_with_what_tells_a_note_from_its_siblings(tmp_path):
    """The word that all of them share, although it counts most, comes after the one that only one of them shares."""
    found = rows(engine_of(tmp_path, SIBLINGS).related("a.md"))
    assert {note: item.found.sentence for note, item in found.items()} == {
        "b.md": 'Shares "zebra" and "mirror".',
        "c.md": 'Shares "quartz" and "mirror".',
        "d.md": 'Shares "rain" and "mirror".',
    }


@pytest.mark.parametrize(
    ("note", "message"),
    [("nowhere.md", "There is no note nowhere.md."), (".trash/x.md", "There is no note .trash/x.md.")],
)
def test_an_unknown_note_is_reported_and_has_no_related_notes(tmp_path, note, message):
    answer = engine_of(tmp_path).related(note)
    assert (answer.notes, [notice.message for notice in answer.notices]) == ((), [message])


@pytest.mark.parametrize("linked", Linked)
def test_notes_that_are_linked_already_are_included_put_last_or_left_out(tmp_path, linked):
    engine = engine_of(tmp_path)
    answer, all_ = engine.related("plants/orchid.md", linked=linked), engine.related("plants/orchid.md")
    order = [(item.found.hit.id, item.is_linked) for item in answer.notes]
    known = [(item.found.hit.id, item.is_linked) for item in all_.notes]
    expected = {
        Linked.INCLUDE: known,
        Linked.LAST: sorted(known, key=lambda item: item[1]),
        Linked.EXCLUDE: [item for item in known if not item[1]],
    }
    assert order == expected[linked]
    assert answer.total == len(expected[linked])
    assert [item.found.hit.id for item in engine.related("plants/orchid.md", linked=linked, limit=2).notes] == [
        note for note, _ in expected[linked][:2]
    ]


SCARCE = {
    "words of names": "".join(f"--- n{n}.release.md\n---\ntitle: Release {n}\n---\n" for n in range(14)).replace(
        "n0.release.md", "n0.md"
    ),
    "a word of every note": "".join(f"--- n{n}.md\ncommon own{n}\n" for n in range(14)),
    "a word each": "--- n0.md\n"
    + " ".join(f"pair{n}" for n in range(12))
    + "\n"
    + "".join(f"--- n{n + 1}.md\npair{n} own{n}\n" for n in range(12)),
    "a folder": "".join(f"--- in/n{n}.md\nown{n}\n" for n in range(12))
    + "".join(f"--- other/o{n}.md\nfar{n}\n" for n in range(60)),
    "a tag": "".join(f"--- n{n}.md\n#same own{n}\n" for n in range(14)),
    "a word that many texts share, next to rare ones": "".join(
        f"--- n{n}.md\ncommon own{n} rare{n // 3}\n" for n in range(20)
    ),
}


@pytest.mark.parametrize("vault", SCARCE.values(), ids=SCARCE)
def test_ten_notes_are_related_wherever_ten_have_anything_in_common(tmp_path, vault):
    engine = engine_of(tmp_path, vault)
    answer = engine.related("in/n0.md" if "in/n0.md" in vault else "n0.md")
    assert len(answer.notes) == 10
    for item in answer.notes:
        assert item.found.hit.score == replay(item.found.hit.trail) > 0.0


def test_nothing_in_common_is_not_related(tmp_path):
    engine = engine_of(tmp_path, "".join(f"--- n{n}.md\nown{n} and the\n" for n in range(14)))
    assert engine.related("n0.md").notes == ()


# Reasons


def sentence_of(root, vault, note, other):
    return rows(engine_of(root, vault).related(note))[other].found.sentence


FILLER = "".join(f"--- fill/{n}/f.md\n# Filler {n}\nfiller{n}\n" for n in range(30))


def test_the_notes_in_between_are_named_and_the_one_with_the_fewest_links_first(tmp_path):
    vault = FILLER + (
        "--- a.md\n[[bridge]]\n--- b.md\nb\n--- c.md\nc\n--- bridge.md\n# The Bridge\n[[c]]\n"
        "--- long.md\n# A long list\n[[a]] [[b]] [[bridge]]\n--- short.md\n# Short list\n[[a]] [[b]]\n"
    )
    found = rows(engine_of(tmp_path, vault).related("a.md"))
    assert found["b.md"].found.sentence == '"Short list" and 1 more link to both.'
    assert found["c.md"].found.sentence == 'Linked from "The Bridge", which is linked here.'


def test_a_table_of_contents_is_no_reason(tmp_path):
    links = " ".join(f"[[fill/{n}/f]]" for n in range(30))
    vault = FILLER + f"--- a.md\nzebra\n--- b.md\nzebra\n--- toc.md\n# Contents\n[[a]] [[b]] {links}\n"
    assert sentence_of(tmp_path, vault, "a.md", "b.md") == 'Shares "zebra".'


def test_two_forms_of_a_word_are_named_once_and_the_rarest_words_first(tmp_path):
    vault = FILLER + (
        "--- a.md\nfilters filtering filter queries zebra\n--- b.md\nfilters filtering filter queries zebra\n"
        "--- c.md\nfilter queries\n"
    )
    sentence = sentence_of(tmp_path, vault, "a.md", "b.md")
    assert sentence.count("filter") == 1
    assert all(word in sentence for word in ("zebra", "queries"))


UNREAD = [
    "![[lucide-send.svg]]",
    "![icon](assets/lucide-send.svg)",
    "[site](https://lucide.example/lucide-send)",
    "https://lucide.example/lucide-send",
    '<img class="lucide-send" src="lucide-send.svg">',
    "lucide-send.svg",
    "please itself 3px",
]


@pytest.mark.parametrize("text", UNREAD)
def test_what_no_reader_sees_and_words_without_a_meaning_are_no_reason(tmp_path, text):
    vault = FILLER + f"--- a.md\nzebra {text}\n--- b.md\nzebra {text}\n"
    assert sentence_of(tmp_path, vault, "a.md", "b.md") in {'Shares "zebra".', 'Shares "site" and "zebra".'}


@pytest.mark.parametrize(("n_others", "is_named"), [(2, False), (6, False), (40, True)])
def test_only_a_folder_of_at_most_a_quarter_of_the_vault_is_a_reason(tmp_path, n_others, is_named):
    others = "".join(f"--- o{n}.md\nfar{n}\n" for n in range(n_others))
    vault = "--- in/a.md\nzebra\n--- in/b.md\nzebra\n--- in/c.md\nx\n" + others
    sentence = sentence_of(tmp_path, vault, "in/a.md", "in/b.md")
    assert ("both are in in/" in sentence) == is_named


def test_the_words_of_a_title_that_the_text_mentions_relate(tmp_path):
    """The note that is named comes before one that only has the same words in its text."""
    vault = FILLER + (
        "--- a.md\nOn the shutter motor and its gears.\n--- motor.md\n# Shutter motor\nIt stalls.\n"
        "--- list.md\n# Parts\nshutter, motor\n"
    )
    answer = engine_of(tmp_path, vault).related("a.md")
    assert [item.found.hit.id for item in answer.notes][:2] == ["motor.md", "list.md"]
    assert answer.notes[0].found.sentence == 'Its title has "motor" and "shutter".'
    step = next(
        step for step in answer.notes[0].found.hit.trail if isinstance(step, Fused) and step.source == "mentions"
    )
    numbers = step.arithmetic.numbers
    assert step.amount == pytest.approx(0.18 * numbers["idf_title"] / (numbers["idf_title"] + 4.0))


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

    monkeypatch.setattr(subject, "pieces_of", pieces_of)
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
    monkeypatch.setattr(subject, "count_words", lambda pieces: seen.append(pieces) or distinct.count_words(pieces))
    assert "plants/vanda.md" in rows(engine.related("long.md"))
    assert "taxes.md" not in rows(engine.related("long.md"))
    assert "taxes.md" in rows(engine.related("long.md", heading="Late"))
    assert max(len("".join(pieces)) for pieces in seen if isinstance(pieces, list)) <= 50_000


def test_the_number_of_cached_texts_is_limited(tmp_path, analysed, monkeypatch):
    monkeypatch.setattr(subject, "_N_TEXTS", 2)
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
        "Similar in meaning.",
        True,
    )
    assert meaning.related("automobile.md", mode=Mode.KEYWORD).notes == ()


def test_the_section_that_is_alike_is_named(meaning):
    assert rows(meaning.related("doctor.md"))["car.md"].found.sentence == 'Like its section "Insurance".'
    assert rows(meaning.related("car.md"))["doctor.md"].found.sentence == 'Like "Insurance" here.'


def test_a_heading_that_many_notes_have_is_not_named(tmp_path):
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    notes = "".join(f"--- n{n}.md\n# Note {n}\n## Summary\nfiller{n}\n" for n in range(8))
    vault = (
        notes
        + "--- a.md\nautomobile\n"
        + "".join(
            f"--- {name}.md\n# {name}\n\n{'flour ' * 25}\n\n## {heading}\n{'car ' * 25}\n"
            for name, heading in (("b", "Summary"), ("c", "[[x|Car]]"))
        )
    )
    engine = Engine(write(tmp_path / "vault", vault), settings, embedder=WordEmbedder())
    engine.maintenance().update()
    found = rows(engine.related("a.md"))
    assert found["b.md"].found.sentence == "Similar in meaning."
    assert found["c.md"].found.sentence == 'Like its section "Car".'
    engine.close()


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


def test_an_excerpt_of_a_related_pdf_names_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._EXTRACTION_S", 60.0)
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "epiphytes.pdf").write_bytes(pdf("contents", "epiphytes hang in a basket of charcoal and bark"))
    engine = engine_of(tmp_path / "v")
    engine.refresh()
    (found,) = (item.found for item in engine.related("plants/vanda.md").notes if item.found.hit.id == "epiphytes.pdf")
    assert [(snippet.fragment, snippet.page) for snippet in found.snippets] == [("page=2", 2)]
    engine.close()
