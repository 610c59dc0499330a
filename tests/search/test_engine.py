"""The engine: true to files and buffers, whatever happens to them, and never brought down by a query."""

import gc
import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from search.answer.trail import replay
from search.engine import Engine
from search.errors import VaultClosed, VaultError
from search.ids import NoteId
from search.notice import NoticeKind
from search.query import Query
from search.vault import file
from search.vault.markdown import parse_note
from search.vault.snapshot import Vault
from vaults import ask, codes, highlighted, ids, write

A = NoteId("a.md")


def many(n_notes, text="oak"):
    return "".join(f"--- n{n:03}.md\n{text}\n" for n in range(n_notes))


def engine_of(root, vault, **options):
    return Engine(write(root, vault), **options)


class HeldVault:
    """Lets the reading of a vault begin only when a test says so."""

    def __init__(self, engine: Engine, monkeypatch) -> None:
        self.go = threading.Event()
        read = engine._vault.read

        def held(*arguments):
            self.go.wait(20)
            return read(*arguments)

        monkeypatch.setattr(engine._vault, "read", held)


# Cold start


def test_without_patience_the_first_answer_is_partial_and_a_later_one_complete(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200))
    held = HeldVault(engine, monkeypatch)
    partial = engine.search(Query(text="oak"), patience_s=0.0)
    assert (ids(partial), partial.is_complete) == ([], False)
    assert [(notice.kind, notice.code) for notice in partial.notices] == [(NoticeKind.PARTIAL, "still-reading")]
    assert "200 notes" in partial.notices[0].message
    assert (engine.status().n_pending, engine.status().is_complete) == (200, False)
    held.go.set()
    whole = engine.search(Query(text="oak"))
    assert (whole.total, whole.is_complete, codes(whole)) == (200, True, [])
    assert (engine.status().n_pending, engine.status().is_complete) == (0, True)


def test_progress_tells_how_far_reading_has_come(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200))
    held = HeldVault(engine, monkeypatch)
    told = []

    def progress(done, total):
        told.append((done, total))
        held.go.set()

    engine.search(Query(text="oak"), progress=progress)
    assert told[0] == (0, 200)
    assert told[-1] == (200, 200)


def test_few_changed_notes_are_read_before_the_answer_even_without_patience(tmp_path):
    result = engine_of(tmp_path, many(60)).search(Query(text="oak"), patience_s=0.0)
    assert (result.total, result.is_complete) == (60, True)


def test_closing_while_reading_ends_the_reading_and_the_searches_that_wait(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(600))
    held = HeldVault(engine, monkeypatch)
    engine.search(Query(text="oak"), patience_s=0.0)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(engine.search, Query(text="oak"))
        closing = pool.submit(engine.close)
        held.go.set()
        closing.result(20)
        with pytest.raises(VaultError, match="closed"):
            waiting.result(20)
    assert engine.indexer.thread is None
    with pytest.raises(VaultError, match="closed"):
        engine.search(Query(text="oak"))


def test_what_is_found_while_the_engine_is_closed_is_no_answer(tmp_path):
    """Whoever asked may ask another engine; half an answer would be taken for a whole one."""
    engine = engine_of(tmp_path, many(3))
    with pytest.raises(VaultClosed):
        engine.search(Query(text="oak"), progress=lambda _done, _total: engine.close())


def test_closing_twice_or_before_any_search_is_fine(tmp_path):
    engine = engine_of(tmp_path, many(3))
    engine.close()
    engine.close()
    with pytest.raises(VaultError, match="closed"):
        engine.search(Query(text="oak"))


# Many at once


def test_searches_while_reading_and_while_buffers_open_and_close_all_get_an_answer(tmp_path):
    engine = engine_of(tmp_path, many(400, "oak elm"))
    done = threading.Event()

    def edit(n):
        note = NoteId(f"n{n:03}.md")
        for turn in range(30):
            engine.open_buffer(note, f"oak ash {turn}")
            engine.close_buffer(note)

    def search(n):
        while not done.is_set():
            for found in engine.search(Query(text="oak ash"), patience_s=0.0).hits:
                assert found.hit.score == replay(found.hit.trail)
                assert found.hit.evidence.matches

    with ThreadPoolExecutor(6) as pool:
        searches = [pool.submit(search, n) for n in range(3)]
        edits = [pool.submit(edit, n) for n in range(3)]
        for edited in edits:
            edited.result(60)
        done.set()
        for searched in searches:
            searched.result(60)
    assert engine.search(Query(text="oak elm")).total == 400
    assert ask(engine, "ash") == []


