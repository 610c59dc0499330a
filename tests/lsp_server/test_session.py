"""Open folders, open texts and settings of one client."""

import asyncio
from pathlib import Path

import pytest
from lsprotocol.types import TextDocumentItem

from lsp_server.features.files import GLOB
from lsp_server.session import N_HINTS, Session
from lsp_server.wire.uris import to_uri
from search.query import Query
from tests.lsp_server.conftest import ScriptedEngine

pytestmark = pytest.mark.asyncio


SEARCH, STATUS = "vaultseek/search", "vaultseek/status"


async def test_without_a_folder_the_answer_says_so(client):
    await client.initialize()
    answer = await client.result(SEARCH, {"query": "orchid"})
    assert (answer["results"], answer["total"], answer["complete"]) == ([], 0, True)
    assert "vault" not in answer
    assert [notice["code"] for notice in answer["notices"]] == ["no-vault"]
    assert (await client.result(STATUS))["message"].startswith("No folder is open")


@pytest.mark.parametrize("uri", ["vscode-vfs://github/o/r", "untitled:Untitled-1", ""])
async def test_a_folder_uri_without_a_file_path_is_ignored(client, uri):
    await client.initialize(workspaceFolders=[{"uri": uri, "name": "x"}])
    assert (await client.result(STATUS))["vaults"] == []
    assert (await client.result(SEARCH, {"query": "orchid"}))["total"] == 0


@pytest.mark.parametrize(
    "params",
    [
        lambda root: {"rootUri": to_uri(root)},
        lambda root: {"rootUri": to_uri(root), "workspaceFolders": None},
        lambda root: {"rootUri": to_uri(root), "workspaceFolders": []},
        lambda root: {"rootPath": str(root)},
    ],
)
async def test_a_client_that_sends_only_a_root_gets_its_vault(client, vault, params):
    await client.initialize(**params(vault))
    assert (await client.result(SEARCH, {"query": "orchid"}))["vault"] == to_uri(vault)


@pytest.mark.parametrize("params", [{"rootPath": "relative"}, {"rootPath": ""}, {"rootUri": ""}])
async def test_an_invalid_root_is_ignored(client, params):
    await client.initialize(**params)
    assert (await client.result(STATUS))["vaults"] == []


async def test_the_home_folder_and_the_file_system_root_are_not_searched(client, tmp_path, monkeypatch):
    home = tmp_path / "home" / "me"
    home.mkdir(parents=True)
    (home / "todo.md").touch()
    monkeypatch.setenv("HOME", str(home))
    await client.initialize(Path("/"), home, home.parent)
    status = await client.result(STATUS)
    assert {v["state"] for v in status["vaults"]} == {"refused"}
    assert all("home folder" in v["reason"] for v in status["vaults"])
    answer = await client.result(SEARCH, {"query": "todo"})
    assert [notice["subject"] for notice in answer["notices"]] == [v["uri"] for v in status["vaults"]]
    assert not client.engines


async def test_several_folders_are_separate_vaults(client, vault, tmp_path):
    second = tmp_path / "second"
    (second / ".obsidian").mkdir(parents=True)
    await client.initialize(vault, second)
    error = await client.error(SEARCH, {"query": "orchid"})
    assert error["data"]["field"] == "params.vault"
    spelled = to_uri(second).replace("second", "%73econd/.")
    assert (await client.result(SEARCH, {"query": "orchid", "vault": spelled}))["vault"] == to_uri(second)
    assert [engine.root for engine in client.engines] == [second]


