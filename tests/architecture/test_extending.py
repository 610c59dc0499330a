"""docs/extending.md: the files that it names exist, and its examples work."""

import re
import sys
import types
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from lsp_server.cli import arguments
from lsp_server.config.pipeline_json import pipeline_named
from lsp_server.documents import Documents
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.engine import Engine
from search.query import Mode, Query
from search.ranking import stage_registry
from search.settings import Settings
from search.vault.markdown import parse_note
from vaults import ask, write

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## Add an? ([^\n]*)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ROWS = re.findall(r"^\| `([^`]+)`( \(new\))? \| (.*) \|$", PAGE, re.MULTILINE)


def blocks_of(section):
    return re.findall(r"```python\n(.*?)```", SECTIONS[section], re.DOTALL)


def module_of(section, name, monkeypatch):
    """The first example of a section, as the module that its page says to make."""
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)  # attrs and the next example look it up
    exec(compile(blocks_of(section)[0], name, "exec"), module.__dict__)  # noqa: S102 - our own page
    return module


def test_the_page_has_each_section():
    assert list(SECTIONS) == [
        "stage",
        "source",
        "fusion",
        "query operator",
        "type of file",
        "editor feature",
        "setting",
        "command",
        "tool for assistants",
    ]


@pytest.mark.parametrize(("name", "is_new", "_task"), ROWS, ids=[name for name, _, _ in ROWS])
def test_the_files_of_the_page_exist_and_new_ones_have_their_folder(name, is_new, _task):
    path = ROOT / name
    assert path.parent.is_dir()
    assert path.exists() != bool(is_new)


def test_names_in_code_exist_in_the_file_of_their_row():
    """A row such as "add it to `FIELDS`" is useless once the name is gone."""
    for name, is_new, task in ROWS:
        if not is_new:
            text = (ROOT / name).read_text(encoding="utf-8")
            for word in re.findall(r"`([A-Z_][A-Za-z_]+|_[a-z_]+)`", task):
                assert word in text, f"{name}: {word}"


def test_files_and_modules_that_prose_names_exist():
    named = set(re.findall(r"`((?:search|expansion|lsp_server|tests|editor-client|\.ci)/[\w./-]+)`", PAGE))
    new = {name for name, is_new, _ in ROWS if is_new}
    assert not [name for name in named - new if not (ROOT / name).exists()]


@pytest.fixture
def draft(monkeypatch):
    """The page's stage, registered as the page says."""
    module = module_of("stage", "search.stages.draft", monkeypatch)
    monkeypatch.setitem(stage_registry._RUN, module.Draft, module.penalize_drafts)
    monkeypatch.setitem(stage_registry.STAGES, "draft", module.Draft)
    return module


def test_the_stage_passes_the_test_of_the_page(draft):
    namespace = {}
    exec(blocks_of("stage")[1], namespace)  # noqa: S102
    (test,) = (value for name, value in namespace.items() if name.startswith("test_"))
    test()


def test_the_stage_works_from_its_json_to_the_answer(draft, tmp_path):
    changes = re.search(r"--pipeline '(.*)'", SECTIONS["stage"])[1]
    root = write(tmp_path, "--- a.md\n#draft bread bread bread\n--- b.md\nbread and more\n")
    engine = Engine(root, Settings(pipeline=pipeline_named(None, changes)))
    answer = engine.search(Query(text="bread", mode=Mode.KEYWORD))
    assert [found.hit.id for found in answer.hits] == ["b.md", "a.md"]
    lowered = answer.hits[1].hit
    assert "has the tag #draft" in [getattr(step, "why", "") for step in lowered.trail]
    assert replay(lowered.trail) == lowered.score
    assert ask(Engine(root), "bread", mode=Mode.KEYWORD) == ["a.md", "b.md"]


def test_the_source_ranks_by_age(monkeypatch):
    module = module_of("source", "search.sources.recent", monkeypatch)
    day = 86_400.0
    notes = [parse_note(f"{age}.md", "x", modified=(10 - age) * day).note for age in (3, 0, 1)]
    found = module.search_recent(notes, settings=module.Recent(n_notes=2), now=10 * day)
    assert {hit.id: hit.score for hit in found} == {"0.md": 1.0, "1.md": 1 / 2}


def test_the_fusion_takes_the_best_score(monkeypatch):
    module = module_of("fusion", "search.fuse.best", monkeypatch)

    def ranked(source, **scores):
        return Ranking.of(Hit.found(name, Found(source, score)) for name, score in scores.items())

    rankings = {"lexical": ranked("lexical", a=0.9, b=0.5), "semantic": ranked("semantic", a=0.2, b=0.8)}
    fused = module.fuse_best(rankings, {"lexical": 0.5, "semantic": 0.5})
    assert {hit.id: hit.score for hit in fused} == {"a": 0.5 * 0.9, "b": 0.5 * 0.8}


@pytest.mark.asyncio
async def test_the_editor_feature_folds_sections(monkeypatch):
    module = module_of("editor feature", "lsp_server.features.folds", monkeypatch)
    documents = Documents()
    documents.open(lsp.TextDocumentItem("file:///a.md", "markdown", 1, "# A\ntext\n\n## B\nmore\n"))
    server = types.SimpleNamespace(session=types.SimpleNamespace(documents=documents))

    async def folded(uri):
        found = await module.folds(server, lsp.FoldingRangeParams(lsp.TextDocumentIdentifier(uri)))
        return [(fold.start_line, fold.end_line) for fold in found]

    assert await folded("file:///a.md") == [(0, 2), (3, 5)]
    assert await folded("file:///b.md") == []


def test_the_command_lists_tags(monkeypatch, tmp_path, capsys):
    module = module_of("command", "lsp_server.cli.tags", monkeypatch)
    monkeypatch.setenv("VAULTSEEK_ENDPOINT", "http://h/v1")  # a command without models ignores it
    parser = arguments.Parser()
    module.add_command(parser.add_subparsers(metavar="COMMAND"))
    write(tmp_path, "--- a.md\n#tree #oak\n--- b.md\n#tree\n")

    def run():
        options = parser.parse_args(["tags", "--vault", str(tmp_path)])
        return options.run(options), capsys.readouterr().out

    assert run() == (0, "     2 #tree\n     1 #oak\n")
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").unlink()
    assert run() == (1, "")


def test_the_example_of_a_type_of_file_reads_an_outline(monkeypatch):
    module = module_of("type of file", "search.vault.kinds.opml", monkeypatch)
    assert module.read_opml('<outline text="Oak &amp; elm"><outline text="Ash"/></outline>').text == "Oak & elm\nAsh"