def test_a_buffer_opened_while_its_file_is_read_stays(tmp_path, monkeypatch):
    """The file's text arrives after the buffer's and must not replace it, nor count as gone."""
    engine = engine_of(tmp_path, many(200) + "--- a.md\nold\n")
    read = engine._vault.read

    def slow(notes, *rest):
        found = list(read(notes, *rest))
        engine.open_buffer(A, "unsaved")
        return found

    monkeypatch.setattr(engine._vault, "read", slow)
    assert ask(engine, "unsaved") == ["a.md"]
    assert ask(engine, "old") == []
    monkeypatch.undo()
    engine.close_buffer(A)
    assert ask(engine, "old") == ["a.md"]


def test_a_buffer_opened_before_its_file_was_read_is_not_taken_for_gone(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200) + "--- a.md\nold\n")
    held = HeldVault(engine, monkeypatch)
    engine.search(Query(text="oak"), patience_s=0.0)
    engine.open_buffer(A, "unsaved")
    held.go.set()
    assert ask(engine, "unsaved") == ["a.md"]


# Buffers


def test_an_open_buffer_lies_over_its_file_until_it_is_closed(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\non disk")
    assert ask(engine, "disk") == ["a.md"]
    engine.open_buffer(A, "on screen")
    assert (ask(engine, "screen"), ask(engine, "disk")) == (["a.md"], [])
    engine.open_buffer(A, "on paper")
    assert (ask(engine, "paper"), ask(engine, "screen")) == (["a.md"], [])
    engine.close_buffer(A)
    assert (ask(engine, "disk"), ask(engine, "paper")) == (["a.md"], [])


def test_a_buffer_over_nothing_is_a_note_while_it_is_open(tmp_path):
    engine = engine_of(tmp_path, "--- other.md\nx")
    engine.open_buffer(NoteId("new/a.md"), "unsaved")
    assert ask(engine, "unsaved") == ["new/a.md"]
    engine.close_buffer(NoteId("new/a.md"))
    assert ask(engine, "unsaved") == []
    assert engine.status().n_notes == 1


def test_a_buffer_whose_file_is_deleted_stays_until_it_is_closed(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\non disk")
    engine.open_buffer(A, "on screen")
    (tmp_path / "a.md").unlink()
    assert ask(engine, "screen") == ["a.md"]
    engine.close_buffer(A)
    assert ask(engine, "screen") == []


def test_a_buffer_that_is_saved_and_closed_is_found_by_what_was_saved(tmp_path):
    engine = engine_of(tmp_path, "--- other.md\nx")
    engine.open_buffer(A, "saved")
    write(tmp_path, "--- a.md\nsaved")
    engine.close_buffer(A)
    assert ask(engine, "saved") == ["a.md"]


def test_a_buffer_of_a_note_that_is_left_out_is_left_out(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["private/"]}', encoding="utf-8")
    engine = engine_of(tmp_path, "--- private/a.md\nsecret\n--- b.md\nx")
    assert ask(engine, "secret") == []
    engine.open_buffer(NoteId("private/a.md"), "secret")
    assert ask(engine, "secret") == []
    engine.close_buffer(NoteId("private/a.md"))
    assert ask(engine, "secret") == []


def test_closing_what_was_never_open_changes_nothing(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak")
    engine.close_buffer(A)
    engine.close_buffer(NoteId("unknown.md"))
    assert ask(engine, "oak") == ["a.md"]


def test_each_change_makes_a_new_generation_and_a_search_does_not(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak")
    first = engine.search(Query(text="oak")).generation
    assert engine.search(Query(text="elm")).generation == engine.status().generation == first
    engine.open_buffer(A, "elm")
    assert engine.search(Query(text="elm")).generation == engine.status().generation > first


# Vaults that cannot be read


def test_a_vault_that_vanishes_in_use_is_named_and_is_searched_again_when_it_is_back(tmp_path):
    root, away = tmp_path / "vault", tmp_path / "away"
    engine = engine_of(root, "--- a.md\noak", clock=iter(range(0, 100, 2)).__next__)
    assert ask(engine, "oak") == ["a.md"]
    root.rename(away)
    for _ in range(2):
        with pytest.raises(VaultError, match=f"^{root}: no such folder$"):
            ask(engine, "oak")
    assert engine.status().n_notes == 1
    away.rename(root)
    assert ask(engine, "oak") == ["a.md"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing", "no such folder"), ("file.md", "a file, not a folder"), ("file.md/x", "not a folder")],
)
def test_what_is_no_folder_is_no_vault(tmp_path, name, reason):
    write(tmp_path, "--- file.md\nx")
    with pytest.raises(VaultError, match=reason) as caught:
        Engine(tmp_path / name)
    assert caught.value.path == str(tmp_path / name)


def test_a_vault_without_permission_says_so(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with pytest.raises(VaultError, match="no permission"):
        Engine(tmp_path)


def test_a_note_without_permission_is_named_and_the_others_are_found(tmp_path, monkeypatch):
    read = file.read_bytes

    def refuse(path, **options):
        if path.endswith("locked.md"):
            raise PermissionError(13, "Permission denied")
        return read(path, **options)

    monkeypatch.setattr(file, "read_bytes", refuse)
    engine = engine_of(tmp_path, "--- a.md\noak\n--- locked.md\noak")
    assert ask(engine, "oak") == ["a.md"]
    assert list(engine.status().skipped) == ["locked.md"]
    assert engine.explain(Query(text="oak"), NoteId("locked.md")).step == "excluded"


def test_a_note_below_a_folder_that_is_not_searched_is_explained_by_that(tmp_path):
    (tmp_path / "outside/x").mkdir(parents=True)
    (tmp_path / "outside/x/evil.md").write_text("oak")
    engine = engine_of(tmp_path / "vault", "--- a.md\noak")
    (tmp_path / "vault/out").symlink_to(tmp_path / "outside")
    reason = engine.explain(Query(text="oak"), NoteId("out/x/evil.md"))
    assert (reason.step, reason.sentence) == ("excluded", "Its folder out is not searched: a link out of the vault.")
    assert engine.explain(Query(text="oak"), NoteId("in/x/evil.md")).step == "missing"


def test_a_note_deleted_between_ranking_and_showing_is_not_shown(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak\n--- b.md\noak")
    ask(engine, "elm")
    (tmp_path / "b.md").unlink()
    assert ask(engine, "oak") == ["a.md"]


@pytest.mark.parametrize("vault", ["", "--- empty.md\n", "--- blank.md\n\n\n", "--- front.md\n---\n---\n"])
def test_a_vault_without_words_answers_nothing(tmp_path, vault):
    engine = engine_of(tmp_path, vault)
    result = engine.search(Query(text="oak"))
    assert (ids(result), result.total, result.is_complete) == ([], 0, True)


# Queries of every kind


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\0"])
def test_a_blank_query_finds_nothing_and_says_so(tmp_path, text):
    result = engine_of(tmp_path, many(3)).search(Query(text=text))
    assert (ids(result), result.total, codes(result)) == ([], 0, ["empty-query"])


@pytest.mark.parametrize("text", ["-", "!!", '" "', "...", "( ; )"])
def test_a_query_without_a_word_says_so_and_finds_only_what_is_called_that(tmp_path, text):
    engine = engine_of(tmp_path, "--- a.md\n# !!\n--- b.md\noak - elm ...")
    result = engine.search(Query(text=text))
    assert (ids(result), "no-words" in codes(result)) == (["a.md"] if text == "!!" else [], True)
    assert "no-words" not in codes(engine.search(Query(text="-oak"))) + codes(engine.search(Query(text="é § -")))


def test_an_answer_says_of_a_note_it_shows_that_its_encoding_was_guessed(tmp_path):
    engine = engine_of(tmp_path, many(2))
    (tmp_path / "old.md").write_bytes("oak caf\xe9".encode("latin-1"))
    (tmp_path / "elm.md").write_bytes("elm caf\xe9".encode("latin-1"))
    notices = engine.search(Query(text="oak")).notices
    assert [(notice.code, notice.subject) for notice in notices] == [("encoding", "old.md")]


def test_a_blank_query_in_a_folder_lists_it(tmp_path):
    assert ask(engine_of(tmp_path, "--- x/a.md\noak\n--- b.md\nelm"), "", folder="x") == ["x/a.md"]


@pytest.mark.parametrize(
    "text",
    [
        "...",
        "?!",
        '"',
        '"unbalanced',
        "(((((",
        ")" * 1000,
        "(" * 10_000,
        "oak\0elm",
        "oak \ud800 elm",
        "\udfff",
        "\u202eoak",
        "word " * 20_000,
        "w" * 100_000,
        '"' * 100_000,
        "-" * 100_000,
        "a OR " * 20_000,
        "知" * 33_000,
        "tag:" * 1000,
        "/[/",
        "/(?P<x>/",
        "/" * 1000,
        "[a:[b:[c]]]",
        "section:(block:(line:(oak)))",
        "\r\n\x1b[31m",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_any_text_is_answered(tmp_path, text):
    result = engine_of(tmp_path, "--- a.md\noak elm").search(Query(text=text))
    assert result.is_complete
    assert len(result.hits) <= 1


@pytest.mark.parametrize("text", ["oak\0elm", "oak \ud800 elm", '"oak elm', "oak (elm"])
def test_what_surrounds_the_unreadable_is_searched(tmp_path, text):
    assert ask(engine_of(tmp_path, "--- a.md\noak elm\n--- b.md\nash"), text) == ["a.md"]


def test_signs_that_are_no_tokens_find_nothing(tmp_path):
    result = engine_of(tmp_path, many(3)).search(Query(text="..."))
    assert (ids(result), result.total) == ([], 0)


def test_a_catastrophic_regex_ends_with_a_notice(tmp_path):
    """The pattern fits no name; in the one text it would try for years."""
    engine = engine_of(tmp_path, f"--- long.md\n{'a' * 5000}!\n--- tree.md\noak")
    result = engine.search(Query(text="/(a|aa)+$/"))
    assert (ids(result), codes(result)) == ([], ["regex-timeout"])
    assert ask(engine, "oak") == ["tree.md"]


def test_a_query_of_a_filter_alone_lists_the_newest_first_whatever_the_order_of_the_vault(tmp_path):
    engine = engine_of(tmp_path, many(700, "#tree"))
    for n in range(700):
        os.utime(tmp_path / f"n{n:03}.md", (n * 7 % 700, n * 7919 % 700 + 10**9))
    newest = sorted(range(700), key=lambda n: -(n * 7919 % 700))[:100]
    result = engine.search(Query(text="tag:tree", limit=100, candidate_limit=700))
    assert (ids(result), result.total) == ([f"n{n:03}.md" for n in newest], 700)
    assert ask(engine, "tag:tree", limit=5) == [f"n{n:03}.md" for n in newest[:5]]
    assert ask(engine, "tag:tree", limit=5, candidate_limit=10) == [f"n{n:03}.md" for n in newest[:5]]


@pytest.mark.parametrize("limit", [1, 2, 29, 99, 100])
def test_a_short_list_is_the_beginning_of_a_long_one(tmp_path, limit):
    vault = "".join(
        f"--- f{n % 5}/n{n}.md\n{'oak ' * (n % 7 + 1)}{'elm ' * (n % 11)} [[n{n + 1}]]\n" for n in range(150)
    )
    engine = engine_of(tmp_path, vault)
    whole = engine.search(Query(text="oak", limit=100))
    result = engine.search(Query(text="oak", limit=limit))
    assert result.total == whole.total == 150
    assert ids(result)[:30] == ids(whole)[: min(limit, 30)]
    assert len(result.hits) == limit


@pytest.mark.parametrize("limit", [0, 101, 10**9, -1, "3", 2.5])
def test_a_limit_outside_its_range_is_refused(limit):
    with pytest.raises((ValueError, TypeError)):
        Query(text="oak", limit=limit)


def test_salient_terms_are_searched_as_well_and_do_not_filter(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak\n--- b.md\nelm\n--- c.md\nash\n--- d.md\noak elm")
    assert ask(engine, "oak", salient_terms=("elm",)) == ["d.md", "a.md", "b.md"]
    assert ask(engine, "", salient_terms=("elm",)) == ["b.md", "d.md"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"folder": "rare"}, ["rare/z.md"]),
        ({"folder": "/rare/"}, ["rare/z.md"]),
        ({"tags": ("wanted",)}, ["rare/z.md"]),
        ({"tags": ("#Wanted",)}, ["rare/z.md"]),
        ({"limit_to": ("rare/z.md",)}, ["rare/z.md"]),
        ({"limit_to": ("rare/z.md", "gone.md")}, ["rare/z.md"]),
        ({"folder": "rare", "tags": ("wanted",), "limit_to": ("rare/z.md",)}, ["rare/z.md"]),
        ({"folder": "nowhere"}, []),
        ({"tags": ("unknown",)}, []),
    ],
)
def test_scopes_act_before_any_cut(tmp_path, options, found):
    """The one note that is wanted is the worst of sixty by its words."""
    engine = engine_of(tmp_path, f"{many(60, 'oak oak oak')}--- rare/z.md\n{'filler ' * 100} oak #wanted/deep")
    result = engine.search(Query(text="oak", candidate_limit=10, limit=1, **options))
    assert (ids(result), result.total) == (found, len(found))


def test_the_candidate_limit_bounds_what_is_ranked_not_what_is_counted(tmp_path):
    result = engine_of(tmp_path, many(60)).search(Query(text="oak", candidate_limit=10))
    assert (len(result.hits), result.total) == (10, 60)


# Explanations


def explained(engine, query, note, **options):
    reason = engine.explain(Query(text=query, **options), NoteId(note))
    assert reason.note == note
    assert reason.sentence.endswith(".")
    return reason


@pytest.mark.parametrize("query", ["", " \n"])
def test_explain_says_of_an_empty_query_that_it_is_empty(tmp_path, query):
    assert explained(engine_of(tmp_path, "--- a.md\noak"), query, "a.md").sentence == "The query is empty."


def test_explain_says_at_which_step_a_note_fell_out_or_where_it_stands(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["private/"]}', encoding="utf-8")
    best = "".join(f"--- best{n:02}.md\n{'oak ' * 5}elm\n" for n in range(30))
    engine = engine_of(tmp_path, f"{best}--- poor.md\noak {'filler ' * 50}\n--- no.md\nash\n--- private/x.md\noak")

    first = explained(engine, "oak elm", "best00.md")
    assert (first.step, first.rank, first.total) == ("ranked", 1, 31)
    assert first.found.snippets
    beyond = explained(engine, "oak elm", "poor.md", limit=5)
    assert (beyond.step, beyond.rank) == ("limit", 31)
    assert (beyond.found.hit.id, beyond.last_shown.hit.id) == ("poor.md", "best04.md")
    cut = explained(engine, "oak elm", "poor.md", candidate_limit=10)
    assert (cut.step, cut.rank, cut.found) == ("candidates", None, None)
    assert explained(engine, "oak elm", "no.md").step == "grep"
    assert explained(engine, "oak -elm", "best00.md").step == "filter"
    assert explained(engine, "oak", "poor.md", folder="x").step == "filter"
    assert explained(engine, "oak", "private/x.md").step == "excluded"
    assert explained(engine, "oak", "never.md").step == "missing"
    assert explained(engine, "", "poor.md").step == "grep"


def test_a_note_beyond_the_pool_is_told_its_rank_by_words(tmp_path):
    vault = "".join(f"--- n{n:03}.md\n{'oak ' * (200 - n)}\n" for n in range(150))
    reason = explained(engine_of(tmp_path, vault), "oak", "n149.md", limit=5)
    assert reason.step == "limit"
    assert reason.rank > 60
    assert reason.found is None
    assert reason.last_shown is not None


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("x/Oak.md", "x/Oak.md"),
        ("x/Oak", "x/Oak.md"),
        ("oak", "x/Oak.md"),
        ("The tree", "x/Oak.md"),
        ("elm", "elm.markdown"),
        ("nothing", "nothing"),
    ],
)
def test_a_note_is_found_by_its_path_or_name(tmp_path, name, note):
    engine = engine_of(tmp_path, "--- x/Oak.md\n---\naliases: The tree\n---\n--- elm.markdown\nx")
    engine.refresh()
    assert engine.find_note(name) == note


def test_the_garbage_collector_passes_over_what_is_being_read(tmp_path, monkeypatch):
    """Else it goes through all notes again and again, for nothing in them refers to itself."""
    engine = engine_of(tmp_path, many(600))
    frozen = []
    read = Vault.read

    def watched(vault, wanted):
        frozen.append(gc.get_freeze_count())
        return read(vault, wanted)

    monkeypatch.setattr(Vault, "read", watched)
    engine.refresh()
    assert len(frozen) == 3
    assert frozen[0] == 0 < frozen[1] < frozen[2]
    for thread in threading.enumerate():
        if thread.name == "vault-reader":
            thread.join()
    assert gc.get_freeze_count() == 0


def test_the_status_of_a_vault_before_and_after_reading(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak elm\n--- b.md\n---\ntags: [x\n---\n")
    before = engine.status()
    assert (before.n_notes, before.is_complete, before.generation) == (0, False, 0)
    engine.refresh()
    after = engine.status()
    assert (after.root, after.n_notes, after.n_pending, after.is_complete) == (str(tmp_path), 2, 0, True)
    assert [notice.subject for notice in after.notices] == ["b.md"]
    assert after.n_words >= 2
    engine.hint([A])
    assert engine.status().is_complete


def test_every_step_of_the_work_is_timed(tmp_path):
    timings = engine_of(tmp_path, "--- a.md\noak").search(Query(text="oak")).timings_ms
    assert list(timings) == [
        "read",
        "filter",
        "grep",
        "lexical",
        "fuse",
        "rerank",
        "name",
        "folder",
        "graph",
        "dates",
        "title",
        "pin",
        "normalize",
        "explain",
    ]
    assert all(ms >= 0 for ms in timings.values())


def test_a_note_that_the_parser_cannot_take_costs_no_other_note(tmp_path, monkeypatch):
    def broken(note_id, text, **more):
        if note_id == "bad.md":
            raise RecursionError
        return parse_note(note_id, text, **more)

    monkeypatch.setattr("search.vault.file.parse_note", broken)
    write(tmp_path, "--- bad.md\nthe oak\n--- good.md\n# Oak\nthe oak")
    answer = Engine(tmp_path).search(Query(text="oak"))
    assert sorted(ids(answer)) == ["bad.md", "good.md"]
    assert ("degraded", "unparsed", "bad.md") in [(n.kind, n.code, n.subject) for n in answer.notices]


def test_a_folder_without_notes_is_named(tmp_path):
    assert codes(Engine(tmp_path).search(Query(text="oak"))) == ["empty-vault"]


def test_a_shown_note_that_changed_within_the_second_is_answered_anew(tmp_path):
    """The sweep is a second apart; what is about to be shown is looked at all the same."""
    write(tmp_path, "--- a.md\nthe oak\n--- b.md\nthe oak")
    engine = Engine(tmp_path, clock=lambda: 0.0)
    assert sorted(ids(engine.search(Query(text="oak")))) == ["a.md", "b.md"]
    (tmp_path / "a.md").rename(tmp_path / "c.md")
    (tmp_path / "b.md").write_text("an elm", encoding="utf-8")
    assert ids(engine.search(Query(text="oak"))) == ["c.md"]


# Names


GARDEN = """
--- plants/orchid.md
---
aliases: [Phalaenopsis]
---
# Orchid
--- wild orchid.md
text
--- list.md
orchid, fern #plant
"""


def test_names_are_told_before_anything_is_looked_at(tmp_path, monkeypatch):
    """What is known by then is told, and a score is the replay of its trail here too."""
    engine = engine_of(tmp_path, GARDEN)
    assert engine.by_name(Query(text="orchid")) is None
    engine.refresh()
    monkeypatch.setattr(engine._vault, "sweep", None)
    answer = engine.by_name(Query(text="orchid"))
    assert ids(answer) == ["plants/orchid.md", "wild orchid.md"]
    assert (answer.is_complete, answer.total, answer.terms) == (False, 2, ("orchid",))
    assert [hit.hit.score for hit in answer.hits] == [replay(hit.hit.trail) for hit in answer.hits]
    assert [hit.sentence for hit in answer.hits] == ['Name is exactly "Orchid".', '"orchid" in the title.']
    (alias,) = engine.by_name(Query(text="phal")).hits
    assert (alias.title, alias.sentence) == ("Orchid", 'A word that begins with "phal" in the title.')


@pytest.mark.parametrize("query", [{"text": "orchid -fern"}, {"text": "orchid", "folder": "plants"}, {"text": "ohd"}])
def test_where_names_are_no_beginning_of_the_answer_they_say_nothing(tmp_path, query):
    engine = engine_of(tmp_path, GARDEN)
    engine.refresh()
    assert engine.by_name(Query(**query)) is None


def test_symbols_are_found_without_a_search_before(tmp_path):
    engine = engine_of(tmp_path, GARDEN)
    engine.prepare_symbols()
    assert [symbol.name for symbol in engine.symbols("orchid")] == ["Orchid", "wild orchid"]


def test_the_first_symbols_are_those_of_the_first_sweep_however_long_it_takes(tmp_path, monkeypatch):
    engine, sweep, begun, go = engine_of(tmp_path, GARDEN), Vault.sweep, threading.Event(), threading.Event()

    def held(vault, budget):
        begun.set()
        assert go.wait(20)
        return sweep(vault, budget)

    monkeypatch.setattr(Vault, "sweep", held)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(engine.symbols, "orchid")
        assert begun.wait(20)
        assert not asked.done()
        go.set()
        assert [symbol.name for symbol in asked.result(20)] == ["Orchid", "wild orchid"]


def test_a_first_sweep_that_takes_for_ever_is_not_waited_for(tmp_path, monkeypatch):
    engine, sweep, go = engine_of(tmp_path, GARDEN), Vault.sweep, threading.Event()
    monkeypatch.setattr(Vault, "sweep", lambda vault, budget: sweep(vault, budget) if go.wait(20) else None)
    monkeypatch.setattr("search.engine.FIRST_SWEEP_S", 0.01)
    assert engine.symbols("orchid") == ()
    go.set()
    engine.refresh()
    assert engine.symbols("orchid")


def test_notes_that_are_still_to_be_read_are_symbols_by_their_files_names(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200) + "--- deep/Oak tree.md\n# Quercus\n")
    os.utime(tmp_path / "n007.md", (0, 2e9))
    held = HeldVault(engine, monkeypatch)
    assert len(engine.symbols("n0")) == 100
    assert engine.symbols("")[0].note == "n007.md"
    (tree,) = engine.symbols("tree")
    assert (tree.note, tree.title, tree.name, tree.line) == ("deep/Oak tree.md", "Oak tree", "Oak tree", 0)
    assert engine.symbols("quercus") == ()
    held.go.set()
    engine.refresh()
    assert [symbol.title for symbol in engine.symbols("tree")] == ["Quercus"]
    assert len(engine.symbols("n0")) == 100


def test_symbols_of_a_vault_that_is_gone_are_those_that_were_known(tmp_path):
    engine = engine_of(tmp_path / "vault", GARDEN, clock=iter(range(0, 1000, 10)).__next__)
    engine.refresh()
    shutil.rmtree(tmp_path / "vault")
    assert [symbol.name for symbol in engine.symbols("wild")] == ["wild orchid"]


def test_an_excerpt_shows_a_word_at_the_end_of_a_line_of_a_million_characters(tmp_path):
    engine = engine_of(tmp_path, f"--- giant.md\n{'word ' * 200_000}walnut\n--- oak.md\noak\n")
    assert highlighted(engine.search(Query(text="walnut")), "giant.md") == ["walnut"]
