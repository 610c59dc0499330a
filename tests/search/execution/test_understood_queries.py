"""Whole searches with query understanding: dates, pins, acronyms, intents, and a reranker."""

import os
from datetime import UTC, datetime

import pytest
from attrs import define, evolve, field

from expansion.lexicon import lexicon
from expansion.tables import TomlTable
from expansion.understanding import Understanding
from search.answer.trail import Scaled, replay
from search.budget import Budget, Cancelled
from search.engine import Engine
from search.errors import ProviderError
from search.ids import NoteId
from search.matching.expansions import Acronyms
from search.notice import Notice, NoticeKind
from search.query import Mode, Query
from search.ranking.presets import balanced
from search.settings import Settings
from search.stages.kind import Kind
from vaults import ask, codes, ids, write

NOW = datetime(2024, 1, 10, 12, tzinfo=UTC).timestamp()
LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC).timestamp()


def engine_of(root, vault, *, files=(), stages=None, times=None, reranker=None, understand=None, **parts):
    write(root, vault)
    for path in root.rglob("*.md"):
        stamp = (times or {}).get(path.relative_to(root).as_posix(), LONG_AGO)
        os.utime(path, (stamp, stamp))
    ranking = balanced() if stages is None else evolve(balanced(), stages=stages)
    understand = understand or Understanding(lexicon(files), zone=UTC)
    settings = Settings(pipeline=evolve(ranking, **parts))
    return Engine(root, settings, understand=understand, reranker=reranker, now=lambda: NOW)


def sentences(engine, query):
    return {found.hit.id: found.sentence for found in engine.search(Query(text=query)).hits}


DIARY = """--- Journal/2024-01-09.md
we stood up
--- Journal/2024-01-05.md
piano lesson
--- Journal/2023-01-05.md
skiing
--- Week plan.md
the last week of the project is the hardest week
--- Piano.md
January 5th was the first lesson; yesterday the last
--- Old.md
nothing
"""


@pytest.fixture
def diary(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "daily-notes.json").write_text('{"folder": "Journal"}')
    changed = datetime(2024, 1, 6, 9, tzinfo=UTC).timestamp()
    return engine_of(tmp_path, DIARY, times={"Old.md": changed})


@pytest.mark.parametrize("word", ["yesterday", "Gestern", "ayer", "yesterday?"])
@pytest.mark.parametrize("preset", ["", "intent-hybrid"])
def test_a_word_for_a_day_finds_the_notes_of_the_day_and_then_those_with_the_word(tmp_path, word, preset):
    vault = f"--- 2024-01-09.md\nrain\n--- Poem.md\nAll of {word.strip('?')} is gone\n--- Other.md\nsun\n"
    assert ask(engine_of(tmp_path, vault), word, preset=preset) == ["2024-01-09.md", "Poem.md"]


def test_a_query_for_only_a_day_finds_only_its_daily_note(diary):
    assert ask(diary, "gestern") == ["Journal/2024-01-09.md"]
    assert ask(diary, "what did I do yesterday?") == ["Journal/2024-01-09.md"]
    assert sentences(diary, "gestern") == {"Journal/2024-01-09.md": "Daily note of 2024-01-09 (gestern)."}


def test_explain_says_that_a_note_is_not_of_the_date_in_the_query(diary):
    reason = diary.explain(Query(text="gestern"), NoteId("Piano.md"))
    assert (reason.step, reason.sentence) == ("dates", "It is not of the time that the query names.")
    assert diary.explain(Query(text="gestern"), NoteId("Journal/2024-01-09.md")).step == "ranked"


def test_a_time_span_finds_all_its_notes_newest_first(diary):
    assert ask(diary, "last week") == ["Old.md", "Journal/2024-01-05.md"]
    assert ask(diary, "letzte Woche") == ["Old.md", "Journal/2024-01-05.md"]


def test_a_calendar_date_puts_its_notes_first_and_also_finds_its_words(diary):
    found = ask(diary, "January 5th")
    assert found[:3] == ["Journal/2024-01-05.md", "Journal/2023-01-05.md", "Piano.md"]
    assert ask(diary, "2024-01")[:3] == ["Journal/2024-01-09.md", "Old.md", "Journal/2024-01-05.md"]
    assert ask(diary, "2024-01-05")[0] == "Journal/2024-01-05.md"


