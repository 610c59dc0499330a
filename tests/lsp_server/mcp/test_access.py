"""What an assistant may not see does not exist: answers are those from a vault without these notes."""

import os
import shutil

import pytest
from attrs import evolve

from embedders import WordEmbedder
from lsp_server.config.engine_factory import engine_of
from lsp_server.mcp.access import access_settings, check_access
from lsp_server.mcp.catalogue import Refusal, call
from lsp_server.mcp.vaults import ServedVault, Vaults
from search.budget import UNLIMITED
from search.engine import Engine, open_engine
from search.errors import VaultseekError
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vault import vault as vault_module
from search.vault.file import load_file
from vaults import write

VAULT = """
--- Work/Plan.md
---
tags: [plan]
---
# Plan

The car project starts in May, see [[Salary]] and [[Budget|money]]. Retrieval augmented ranking (RAR) is its core.
--- Work/Budget.md
# Budget

Money for the motorcar, agreed with the physician. [[Plan]] says more. RAR needs a server.
--- Work/Team.md
# Team

Anna works on the plan. She knows [[Diary 2024-05-01]] and [[Plan#Plan]].
--- Private/Salary.md
---
aliases: [Pay]
tags: [plan, money]
---
# Salary

The salary of the car project, see [[Plan]] and [[Budget]]. Zebra. Retired astronauts remember (RAR).
--- Private/Diary 2024-05-01.md
# Diary

I met the doctor. [[Team]] and [[Plan]] are a burden. Zebra zebra.
--- Work/Secret.md
---
tags: [secret/very, plan]
aliases: [Hidden Plan]
---
# Secret plan

The automobile is a lie, says [[Plan]] and [[Budget]]. Quokka.
--- Work/Inline.md
# Inline

An inline #secret makes this withheld. Quokka motorcar [[Team]].
"""
WITHHELD = ("Private/Salary.md", "Private/Diary 2024-05-01.md", "Work/Secret.md", "Work/Inline.md")
WAYS = (
    ([], ["Private", "#secret"]),
    ([], ["private/", "#Secret"]),
    (["Work"], ["#secret"]),
)
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    *(
        ("search_notes", {"query": query, "mode": mode})
        for query in ("car project", "zebra", "quokka", "salary", "RAR", "plan", "doctor", "[[Salary]]", "2024-05-01")
        for mode in ("hybrid", "keyword", "vector")
    ),
    ("search_notes", {"query": "tag:#secret"}),
    ("search_notes", {"query": "plan", "folder": "Private"}),
    ("search_notes", {"query": "plan", "folder": "Privat"}),
    ("search_notes", {"query": "plan", "tags": ["money"]}),
    ("search_notes", {"query": "[aliases]"}),
    ("search_notes", {"query": "-zebra"}),
    ("search_notes", {"query": "zebbra salarry"}),
    *(("read_note", {"path": path}) for path in (*WITHHELD, "Salary", "Pay", "Salry", "Hidden Plan", "Plan", "Budget")),
    *(("related_notes", {"path": path}) for path in ("Plan", "Budget", "Team", "Salary")),
    *(("explain_result", {"query": "car zebra", "path": path}) for path in ("Plan", "Budget", *WITHHELD)),
    ("build_context", {"question": "What is the salary of the car project?"}),
    ("build_context", {"question": "zebra quokka"}),
    ("vault_status", {}),
)


def answers(root, folder, vault_settings=None):
    settings = Settings(
        indexing=Indexing(folder=str(folder), in_background=False, n_first=200),
        **({} if vault_settings is None else {"vault": vault_settings}),
    )
    vaults = Vaults((ServedVault("notes", root, lambda path: Engine(path, settings, embedder=WordEmbedder())),))
    try:
        vaults.all[0].engine().maintenance().update()
        return [call(vaults, name, given, UNLIMITED) for name, given in CALLS]
    finally:
        vaults.close()


