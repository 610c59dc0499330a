"""What a person expects of the fixture vaults, checked through the whole pipeline.

Every `vault_fixtures/NAME.judgments.toml` is about the vault `vault_fixtures/NAME`; the keys are explained at the
top of `handbook.judgments.toml`. Names are compared in composed form, since a file's name may be decomposed.
"""

import tomllib
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from search.query import Query

VAULTS = Path(__file__).parents[2] / "vault_fixtures"
JUDGED = sorted(VAULTS.glob("*.judgments.toml"))
KEYS = {"ask", "kind", "first", "among", "top", "only", "absent", "nothing", "folder", "tags", "why", "not_yet"}
CLAIMS = {"first", "among", "only", "absent", "nothing"}


def read(path: Path) -> list[dict[str, Any]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))["query"]


def vault_of(path: Path) -> Path:
    return VAULTS / path.name.removesuffix(".judgments.toml")


def composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


CASES = [
    pytest.param(
        vault_of(path),
        judgment,
        id=f"{vault_of(path).name}: {judgment['ask']}",
        marks=pytest.mark.xfail(strict=True, reason=judgment["not_yet"]) if "not_yet" in judgment else (),
    )
    for path in JUDGED
    for judgment in read(path)
]


def named(judgment: dict[str, Any]) -> list[str]:
    return [
        *([judgment["first"]] if "first" in judgment else []),
        *(name for key in ("among", "only", "absent") for name in judgment.get(key, [])),
    ]


def complaints(judgment: dict[str, Any], found: list[str]) -> list[str]:
    """What is wrong with `found` (names in their order), one sentence for each fault; empty if nothing is."""
    top = judgment.get("top", 3)
    wrong = []
    if "first" in judgment and found[:1] != [judgment["first"]]:
        wrong.append(f"first should be {judgment['first']}")
    if missing := [name for name in judgment.get("among", []) if name not in found[:top]]:
        wrong.append(f"not in the first {top}: {missing}")
    if "only" in judgment and sorted(found) != sorted(judgment["only"]):
        wrong.append(f"should be exactly {sorted(judgment['only'])}")
    if present := [name for name in judgment.get("absent", []) if name in found]:
        wrong.append(f"should not be there: {present}")
    if judgment.get("nothing") and found:
        wrong.append("should find nothing")
    return wrong


@pytest.mark.parametrize(
    ("judgment", "found", "n_wrong"),
    [
        ({"first": "oak"}, ["oak", "elm"], 0),
        ({"first": "oak"}, ["elm", "oak"], 1),
        ({"first": "oak"}, [], 1),
        ({"among": ["oak", "elm"], "top": 2}, ["elm", "oak"], 0),
        ({"among": ["oak"], "top": 1}, ["elm", "oak"], 1),
        ({"only": ["oak", "elm"]}, ["elm", "oak"], 0),
        ({"only": ["oak"]}, ["elm", "oak"], 1),
        ({"absent": ["oak"]}, ["elm"], 0),
        ({"absent": ["oak"]}, ["elm", "oak"], 1),
        ({"nothing": True}, [], 0),
        ({"nothing": True}, ["oak"], 1),
        ({"first": "oak", "absent": ["elm"]}, ["elm"], 2),
    ],
)
def test_each_kind_of_claim_can_fail(judgment, found, n_wrong):
    assert len(complaints(judgment, found)) == n_wrong


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.name)
def test_judgments_name_only_notes_that_exist(path):
    """Otherwise a judgment about a renamed note would fail or pass for the wrong reason."""
    vault = vault_of(path)
    notes = {composed(file.relative_to(vault).as_posix()) for file in vault.rglob("*.md")}
    assert notes
    for judgment in read(path):
        assert set(judgment) <= KEYS
        assert CLAIMS & set(judgment)
        assert judgment["why"].endswith(".")
        assert set(named(judgment)) <= notes


def test_every_fixture_vault_has_a_readme_and_judgments():
    vaults = [path for path in VAULTS.iterdir() if path.is_dir()]
    assert all((VAULTS / f"{vault.name}.README.md").is_file() for vault in vaults)
    assert {vault_of(path) for path in JUDGED} == set(vaults)


def test_the_handbook_is_judged_from_many_sides():
    judgments = read(VAULTS / "handbook.judgments.toml")
    assert len(judgments) >= 40
    assert len({judgment["kind"] for judgment in judgments}) >= 12


@pytest.fixture(scope="module")
def engine_of():
    """A function from a vault to its engine, which is opened once."""
    engine = pytest.importorskip("search.engine")
    engines = {}

    def of(vault: Path):
        if vault not in engines:
            engines[vault] = engine.Engine(vault)
        return engines[vault]

    return of


@pytest.mark.parametrize(("vault", "judgment"), CASES)
def test_a_person_finds_what_they_expect(engine_of, vault, judgment):
    query = Query(
        text=judgment["ask"], limit=10, folder=judgment.get("folder", ""), tags=tuple(judgment.get("tags", ()))
    )
    result = engine_of(vault).search(query)
    found = [composed(note.hit.id) for note in result.hits]
    assert not complaints(judgment, found), f"{judgment['why']}\nfound: {found}"
