"""Known problems of language servers and clients: a table of cases, each with the tests that cover it.

`REPORTED` lists problems that users of other servers reported, `PITFALLS` what pygls and clients do by themselves. A
test checks that every test named here exists. Cases that no other file covers have their tests below.
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

REPORTED = {
    "VS Code filters symbols by name": ["test_symbols_match_names_but_not_text"],
    "VS Code lists headings itself": ["test_vs_code_lists_headings_itself"],
    "pickers drop symbols by kind": ["test_symbols_are_notes_and_headings"],
    "symbols block a palette": [
        "test_symbols_do_not_wait_for_the_vault_s_lock",
        "test_no_more_than_200_symbols_are_given",
        "test_the_first_symbols_wait_for_the_first_sweep",
        "test_a_first_sweep_that_hangs_is_not_waited_for",
        "test_unread_notes_are_symbols_by_file_name",
        "test_symbols_of_known_notes_are_found_while_reading",
        "test_requests_that_wait_for_the_whole_vault_block_no_others_and_can_be_cancelled",
        "test_a_slow_sweep_blocks_no_request",
    ],
    "work starves the reader of cancellations": ["test_requests_are_read_while_every_thread_is_busy"],
    "notes created outside the editor stay unknown": [
        "test_a_note_created_outside_the_editor_is_found_without_a_notification",
        "test_a_repeated_file_event_is_harmless",
    ],
    "the disk overwrites unsaved text": ["test_an_open_text_replaces_the_file_until_it_is_closed"],
    "bulk changes and ignored folders": [
        "test_notifications_about_changed_files_become_one_hint",
        "test_events_for_ignored_files_change_nothing",
        "test_a_renamed_or_deleted_folder_is_noticed_at_once",
    ],
    "columns": [
        "test_columns_are_in_the_agreed_encoding",
        "test_columns_use_the_agreed_encoding_and_the_end_of_a_link_belongs_to_it",
        "test_positions_outside_the_text_are_no_error",
    ],
    "drive letters and Unicode forms": [
        "test_a_windows_uri_names_its_path_in_every_spelling",
        "test_drive_letters_of_either_case_give_the_same_uri",
        "test_a_windows_path_survives_a_round_trip_through_its_uri",
        "test_a_newer_search_replaces_an_older_one_however_the_vault_is_named",
        "test_both_unicode_forms_of_a_name_are_the_same_note",
    ],
    "empty, untitled and virtual URIs, the home folder": [
        "test_a_folder_uri_without_a_file_path_is_ignored",
        "test_the_home_folder_and_the_file_system_root_are_not_searched",
        "test_a_uri_of_no_note_has_no_hover",
        "test_without_a_folder_the_answer_says_so",
        "test_the_vault_around_a_folder_is_the_nearest_one_that_contains_it",
    ],
    "command ids collide": ["test_commands_have_the_vaultseek_prefix_and_are_registered_once"],
    "several roots become the first one": [
        "test_several_folders_are_separate_vaults",
        "test_folders_can_be_added_and_removed",
        "test_a_folder_inside_a_vault_stands_for_the_vault",
        "test_a_link_resolves_within_its_own_vault",
        "test_a_note_belongs_to_the_innermost_vault_unless_one_is_named",
    ],
    "hovers load, freeze and pop up": [
        "test_an_excerpt_cannot_make_a_client_load_or_run_anything",
        "test_a_hover_is_never_too_long",
        "test_only_the_beginning_of_a_long_text_is_analysed",
        "test_each_kind_can_be_turned_off",
        "test_a_client_that_supports_only_plain_text_gets_plain_text",
    ],
}

PITFALLS = {
    "thread handlers share the reader's pool": ["test_work_runs_in_the_server_s_own_threads"],
    "a cancelled thread goes on": [
        "test_a_cancelled_search_stops_working",
        "test_a_running_search_is_stopped_by_a_newer_one",
    ],
    "ill-typed parameters get no answer": [
        "test_malformed_parameters_are_answered_with_their_field",
        "test_other_requests_with_malformed_parameters_are_answered_too",
        "test_an_invalid_position_is_refused_with_the_allowed_values",
        "test_an_invalid_field_of_a_standard_request_is_named",
        "test_an_invalid_selection_is_refused",
        "test_a_request_whose_method_is_not_a_string_is_answered_with_its_id",
        "test_parameters_in_a_list_are_refused_with_the_field",
        "test_a_lone_surrogate_anywhere_is_answered_once_without_an_internal_error",
        "test_a_message_that_is_not_utf_8_is_answered_once_without_an_id",
    ],
    "untyped parameters lose keys": [
        "test_keys_that_are_not_identifiers_are_kept_as_they_are",
        "test_a_nested_key_jsonrpc_is_just_a_key",
    ],
    "lines end at U+2028": [
        "test_edits_agree_with_edits_of_a_single_string",
        "test_a_hover_uses_the_text_on_the_screen",
    ],
    "a position past the end": [
        "test_an_edit_results_in_the_editor_s_text",
        "test_positions_outside_the_text_are_no_error",
    ],
    "the disk is read as strict UTF-8": [
        "test_every_note_can_be_read_for_columns",
        "test_what_is_no_note_of_the_vault_has_no_lines",
        "test_a_byte_order_mark_takes_no_column",
    ],
    "an edit of a big note": ["test_an_edit_of_a_big_note_touches_only_its_line"],
    "the table of progress tokens keeps growing": ["test_progress_begins_and_reports_each_percent_once_and_ends"],
    "answers carry tracebacks": [
        "test_errors_are_one_sentence_without_traceback_or_path",
        "test_a_notification_that_fails_never_reaches_the_user",
        "test_warnings_and_errors_reach_the_editor_s_log_once_in_one_line",
    ],
    "commands count their arguments": [
        "test_an_invalid_argument_of_a_command_is_named",
        "test_a_command_needs_no_arguments",
    ],
    "leaving while a thread works": [
        "test_a_client_that_disconnects_stops_running_requests",
        "test_a_client_that_leaves_in_the_middle_leaves_nothing_behind",
        "test_each_tcp_connection_has_its_own_session",
    ],
    "starting takes seconds": ["test_initialize_imports_only_what_its_answer_needs"],
    "context variables and deferred annotations": [
        "test_no_handler_relies_on_context_variables_or_deferred_annotations"
    ],
    "registering fails": [
        "test_a_failed_registration_of_watchers_is_ignored",
        "test_a_client_without_capabilities_gets_no_requests",
    ],
}

ROOT = Path(__file__).parents[2]


def test_each_named_test_exists():
    written = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    names = set(re.findall(r"def (test_\w+)", written))
    assert len(REPORTED) == 14
    assert len(PITFALLS) >= 14
    assert {name for cases in (REPORTED, PITFALLS) for tests in cases.values() for name in tests} <= names


def test_no_handler_relies_on_context_variables_or_deferred_annotations():
    """With pygls, the request's id is in a context variable, and annotations are read when handlers are registered."""
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
    reader.engines[0].indexer._swept_at -= 1.1