def test_a_date_next_to_words_boosts_its_notes_and_drops_none(diary):
    found = ask(diary, "piano last week")
    assert set(found) >= {"Piano.md", "Journal/2024-01-05.md", "Week plan.md"}
    answer = diary.search(Query(text="piano last week"))
    (lesson,) = [one for one in answer.hits if one.hit.id == "Journal/2024-01-05.md"]
    assert lesson.sentence == 'Daily note of 2024-01-05 (last week); "piano" in the text.'
    assert any(isinstance(step, Scaled) and step.by == "dates" for step in lesson.hit.trail)


def test_an_unknown_tag_is_not_corrected_like_a_misspelt_word(tmp_path):
    engine = engine_of(tmp_path, "--- Dome.md\nthe dome\n--- a.md\nnote, note, a dome\n--- b.md\nnote\n")
    answer = engine.search(Query(text="dome #nope"))
    assert [found.hit.id for found in answer.hits] == ["Dome.md", "a.md"]
    assert [notice.code for notice in answer.notices] == ["unknown-tag"]


def test_words_for_a_date_count_less_than_the_subject(tmp_path):
    named = "--- 2024-01-09.md\nthe garden\n--- Yesterday songs.md\nyesterday, yesterday\n--- Plan.md\nthe garden\n"
    engine = engine_of(tmp_path, named + "".join(f"--- n{n}.md\nfence and gate\n" for n in range(20)))
    assert ask(engine, "garden yesterday")[0] == "2024-01-09.md"
    assert ask(engine, "yesterday songs")[0] == "Yesterday songs.md"
    assert ask(engine, 'garden "yesterday"') == ["Yesterday songs.md"]


@pytest.mark.parametrize("query", ["may", "march", "week", "last", "project"])
def test_an_ordinary_word_is_not_a_date(diary, query):
    plain = Engine(diary._vault.root)
    assert ask(diary, query) == ask(plain, query)


def test_a_filter_also_applies_to_notes_of_a_date(diary):
    assert ask(diary, "yesterday", folder="Elsewhere") == []
    assert ask(diary, "folder:Journal last week") == ["Journal/2024-01-05.md"]
    assert "Journal/2024-01-05.md" not in ask(diary, "January 5th", folder="Elsewhere")


EXCLUDED = [
    ("oak -#net", ["Oak.md", "lan/Note.md"]),
    ("oak -(#net)", ["Oak.md", "lan/Note.md"]),
    ("oak -[[Big router]]", ["Oak.md", "lan/Note.md"]),
    ("oak -[[the box]]", ["Oak.md", "lan/Note.md"]),
    ("oak -[[Note|n]]", ["Big router.md", "Oak.md"]),
    ("oak -[[nowhere]]", ["Big router.md", "Oak.md", "lan/Note.md"]),
]


@pytest.mark.parametrize(("query", "expected"), EXCLUDED)
def test_a_link_or_tag_after_a_minus_excludes_its_notes_and_not_those_that_mention_it(tmp_path, query, expected):
    vault = """--- Big router.md
---
aliases: [the box]
tags: [net/lan]
---
oak
--- Oak.md
the net, the Big router and [[the box]]
--- lan/Note.md
oak
"""
    assert sorted(ask(engine_of(tmp_path, vault), query)) == expected


def test_without_query_understanding_a_word_for_a_day_is_a_plain_word(tmp_path):
    plain = Engine(write(tmp_path, DIARY))
    assert ask(plain, "yesterday") == ["Piano.md"]


def test_all_notes_of_a_long_time_span_are_counted_and_the_newest_are_shown(tmp_path):
    vault = "".join(f"--- n{at:03}.md\nx\n" for at in range(300))
    times = {f"n{at:03}.md": NOW - 86400 * (100 + at % 100) - at for at in range(300)}
    answer = engine_of(tmp_path, vault, times=times).search(Query(text="last year", limit=3))
    assert answer.total == sum(1 for stamp in times.values() if datetime.fromtimestamp(stamp, UTC).year == 2023)
    newest = sorted(times, key=lambda name: (-datetime.fromtimestamp(times[name], UTC).toordinal(), name))
    assert ids(answer) == newest[:3]


def test_due_dates_are_compared(tmp_path):
    vault = "--- a.md\n---\ndue: 2024-01-05\n---\ntask\n--- b.md\n---\ndue: 2024-02-01\n---\ntask\n--- c.md\ntask"
    engine = engine_of(tmp_path, vault)
    assert ask(engine, "[due:>2024-01-05]") == ["b.md"]
    assert ask(engine, "[due:<2024-02]") == ["a.md"]
    assert ask(engine, "task -[due:>2024-01-05]") == ["a.md", "c.md"]


HOUSE = """--- Router.md
---
aliases: [the box]
---
hold reset
--- Manual.md
Router router router reset reset reset, the box
--- lan/Cable.md
---
tags: [net/lan]
---
cables
--- lan/Switch.md
#net switches, reset
"""