async def test_the_only_searchable_folder_need_not_be_named(client, vault, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    await client.initialize(project, vault)
    assert (await client.result(SEARCH, {"query": "orchid"}))["vault"] == to_uri(vault)
    answer = await client.result(SEARCH, {"query": "orchid", "vault": to_uri(project)})
    assert [notice["code"] for notice in answer["notices"]] == ["no-vault"]


async def test_a_folder_inside_a_vault_stands_for_the_vault(client, vault):
    """Its notes link to the whole vault, so the whole vault is searched; the folder's own URI still names it."""
    await client.initialize(vault / "plants")
    for named in ({}, {"vault": to_uri(vault / "plants")}, {"vault": to_uri(vault)}):
        assert (await client.result(SEARCH, {"query": "orchid", **named}))["vault"] == to_uri(vault)
    assert [engine.root for engine in client.engines] == [vault]
    assert [v["uri"] for v in (await client.result(STATUS, {"vault": to_uri(vault / "plants")}))["vaults"]] == [
        to_uri(vault)
    ]


async def test_several_folders_of_one_vault_are_one_vault_until_the_last_is_closed(client, vault):
    (vault / "tools").mkdir()
    folders = [{"uri": to_uri(vault / name), "name": name} for name in ("plants", "tools")]
    await client.initialize(workspaceFolders=folders)
    assert (await client.result(SEARCH, {"query": "orchid"}))["vault"] == to_uri(vault)
    for gone, n_vaults in zip(folders, (1, 0), strict=True):
        event = {"added": [], "removed": [gone]}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert len((await client.result(STATUS))["vaults"]) == n_vaults
    assert len(client.engines) == 1


async def test_a_folder_that_the_user_named_is_a_vault_by_itself(client, vault):
    await client.initialize(vault / "plants", initializationOptions={"vaults": [f"{vault}/x/../plants/"]})
    assert (await client.result(SEARCH, {"query": "orchid"}))["vault"] == to_uri(vault / "plants")


async def test_folders_can_be_added_and_removed(ready, vault, tmp_path):
    await ready.result(SEARCH, {"query": "orchid"})
    second = tmp_path / "second"
    (second / ".obsidian").mkdir(parents=True)
    event = {"added": [{"uri": to_uri(second), "name": "s"}], "removed": [{"uri": to_uri(vault), "name": "v"}]}
    ready.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert (await ready.result(SEARCH, {"query": "orchid"}))["vault"] == to_uri(second)
    await ready.settle()
    assert [engine.is_closed for engine in ready.engines] == [True, False]


async def test_a_vault_whose_folder_is_moved_away_and_back_is_searched_again(ready, vault):
    await ready.result(SEARCH, {"query": "orchid"})
    moved = vault.rename(vault.with_name("moved"))
    answer = await ready.result(SEARCH, {"query": "orchid"})
    assert answer["notices"][0]["message"] == "The folder is not searched: the folder does not exist."
    moved.rename(vault)
    assert (await ready.result(SEARCH, {"query": "orchid"}))["total"] == 1


def item(path, text, version=1):
    return {"uri": to_uri(path), "languageId": "markdown", "version": version, "text": text}


async def test_open_texts_reach_the_engine_before_a_request_and_only_if_they_changed(ready, vault, tmp_path):
    note = vault / "plants/orchid.md"
    ready.notify("textDocument/didOpen", {"textDocument": item(note, "on screen")})
    ready.notify("textDocument/didOpen", {"textDocument": item(vault / "data.png", "no note")})
    ready.notify("textDocument/didOpen", {"textDocument": item(tmp_path / "outside.md", "no note of this vault")})
    ready.notify("textDocument/didOpen", {"textDocument": {**item(note, "draft"), "uri": "untitled:Untitled-1"}})
    await ready.result(SEARCH, {"query": "orchid"})
    await ready.result(SEARCH, {"query": "orchid"})
    edit = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}}, "text": "off"}
    change = {"textDocument": {"uri": to_uri(note), "version": 2}, "contentChanges": [edit]}
    ready.notify("textDocument/didChange", change)
    await ready.result(SEARCH, {"query": "orchid"})
    ready.notify("textDocument/didClose", {"textDocument": {"uri": to_uri(note)}})
    await ready.result("vaultseek/explain", {"query": "orchid", "note": "a.md"})
    assert ready.engines[0].received == [
        ("open", "plants/orchid.md", "on screen"),
        ("open", "plants/orchid.md", "off screen"),
        ("close", "plants/orchid.md"),
        ("hint", "plants/orchid.md"),
    ]


