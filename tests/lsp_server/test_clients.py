"""What real clients do and what breaks other servers: a table of cases, each with the tests that hold it.

`TELLING` are the issues that users of such servers met, `PITFALLS` what the framework and clients do unasked. A test
checks that each test named here exists; those that stand nowhere else follow below.
"""

import os
import re
import threading
import unicodedata
from pathlib import Path

import pytest

from lsp_server.wire.types import COMMAND_CLEAR, COMMAND_COLLECT, COMMAND_REBUILD, COMMAND_UPDATE
from lsp_server.wire.uris import to_uri
from lsp_server.workers import N_THREADS

TELLING = {
    "VS Code filters symbols by name": ["test_symbols_are_found_by_names_and_not_by_text"],
    "VS Code lists headings itself": ["test_vs_code_lists_headings_itself"],
    "pickers drop symbols by kind": ["test_symbols_are_notes_and_headings"],
    "symbols block a palette": [
        "test_symbols_are_given_while_the_vault_is_read",
        "test_no_more_than_200_symbols_are_given",
        "test_the_first_symbols_are_those_of_the_first_sweep_however_long_it_takes",
        "test_a_first_sweep_that_takes_for_ever_is_not_waited_for",
        "test_notes_that_are_still_to_be_read_are_symbols_by_their_files_names",
        "test_names_are_found",
        "test_who_waits_for_the_whole_vault_holds_up_nobody_else_and_can_be_stopped",
        "test_a_sweep_that_takes_long_holds_nothing_up",
    ],
    "work starves the reader of cancellations": ["test_requests_are_read_while_every_thread_works"],
    "notes made outside stay unknown": [
        "test_a_note_made_outside_is_found_without_any_event",
        "test_an_event_told_twice_is_one",
    ],
    "the disk overwrites unsaved text": ["test_an_open_text_stays_the_editor_s_until_it_is_closed"],
    "bulk changes and ignored folders": [
        "test_words_of_changed_files_are_collected_into_one_hint",
        "test_events_of_what_is_passed_over_change_nothing",
        "test_a_folder_that_is_renamed_or_deleted_is_seen_at_once",
    ],
    "columns": [
        "test_columns_are_in_the_agreed_encoding",
        "test_columns_are_counted_as_agreed_and_next_to_a_link_is_on_it",
        "test_positions_of_any_client_are_no_error",
    ],
    "drive letters and Unicode forms": [
        "test_a_windows_uri_names_its_path_in_every_spelling",
        "test_drive_letters_of_either_case_give_one_uri",
        "test_a_windows_path_comes_back_from_its_uri",
        "test_a_vault_is_the_same_however_it_is_named",
        "test_either_form_of_a_name_is_the_same_note",
    ],
    "empty, untitled and virtual URIs, the home folder": [
        "test_a_folder_that_is_no_file_is_passed_over",
        "test_home_and_the_root_are_not_searched",
        "test_what_is_no_note_has_no_hover",
        "test_without_a_folder_the_answer_says_so",
        "test_the_vault_around_a_folder_is_the_nearest_that_it_is_a_part_of",
    ],
    "command ids collide": ["test_commands_are_ours_by_name_and_the_same_for_all_folders"],
    "several roots become the first one": [
        "test_several_folders_are_vaults_of_their_own",
        "test_folders_come_and_go",
        "test_a_folder_inside_a_vault_stands_for_the_vault",
        "test_a_link_leads_into_its_own_vault",
        "test_a_note_belongs_to_the_innermost_folder_unless_told_otherwise",
    ],
    "hovers load, freeze and pop up": [
        "test_a_client_cannot_be_made_to_load_or_run_anything",
        "test_a_hover_is_never_too_long",
        "test_of_a_long_text_the_begin_says_what_it_is_about",
        "test_each_kind_can_be_turned_off",
        "test_a_client_of_plain_text_gets_plain_text",
    ],
}