@pytest.mark.asyncio
async def test_symbols_match_names_but_not_text(reader, root):
    await reader.read(root, NOTES)
    assert await reader.result("workspace/symbol", {"query": "bark"}) == []
    assert [item["name"] for item in await reader.result("workspace/symbol", {"query": "orcd"})] == ["Orchid"]


@pytest.mark.asyncio
async def test_requests_are_read_while_every_thread_is_busy(ready):
    """Cancelling, the status and shutdown need no thread that a search or a hover could occupy."""
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
async def test_a_note_created_outside_the_editor_is_found_without_a_notification(reader, root):
    await reader.read(root, NOTES)
    (root / "new.md").write_text("zebra")
    let_a_second_pass(reader)
    assert await found(reader, "zebra") == ["new.md"]
    (root / "new.md").unlink()
    assert await found(reader, "zebra") == []


@pytest.mark.asyncio
async def test_a_repeated_file_event_is_harmless(reader, root):
    await reader.read(root, NOTES)
    (root / "new.md").write_text("zebra")
    file_events(reader, root / "new.md", root / "new.md")
    assert await found(reader, "zebra") == ["new.md"]


@pytest.mark.asyncio
async def test_an_open_text_replaces_the_file_until_it_is_closed(reader, root):
    """A change of the file counts only after the text is closed; an unsaved text is forgotten then."""
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
async def test_events_for_ignored_files_change_nothing(reader, root):
    await reader.read(root, NOTES)
    names = [".obsidian/x.md", ".trash/x.md", ".#orchid.md", "x.md~", "node.png", "gone.md"]
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
async def test_a_renamed_or_deleted_folder_is_noticed_at_once(reader, root):
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
async def test_positions_outside_the_text_are_no_error(reader, root, place):
    """Some clients count code points or bytes without having agreed on that."""
    await reader.read(root, "--- a.md\n[[b]]\n😀 [[b]]\n--- b.md\nx\n")
    for method in ("textDocument/hover", "textDocument/definition", "textDocument/references"):
        params = reader.at(root / "a.md", *place, context={"includeDeclaration": True})
        assert "error" not in await reader.ask(method, params)