async def test_notifications_about_changed_files_become_one_hint(ready, vault):
    uri = {name: to_uri(vault / name) for name in ("a.md", "b.md", "c.md", "d.md", "x.png")}
    twice = [{"uri": uri["a.md"], "type": 1}, {"uri": uri["a.md"], "type": 1}, {"uri": uri["x.png"], "type": 2}]
    ready.notify("workspace/didChangeWatchedFiles", {"changes": twice})
    ready.notify("workspace/didCreateFiles", {"files": [{"uri": uri["b.md"]}, {"uri": "untitled:x"}]})
    ready.notify("workspace/didRenameFiles", {"files": [{"oldUri": uri["b.md"], "newUri": uri["c.md"]}]})
    ready.notify("workspace/didDeleteFiles", {"files": [{"uri": uri["d.md"]}]})
    await ready.result(SEARCH, {"query": "orchid"})
    await ready.result(SEARCH, {"query": "orchid"})
    assert ready.engines[0].received == [("hint", "a.md", "b.md", "c.md", "d.md", "x.png")]


async def test_a_note_reached_through_a_link_is_the_same_note(ready, vault, tmp_path):
    (tmp_path / "link").symlink_to(vault)
    ready.notify("textDocument/didOpen", {"textDocument": item(tmp_path / "link/plants/orchid.md", "on screen")})
    await ready.result(SEARCH, {"query": "orchid"})
    assert ready.engines[0].received == [("open", "plants/orchid.md", "on screen")]


async def test_settings_come_with_initialize(client, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    options = {"vaultseek": {"vaults": [str(folder)], "maxResults": 7}}
    await client.initialize(initializationOptions=options, initialized=True)
    await client.result(SEARCH, {"query": "orchid"})
    assert client.engines[0].root == folder
    assert client.engines[0].queries[0].limit == 7
    assert not client.notes


async def test_bad_settings_fall_back_with_one_message(client, vault):
    options = {"rrfK": 0, "maxResults": "many", "vaults": ["relative"], "colour": 1}
    await client.initialize(vault, initializationOptions=options, initialized=True)
    await client.until(lambda: client.notes)
    (note,) = client.notes
    assert note["method"] == "window/showMessage"
    assert note["params"]["message"].split("\n") == [
        "vaultseek.maxResults: 'many' is ignored; allowed is a whole number",
        "vaultseek.vaults[0]: 'relative' is neither an absolute path nor a file URI",
        "vaultseek.rrfK: 0 is outside 1..100",
        "vaultseek.colour: unknown option",
    ]
    await client.result(SEARCH, {"query": "orchid"})
    assert client.engines[0].queries[0].limit == 30
    assert client.engines[0].settings.pipeline.rrf.k == 60


async def test_settings_are_requested_and_files_watched_if_the_client_can(client, vault):
    client.answers["workspace/configuration"] = {"result": [{"rrfK": 30}]}
    client.answers["client/registerCapability"] = {"result": None}
    able = {"workspace": {"configuration": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}}
    await client.initialize(vault, capabilities=able, initialized=True)
    await client.until(lambda: len(client.requests) == 2)
    await client.settle()
    assert [request["method"] for request in client.requests] == [
        "workspace/configuration",
        "client/registerCapability",
    ]
    (registration,) = client.requests[1]["params"]["registrations"]
    assert (
        GLOB
        == "**/*.{md,markdown,canvas,base,txt,org,rst,adoc,html,ipynb,csv,pdf,docx,pptx,xlsx,odt,epub,asciidoc,htm}"
    )
    assert registration["registerOptions"]["watchers"] == [{"globPattern": GLOB}]
    await client.result(SEARCH, {"query": "orchid"})
    assert client.engines[0].settings.pipeline.rrf.k == 30


async def test_a_client_without_capabilities_gets_no_requests(client, vault):
    await client.initialize(vault, initialized=True)
    await client.settle()
    assert not client.requests


async def test_a_failed_registration_of_watchers_is_ignored(client, vault):
    """`registerCapability` is answered with an error, as Emacs does outside a repository."""
    able = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    await client.initialize(vault, capabilities=able, initialized=True)
    await client.until(lambda: client.requests)
    assert (await client.result(SEARCH, {"query": "orchid"}))["total"] == 1
    assert not client.notes


async def test_changed_settings_replace_the_engine_and_equal_ones_do_not(ready, vault):
    async def change(settings):
        ready.notify("workspace/didChangeConfiguration", {"settings": settings})
        await ready.settle()
        await ready.settle()
        await ready.result(SEARCH, {"query": "orchid"})

    await ready.result(SEARCH, {"query": "orchid"})
    await change({"vaultseek": {"rrfK": 60}})
    await change(None)
    await change({"other": {}})
    assert len(ready.engines) == 1
    await change({"vaultseek": {"rrfK": 30}})
    assert [engine.is_closed for engine in ready.engines] == [True, False]


async def test_naming_an_open_vault_in_the_settings_keeps_it_searchable(ready, vault):
    await ready.result(SEARCH, {"query": "orchid"})
    ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"vaults": [to_uri(vault)]}}})
    await ready.settle()
    await ready.settle()
    await asyncio.sleep(0)
    assert (await ready.result(SEARCH, {"query": "orchid"}))["total"] == 1
    assert len((await ready.result(STATUS))["vaults"]) == 1