@pytest.mark.parametrize(("allow", "deny"), WAYS)
def test_answers_are_those_without_the_withheld_notes(tmp_path, allow, deny):
    whole = write(tmp_path / "whole" / "notes", VAULT)
    (whole / "Private" / "pipe.md").symlink_to("/etc/hostname")  # a link out of the vault, which is named as skipped
    (whole / "Private" / "data.txt").write_text("zebra quokka car", encoding="utf-8")
    (whole / "Work" / "Shortcut.md").symlink_to(whole / "Private" / "data.txt")
    left = shutil.copytree(whole, tmp_path / "left" / "notes", symlinks=True)
    for path in (*WITHHELD, "Private/pipe.md", "Private/data.txt", "Work/Shortcut.md"):
        (left / path).unlink()
    (left / "Private").rmdir()
    if allow:
        (whole / "Other.md").write_text("zebra [[Plan]] car project", encoding="utf-8")

    store = tmp_path / "store"
    seen = answers(whole, store)  # fills the store with the vectors of all notes
    withheld = answers(whole, store, access_settings(allow, deny))
    expected = answers(left, tmp_path / "other")
    for asked, found, wanted in zip(CALLS, withheld, expected, strict=True):
        assert found == wanted, asked
    assert any(answer != wanted for answer, wanted in zip(seen, expected, strict=True))
    assert not isinstance(seen[0], Refusal)


def test_what_is_kept_for_the_next_start_tells_nothing_of_withheld_notes(tmp_path, monkeypatch):
    monkeypatch.setattr("search.index.indexer._FEW_NOTES", 0)
    root = write(tmp_path / "notes", VAULT)
    for path in WITHHELD:
        os.utime(root / path, (1_600_000_000, 1_600_000_000))  # so that its state can be trusted
    calls = [asked for asked in CALLS if asked[1].get("mode", "keyword") == "keyword"]

    def ask(folder: str, **options: object) -> list[object]:
        indexing = Indexing(folder=str(tmp_path / folder), in_background=False)
        settings = Settings(indexing=indexing, enable_semantic=False, **options)  # type: ignore[arg-type]  # by name
        vault = ServedVault("notes", root, lambda path: open_engine(path, settings))
        vaults = Vaults((vault,))
        found = [call(vaults, name, given, UNLIMITED) for name, given in calls]
        vault.engine().save_snapshot()
        vaults.close()
        return found

    access = access_settings([], ["Private", "#secret"])
    whole = ask("cache")
    expected = ask("none", vault=access, keep_snapshot=False)
    assert whole != expected
    assert ask("cache", vault=access) == expected
    assert ask("cache", vault=access) == expected
    assert len(list((tmp_path / "cache").glob("*.snapshot"))) == 2
    assert ask("cache") == whole


def test_a_door_that_sees_less_keeps_the_vectors_of_the_others(tmp_path):
    root = write(tmp_path / "notes", VAULT)
    answers(root, tmp_path / "store")
    answers(root, tmp_path / "store", access_settings([], ["Private", "#secret"]))
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "store"), in_background=False))
    embedder = WordEmbedder()
    engine = Engine(root, settings, embedder=embedder)
    try:
        assert engine.maintenance().update() == 0
        assert embedder.passages == []
    finally:
        engine.close()


@pytest.mark.parametrize(("tag", "is_withheld"), [("secret", True), ("Secret/work", True), ("plan", False)])
def test_a_note_with_invalid_front_matter_is_withheld_if_it_contains_a_denied_tag(tmp_path, tag, is_withheld):
    root = write(tmp_path, f"--- Broken.md\n---\ntags: [{tag}\nx: : :\n---\nZebra.\n")
    settings = Settings(vault=access_settings([], ["#secret"]), enable_semantic=False)
    vaults = Vaults((ServedVault("notes", root, lambda path: engine_of(path, settings)),))
    found = [
        call(vaults, name, given, UNLIMITED)
        for name, given in (
            ("vault_status", {}),
            ("search_notes", {"query": "zebra"}),
            ("search_notes", {"query": "x"}),
        )
    ]
    assert ("Broken" not in str(found)) == is_withheld
    vaults.close()