PITFALLS = {
    "thread handlers share the reader's pool": ["test_work_runs_in_threads_of_our_own"],
    "a cancelled thread goes on": [
        "test_a_cancelled_search_stops_working",
        "test_a_search_that_runs_is_stopped_by_a_newer_one",
    ],
    "ill-typed parameters get no answer": [
        "test_malformed_parameters_are_answered_with_their_field",
        "test_other_requests_with_malformed_parameters_are_answered_too",
        "test_a_place_that_does_not_fit_is_refused_with_what_is_allowed",
        "test_what_does_not_fit_into_a_standard_request_is_named",
        "test_a_selection_that_cannot_be_one_is_refused",
        "test_a_request_whose_method_is_no_string_is_answered_by_its_id",
        "test_parameters_in_a_list_are_answered",
        "test_half_a_character_anywhere_is_answered_once_and_no_fault_of_ours",
        "test_a_message_that_is_no_utf_8_is_answered_without_id_once",
    ],
    "untyped parameters lose keys": [
        "test_keys_that_are_no_identifiers_reach_us_as_they_are",
        "test_a_nested_key_jsonrpc_is_only_a_key",
    ],
    "lines end at U+2028": ["test_edits_agree_with_edits_of_one_string", "test_what_is_on_the_screen_counts"],
    "a position past the end": ["test_an_edit_gives_the_editor_s_text", "test_positions_of_any_client_are_no_error"],
    "the disk is read as strict UTF-8": [
        "test_the_reader_takes_every_file",
        "test_the_reader_takes_a_file_that_is_gone_or_a_dangling_link",
        "test_a_byte_order_mark_is_no_column",
    ],
    "an edit of a big note": ["test_an_edit_of_a_big_note_touches_only_its_line"],
    "progress tokens grow for ever": ["test_progress_begins_reports_each_percent_once_and_ends"],
    "answers carry tracebacks": [
        "test_errors_are_one_sentence_without_traceback_or_path",
        "test_a_notification_that_fails_never_reaches_the_user",
        "test_warnings_and_errors_reach_the_editor_s_log_in_one_line_once",
    ],
    "commands count their arguments": ["test_what_does_not_fit_is_named", "test_a_command_needs_no_arguments"],
    "leaving while a thread works": [
        "test_the_client_s_leaving_stops_what_runs",
        "test_a_client_that_leaves_in_the_middle_leaves_nothing_behind",
        "test_each_tcp_connection_is_a_session_of_its_own",
    ],
    "starting takes seconds": ["test_initialize_imports_nothing_that_an_answer_does_not_need"],
    "context variables and deferred annotations": ["test_nothing_relies_on_what_a_thread_does_not_have"],
    "registering fails": [
        "test_a_client_that_fails_at_registering_loses_nothing",
        "test_a_client_that_can_do_nothing_is_asked_nothing",
    ],
}

ROOT = Path(__file__).parents[2]


def test_each_case_has_its_tests():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    names = set(re.findall(r"def (test_\w+)", written))
    assert len(TELLING) == 14
    assert len(PITFALLS) >= 14
    assert {name for cases in (TELLING, PITFALLS) for tests in cases.values() for name in tests} <= names


def test_nothing_relies_on_what_a_thread_does_not_have():
    """The framework keeps the request's id in a context variable, and reads annotations when a handler is added."""
    for path in (ROOT / "lsp_server").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "from __future__ import annotations" not in text
        assert "protocol.msg_id" not in text


NOTES = """
--- plants/orchid.md
# Orchid
bark
--- watering.md
rain
"""


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


def file_events(reader, *paths):
    changes = [{"uri": to_uri(path), "type": 2} for path in paths]
    reader.notify("workspace/didChangeWatchedFiles", {"changes": changes})


async def found(reader, query):
    answer = await reader.result("vaultseek/search", {"query": query})
    return [item["id"] for item in answer["results"]]


def let_a_second_pass(reader):
    reader.engines[0]._reading._swept_at -= 1.1