def test_a_link_in_a_query_pins_the_note(tmp_path):
    engine = engine_of(tmp_path, HOUSE)
    assert ask(engine, "reset [[lan/Cable]]")[0] == "lan/Cable.md"
    assert ask(engine, "reset [[the box]]")[0] == "Router.md"
    assert sentences(engine, "reset [[lan/Cable]]")["lan/Cable.md"].startswith("Named by [[lan/Cable]]")


def test_a_tag_in_a_query_pins_its_notes_best_first(tmp_path):
    engine = engine_of(tmp_path, HOUSE)
    assert ask(engine, "#net reset")[:2] == ["lan/Switch.md", "lan/Cable.md"]
    assert "Manual.md" in ask(engine, "#net reset"), "the others stay"
    assert sentences(engine, "#net reset")["lan/Switch.md"].startswith("Tagged #net")


def test_a_pinned_note_is_still_filtered(tmp_path):
    assert "Router.md" not in ask(engine_of(tmp_path, HOUSE), "[[Router]] reset", folder="lan")


FUSION = """--- Fusion.md
Scores are fused by Reciprocal Rank Fusion (RRF).
--- Long form.md
A reciprocal rank makes the fusion.
--- Short form.md
We tuned RRF today.
--- Ranks.md
Rank upon rank upon rank, fusion of atoms.
"""


def test_an_acronym_finds_its_expansion_in_the_vault_below_the_acronym_itself(tmp_path):
    engine = engine_of(tmp_path, FUSION, acronyms=Acronyms())
    assert ask(engine, "RRF") == ["Fusion.md", "Short form.md", "Long form.md"]
    told = sentences(engine, "RRF")["Long form.md"]
    assert told.lower() == "rrf: reciprocal rank fusion in the text."
    assert ask(engine, "reciprocal rank fusion")[-1] == "Short form.md"


def test_a_pipeline_without_acronyms_finds_only_the_typed_words(tmp_path):
    assert ask(engine_of(tmp_path, FUSION), "RRF") == ["Short form.md", "Fusion.md"]


def test_an_acronym_from_your_own_word_list_finds_its_expansion(tmp_path):
    own = TomlTable("own", {"acronyms": {"ZZ": ["reciprocal rank"]}})
    engine = engine_of(tmp_path, FUSION, acronyms=Acronyms(), files=[own])
    assert set(ask(engine, "ZZ")) == {"Fusion.md", "Long form.md"}


DOCS = """--- notes/Postgres.md
why postgres was chosen, and why not mysql: a decision in the team, decision by decision
--- adr/0001.md
postgres, a decision, and why
--- misc/Shopping.md
milk
"""


def test_an_intent_boosts_notes_of_its_kinds(tmp_path):
    stages = (Kind(),)
    engine = engine_of(tmp_path, DOCS, stages=stages)
    answer = engine.search(Query(text="why the decision for postgres"))
    (found,) = [one.hit for one in answer.hits if one.hit.id == "adr/0001.md"]
    assert Scaled("kind", 1.3, "a note of kind decision, for find_decision (why, decision)") in found.trail
    assert replay(found.trail) == found.score
    assert not [
        step for one in engine.search(Query(text="postgres")).hits for step in one.hit.trail if "kind" in str(step)
    ]


def test_notices_of_query_understanding_are_part_of_the_answer(tmp_path):
    told = Notice(NoticeKind.DEGRADED, "words-unusable", "x")
    engine = engine_of(tmp_path, DOCS, understand=Understanding(lexicon(), notices=(told,)))
    assert codes(engine.search(Query(text="milk"))) == ["words-unusable"]


@define
class Judge:
    """A reranker that prefers passages with one word; may fail."""

    likes: str = "elm"
    fails: BaseException | None = None
    asked: list = field(factory=list)
    model: str = "judge"

    def rerank(self, query, passages, *, budget):
        """1 for each passage with the word, else 0."""
        budget.check()
        self.asked.append((query, passages))
        if self.fails:
            raise self.fails
        return tuple(float(self.likes in passage) for passage in passages)


TREES = """--- a.md
oak oak oak
--- b.md
# Title of b
oak and an oak
## Part
elm and oak
--- c.md
one oak in a long text about something else entirely
"""