@pytest.mark.parametrize("deny", [["#secret"], ["Private"]])
@pytest.mark.parametrize("text", ["zebra " * 400 + "#secret", "".join(f"#t{n} " for n in range(10_100)) + "#secret"])
def test_a_note_that_is_read_in_part_is_withheld_where_its_tags_decide(tmp_path, monkeypatch, text, deny):
    monkeypatch.setattr("search.vault.limits.LONG", 1_000)
    monkeypatch.setattr("search.vault.markdown.LONG", 1_000)
    root = write(tmp_path, f"--- Long.md\n{text}\n--- Private/a.md\nApple.\n")
    limited = evolve(access_settings([], deny), max_note_bytes=len(text) - 1 if "zebra" in text else 10**6)
    settings = Settings(vault=limited, enable_semantic=False)
    vaults = Vaults((ServedVault("notes", root, lambda path: engine_of(path, settings)),))
    found = [call(vaults, *given, UNLIMITED) for given in (("vault_status", {}), ("read_note", {"path": "Long.md"}))]
    assert ("Long" not in str(found[0])) == (deny == ["#secret"])
    assert isinstance(found[1], Refusal) == (deny == ["#secret"])
    vaults.close()


@pytest.mark.parametrize("deny", [["#secret"], ["Private"]])
def test_a_note_that_takes_too_long_is_withheld_where_its_tags_decide(tmp_path, monkeypatch, deny):
    monkeypatch.setattr("search.vault.file.BUDGET_S", -1.0)
    root = write(tmp_path, "--- Long.md\n" + "zebra " * 20_000 + "\n--- Private/a.md\nApple.\n")
    settings = Settings(vault=access_settings([], deny), enable_semantic=False)
    vaults = Vaults((ServedVault("notes", root, lambda path: engine_of(path, settings)),))
    assert ("Long" not in str(call(vaults, "vault_status", {}, UNLIMITED))) == (deny == ["#secret"])
    vaults.close()


def test_a_note_that_gets_a_denied_tag_is_withheld_from_then_on(tmp_path):
    root = write(tmp_path / "notes", VAULT)
    settings = Settings(vault=access_settings([], ["#secret"]), enable_semantic=False)
    vault = ServedVault("notes", root, lambda path: engine_of(path, settings))
    vaults = Vaults((vault,))
    assert not isinstance(call(vaults, "read_note", {"path": "Team"}, UNLIMITED), Refusal)
    write(root, "--- Work/Team.md\n# Team\n\nNow #secret.\n")
    vault.engine().mark_changed(["Work/Team.md"])
    answer = call(vaults, "read_note", {"path": "Team"}, UNLIMITED)
    assert isinstance(answer, Refusal)
    assert "Team.md" not in answer.sentence
    vaults.close()


@pytest.mark.parametrize(("deny", "is_named"), [(["#secret"], False), (["Private"], True)])
def test_an_unreadable_note_is_not_named_where_only_its_text_could_tell(tmp_path, monkeypatch, deny, is_named):
    def load(root, note_id, **options):
        if note_id == "Work/Team.md":
            raise PermissionError
        return load_file(root, note_id, **options)

    monkeypatch.setattr(vault_module, "load_file", load)
    settings = Settings(vault=access_settings([], deny), enable_semantic=False)
    vaults = Vaults((ServedVault("notes", write(tmp_path, VAULT), lambda path: engine_of(path, settings)),))
    answer = call(vaults, "vault_status", {}, UNLIMITED)
    assert ("Team" in str(answer)) == is_named
    vaults.close()


@pytest.mark.parametrize(("deny", "is_named"), [("#secret", False), ("Private", True)])
def test_a_note_that_obsidian_excludes_is_not_named_where_its_unread_text_could_withhold_it(tmp_path, deny, is_named):
    root = write(tmp_path, VAULT + '--- .obsidian/app.json\n{"userIgnoreFilters": ["Work/Secret.md"]}\n')
    settings = Settings(vault=access_settings([], [deny]), enable_semantic=False)
    vaults = Vaults((ServedVault("notes", root, lambda path: engine_of(path, settings)),))
    answer = call(vaults, "vault_status", {}, UNLIMITED)
    assert ("Secret" in str(answer)) == is_named
    vaults.close()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--allow", "Wrk"),
        ("--allow", ""),
        ("--allow", "/"),
        ("--allow", "../notes"),
        ("--allow", "#plan"),
        ("--deny", "#"),
    ]
    + [("--deny", value) for value in ("Privat", "Private/*", ".", "Work/Plan.md")],
)
def test_an_option_that_names_nothing_is_refused(tmp_path, option, value):
    root = write(tmp_path, VAULT)
    allow, deny = ([value], []) if option == "--allow" else ([], [value])
    with pytest.raises(VaultseekError, match=option):
        check_access([root], allow, deny)