@pytest.mark.asyncio
async def test_symbols_are_found_by_names_and_not_by_text(reader, root):
    await reader.read(root, NOTES)
    assert await reader.result("workspace/symbol", {"query": "bark"}) == []
    assert [item["name"] for item in await reader.result("workspace/symbol", {"query": "orcd"})] == ["Orchid"]


@pytest.mark.asyncio
async def test_requests_are_read_while_every_thread_works(ready):
    """Cancelling, the status and shutting down need no thread that a search or a hover could hold."""
    release = threading.Event()
    for workers, n_threads in ((ready.server.search_workers, N_THREADS), (ready.server.hover_workers, 2)):
        for _ in range(n_threads):
            workers.submit(lambda: release.wait(20))
    waiting = ready.ask("vaultseek/search", {"query": "orchid"})
    assert (await ready.result("vaultseek/status"))["vaults"]
    ready.cancel(ready.last_id - 1)
    assert (await waiting)["error"]["code"] == -32800
    assert await ready.result("shutdown") is None
    release.set()


@pytest.mark.asyncio
async def test_a_note_made_outside_is_found_without_any_event(reader, root):
    await reader.read(root, NOTES)
    (root / "new.md").write_text("zebra")
    let_a_second_pass(reader)
    assert await found(reader, "zebra") == ["new.md"]
    (root / "new.md").unlink()
    assert await found(reader, "zebra") == []


@pytest.mark.asyncio
async def test_an_event_told_twice_is_one(reader, root):
    await reader.read(root, NOTES)
    (root / "new.md").write_text("zebra")
    file_events(reader, root / "new.md", root / "new.md")
    assert await found(reader, "zebra") == ["new.md"]


@pytest.mark.asyncio
async def test_an_open_text_stays_the_editor_s_until_it_is_closed(reader, root):
    """What the disk says meanwhile counts only afterwards; an unsaved text is forgotten then."""
    await reader.read(root, NOTES)
    uri = to_uri(root / "watering.md")
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "unsaved"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    (root / "watering.md").write_text("outside")
    file_events(reader, root / "watering.md")
    let_a_second_pass(reader)
    assert (await found(reader, "unsaved"), await found(reader, "outside")) == (["watering.md"], [])
    reader.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert (await found(reader, "unsaved"), await found(reader, "outside")) == ([], ["watering.md"])


@pytest.mark.asyncio
async def test_events_of_what_is_passed_over_change_nothing(reader, root):
    await reader.read(root, NOTES)
    names = [".obsidian/x.md", ".trash/x.md", ".#orchid.md", "x.md~", "node.txt", "gone.md"]
    for name in names[:5]:
        (root / name).parent.mkdir(exist_ok=True)
        if name.startswith(".#"):
            (root / name).symlink_to("user@host.1051")
        else:
            (root / name).write_text("zebra")
    file_events(reader, *(root / name for name in names))
    assert await found(reader, "zebra") == []
    assert (await reader.result("vaultseek/status"))["vaults"][0]["notes"] == 2


@pytest.mark.asyncio
async def test_a_folder_that_is_renamed_or_deleted_is_seen_at_once(reader, root):
    await reader.read(root, NOTES)
    (root / "plants").rename(root / "flora")
    files = [{"oldUri": to_uri(root / "plants"), "newUri": to_uri(root / "flora")}]
    reader.notify("workspace/didRenameFiles", {"files": files})
    assert await found(reader, "bark") == ["flora/orchid.md"]
    (root / "flora/orchid.md").unlink()
    (root / "flora").rmdir()
    reader.notify("workspace/didDeleteFiles", {"files": [{"uri": to_uri(root / "flora")}]})
    assert await found(reader, "bark") == []