def test_a_reranker_reorders_the_best_notes(tmp_path):
    judge = Judge()
    engine = engine_of(tmp_path, TREES, reranker=judge)
    steps = []
    answer = engine.search(Query(text="oak"), on_answer=steps.append)
    assert ids(answer)[0] == "b.md"
    assert [ids(step)[0] for step in steps] == ["a.md"], "the first answer does not wait for it"
    query, passages = judge.asked[0]
    assert query == "oak"
    assert passages[0].startswith("a\noak")
    assert "reranker" in answer.timings_ms
    assert not answer.notices
    engine.search(Query(text="oak"))
    assert len(judge.asked) == 1


def test_a_failing_reranker_changes_no_order_and_gives_a_notice(tmp_path):
    plain = ask(engine_of(tmp_path, TREES), "oak")
    engine = engine_of(tmp_path, TREES, reranker=Judge(fails=ProviderError("judge", "is asleep", is_retriable=True)))
    answer = engine.search(Query(text="oak"))
    assert ids(answer) == plain
    assert codes(answer) == ["rerank-failed"]


def test_an_exact_title_ranks_first_whatever_the_reranker_says(tmp_path):
    assert ask(engine_of(tmp_path, TREES, reranker=Judge()), "a")[0] == "a.md"


@pytest.mark.parametrize("query", ["", "tag:none", "yesterday", "xyzzy"])
def test_the_reranker_is_not_called_without_notes_to_reorder(tmp_path, query):
    judge = Judge()
    engine_of(tmp_path, TREES, reranker=judge).search(Query(text=query))
    assert not judge.asked


def test_a_pipeline_without_rerank_does_not_call_the_reranker(tmp_path):
    judge = Judge()
    engine_of(tmp_path, TREES, reranker=judge, stages=()).search(Query(text="oak"))
    assert not judge.asked


def test_explain_includes_the_reranker(tmp_path):
    engine = engine_of(tmp_path, TREES, reranker=Judge())
    reason = engine.explain(Query(text="oak"), NoteId("b.md"))
    assert reason.rank == 1
    assert any("reranker" in str(step) for step in reason.found.hit.trail)


def test_a_cancelled_search_does_not_call_the_reranker(tmp_path):
    engine = engine_of(tmp_path, TREES, reranker=Judge())
    engine.search(Query(text="oak"))
    with pytest.raises(Cancelled):
        engine.search(Query(text="elm oak"), budget=Budget(is_cancelled=lambda: True))


COPY = """--- Roof.md
Tasks for the roof, due soon.
--- Garden.md
Tasks of this week for the garden.
--- 2024-01-09.md
Tasks due for the bike.
--- Edited.md
Tasks that were due.
"""


@pytest.mark.parametrize("mode", [Mode.KEYWORD, None])
@pytest.mark.parametrize(
    "query", ["tasks due this week", "tasks this month", "tasks from the last 7 days", "this week"]
)
def test_after_a_copy_the_dates_of_files_are_no_reason(tmp_path, query, mode):
    times = {name: NOW - minutes * 60 for minutes, name in enumerate(["Roof.md", "Garden.md", "2024-01-09.md"])}
    engine = engine_of(tmp_path, COPY, times=times)
    result = engine.search(Query(text=query, mode=mode))
    assert "2024-01-09.md" in ids(result)
    assert not [found.sentence for found in result.hits if "changed on" in found.sentence.lower()]
    assert codes(result).count("copied-files") == 1
    assert not any("changed on" in str(engine.explain(Query(text=query, mode=mode), note)) for note in ids(result))


@pytest.mark.parametrize(
    ("query", "days"),
    [("yesterday", "2024-01-09"), ("last month", "2023-12-01 to 2023-12-31"), ("vorgestern", "2024-01-08")],
)
def test_a_query_that_is_only_a_date_without_notes_says_which_days_were_looked_for(tmp_path, query, days):
    engine = engine_of(
        tmp_path, "--- Roof.md\nWe mend the roof. Wir decken das Dach.\n", times={"Roof.md": NOW - 400 * 86400}
    )
    result = engine.search(Query(text=query))
    assert (ids(result), codes(result)) == ([], ["no-dated-note"])
    assert result.notices[0].message == f"No note is dated {days}. For the words themselves, use quotes."
    assert "no-dated-note" not in codes(engine.search(Query(text=f"{query} roof")))


def test_a_note_edited_after_the_copy_has_its_own_date(tmp_path):
    copied = NOW - 40 * 86400
    times = {"Roof.md": copied, "Garden.md": copied, "2024-01-09.md": copied, "Edited.md": NOW - 60}
    result = engine_of(tmp_path, COPY, times=times).search(Query(text="tasks due today"))
    assert sentences(engine_of(tmp_path, COPY, times=times), "tasks due today")["Edited.md"].startswith("Changed on")
    assert "copied-files" not in codes(result)