@pytest.mark.asyncio
@pytest.mark.parametrize("form", ["NFC", "NFD"])
async def test_both_unicode_forms_of_a_name_are_the_same_note(reader, root, form):
    """Some clients send names in NFC, some in NFD."""
    name = unicodedata.normalize("NFD", "Übung.md")
    await reader.read(root, f"--- {name}\nzebra\n")
    sent = to_uri(root / unicodedata.normalize(form, name))
    item = {"uri": sent, "languageId": "markdown", "version": 1, "text": "screen"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    assert (await found(reader, "screen"), await found(reader, "zebra")) == ([name], [])
    for query in ("Übung", unicodedata.normalize("NFD", "Übung"), "ubung"):
        assert await found(reader, query) == [name]


@pytest.mark.asyncio
async def test_commands_have_the_vaultseek_prefix_and_are_registered_once(client, vault, tmp_path):
    """Clients use other names for their own commands; one server serves all folders, so no command is added twice."""
    (tmp_path / "other").mkdir()
    answer = await client.initialize(vault, tmp_path / "other")
    commands = answer["capabilities"]["executeCommandProvider"]["commands"]
    assert sorted(commands) == sorted([COMMAND_CLEAR, COMMAND_COLLECT, COMMAND_REBUILD, COMMAND_UPDATE])
    assert all(command.startswith("vaultseek.") and command.endswith(("Index", "Garbage")) for command in commands)


@pytest.mark.asyncio
async def test_a_command_needs_no_arguments(ready):
    assert (await ready.result("workspace/executeCommand", {"command": COMMAND_UPDATE}))["command"] == COMMAND_UPDATE


@pytest.mark.asyncio
async def test_parameters_in_a_list_are_refused_with_the_field(ready):
    """vscode-languageclient sends `[params, null]` if its caller passes an undefined token."""
    error = await ready.error("vaultseek/search", [{"query": "orchid"}, None])
    assert (error["code"], error["data"]["field"]) == (-32602, "params")


@pytest.mark.asyncio
async def test_a_link_resolves_within_its_own_vault(reader, root, tmp_path):
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
async def test_the_uri_of_any_file_name_opens_that_file(reader, root, name):
    await reader.read(root, f"--- {name}.md\nzebra\n")
    (item,) = (await reader.result("vaultseek/search", {"query": "zebra"}))["results"]
    assert item["uri"] == to_uri(root / f"{name}.md")
    reader.notify("textDocument/didOpen", {"textDocument": {**item_of(item["uri"], "screen")}})
    assert await found(reader, "screen") == [f"{name}.md"]


def item_of(uri, text):
    return {"uri": uri, "languageId": "markdown", "version": 1, "text": text}


@pytest.mark.asyncio
@pytest.mark.skipif(os.name == "nt", reason="names are bytes on Unix only")
async def test_a_note_that_is_not_utf_8_has_a_hover(reader, root):
    await reader.read(root, NOTES)
    (root / "latin.md").write_bytes("caf\u00e9 [[watering]]".encode("latin-1"))
    let_a_second_pass(reader)
    await found(reader, "x")
    answer = await reader.result("textDocument/hover", reader.at(root / "latin.md", 0, 8))
    assert "watering" in answer["contents"]["value"]