@pytest.mark.asyncio
@pytest.mark.parametrize("place", [(0, 10**6), (10**6, 0), (2**31 - 1, 2**31 - 1), (1, 3)])
async def test_positions_of_any_client_are_no_error(reader, root, place):
    """Some clients count code points or bytes although nobody agreed on that."""
    await reader.read(root, "--- a.md\n[[b]]\n😀 [[b]]\n--- b.md\nx\n")
    for method in ("textDocument/hover", "textDocument/definition", "textDocument/references"):
        params = reader.at(root / "a.md", *place, context={"includeDeclaration": True})
        assert "error" not in await reader.ask(method, params)


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_either_form_of_a_name_is_the_same_note(reader, root, form):
    """Some clients compose the names that they send, some do not."""
    name = unicodedata.normalize("NFD", "Übung.md")
    await reader.read(root, f"--- {name}\nzebra\n")
    sent = to_uri(root / unicodedata.normalize(form, name))
    item = {"uri": sent, "languageId": "markdown", "version": 1, "text": "screen"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    assert (await found(reader, "screen"), await found(reader, "zebra")) == ([name], [])
    for query in ("Übung", unicodedata.normalize("NFD", "Übung"), "ubung"):
        assert await found(reader, query) == [name]


@pytest.mark.asyncio
async def test_commands_are_ours_by_name_and_the_same_for_all_folders(client, vault, tmp_path):
    """An editor's own commands for people have other names; one server serves all folders, so none is added twice."""
    (tmp_path / "other").mkdir()
    answer = await client.initialize(vault, tmp_path / "other")
    commands = answer["capabilities"]["executeCommandProvider"]["commands"]
    assert sorted(commands) == sorted([COMMAND_CLEAR, COMMAND_COLLECT, COMMAND_REBUILD, COMMAND_UPDATE])
    assert all(command.startswith("vaultseek.") and command.endswith(("Index", "Garbage")) for command in commands)


@pytest.mark.asyncio
async def test_a_command_needs_no_arguments(ready):
    assert (await ready.result("workspace/executeCommand", {"command": COMMAND_UPDATE}))["command"] == COMMAND_UPDATE


@pytest.mark.asyncio
async def test_parameters_in_a_list_are_answered(ready):
    """vscode-languageclient sends `[params, null]` where it is handed an undefined token."""
    error = await ready.error("vaultseek/search", [{"query": "orchid"}, None])
    assert (error["code"], error["data"]["field"]) == (-32602, "params")


@pytest.mark.asyncio
async def test_a_link_leads_into_its_own_vault(reader, root, tmp_path):
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    (other / "watering.md").write_text("elsewhere")
    (other / "here.md").write_text("[[watering]] [[orchid]]")
    await reader.read(root, NOTES)
    added = [{"uri": to_uri(other), "name": "other"}]
    reader.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    await reader.result("vaultseek/search", {"query": "x", "vault": to_uri(other)})
    (place,) = await reader.result("textDocument/definition", reader.at(other / "here.md", 0, 3))
    assert place["uri"] == to_uri(other / "watering.md")
    assert await reader.result("textDocument/definition", reader.at(other / "here.md", 0, 15)) is None


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["with space", "dollar $x$", "50 % of #1", "日記", "a+b&c=d;e", "[x](y)"])
async def test_any_name_comes_back_as_a_uri_that_opens_its_file(reader, root, name):
    await reader.read(root, f"--- {name}.md\nzebra\n")
    (item,) = (await reader.result("vaultseek/search", {"query": "zebra"}))["results"]
    assert item["uri"] == to_uri(root / f"{name}.md")
    reader.notify("textDocument/didOpen", {"textDocument": {**item_of(item["uri"], "screen")}})
    assert await found(reader, "screen") == [f"{name}.md"]


def item_of(uri, text):
    return {"uri": uri, "languageId": "markdown", "version": 1, "text": text}


@pytest.mark.asyncio
@pytest.mark.skipif(os.name == "nt", reason="names are bytes on Unix only")
async def test_a_note_that_is_not_utf_8_is_hovered_like_any_other(reader, root):
    await reader.read(root, NOTES)
    (root / "latin.md").write_bytes("caf\u00e9 [[watering]]".encode("latin-1"))
    let_a_second_pass(reader)
    await found(reader, "x")
    answer = await reader.result("textDocument/hover", reader.at(root / "latin.md", 0, 8))
    assert "watering" in answer["contents"]["value"]