async def test_the_real_engine_is_created_at_the_first_use(vault):
    session = Session()
    session.change_folders(added=[to_uri(vault)], removed=())
    (opened,) = session.vaults
    assert opened.engine_if_any is None
    assert type(opened.engine(session.documents)).__module__ == "search.engine"
    session.close()
    assert opened.engine_if_any is None


async def test_an_open_text_with_an_invalid_note_id_does_not_break_searches(vault):
    session = Session()
    session.change_folders(added=[to_uri(vault)], removed=())
    (opened,) = session.vaults
    session.documents.open(TextDocumentItem(to_uri(vault / "~/odd.md"), "markdown", 1, "odd"))
    assert opened.note_of(vault / "~/odd.md") is None
    assert not opened.engine(session.documents).search(Query(text="odd")).hits
    session.close()


@pytest.mark.parametrize("below", ["a", "a/b", "a/b/c"])
async def test_a_folder_above_a_vault_says_where_the_vault_is(client, tmp_path, below):
    (tmp_path / "work" / below / ".obsidian").mkdir(parents=True)
    (tmp_path / "work" / below / "deep").mkdir()
    await client.initialize(tmp_path / "work")
    answer = await client.result("vaultseek/search", {"query": "orchid"})
    assert f"the vault is in its subfolder {below}; open that folder" in answer["notices"][0]["message"]


async def test_of_very_many_changed_files_a_bounded_number_is_named_and_the_vault_is_swept(vault, monkeypatch):
    session = Session(make_engine=ScriptedEngine)
    session.change_folders(added=[to_uri(vault)], removed=())
    (opened,) = session.vaults
    with monkeypatch.context() as patch:
        patch.setattr(Path, "resolve", lambda *_args, **_kwargs: pytest.fail("the system was asked about links"))
        session.mark_changed(to_uri(vault / f"n{at}.md") for at in range(N_HINTS))
    assert len(opened.hints) == N_HINTS
    assert not opened.has_more_hints
    session.mark_changed(to_uri(vault / f"m{at}.md") for at in range(50_000))
    assert len(opened.hints) == 2 * N_HINTS
    (told,) = opened.engine(session.documents).received
    assert len(told) == 1 + 2 * N_HINTS
    assert not opened.has_more_hints


async def test_a_vault_without_a_named_file_among_very_many_is_swept_too(vault, tmp_path):
    session = Session(make_engine=ScriptedEngine)
    session.change_folders(added=[to_uri(vault)], removed=())
    session.mark_changed(to_uri(tmp_path / "elsewhere" / f"n{at}.md") for at in range(N_HINTS + 1))
    (opened,) = session.vaults
    assert opened.engine(session.documents).received == [("hint",)]
