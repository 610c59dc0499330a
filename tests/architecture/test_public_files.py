"""What people and machines on GitHub read: workflows, forms, and pages that name Python versions and `make` targets."""

import os
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PUBLISH = ROOT / ".github/workflows/publish.yml"
FORMS = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
PRE_COMMIT = ROOT / ".pre-commit-config.yaml"
PAGES = sorted(
    chain(ROOT.glob("*.md"), ROOT.glob("docs/**/*.md"), ROOT.glob("tests/bench/**/*.md"), ROOT.glob(".github/*.md"))
)
CHANGES = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def text_of(path):
    return path.read_text(encoding="utf-8")


def load(path):
    return yaml.safe_load(text_of(path))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def python_versions(workflow):
    """All versions that a workflow gives to Python, in its matrices and its steps."""
    found = []
    for job in load(workflow)["jobs"].values():
        found += job.get("strategy", {}).get("matrix", {}).get("python", [])
        given = [step.get("with", {}).get("python-version") for step in job["steps"]]
        found += [version for version in given if version and "matrix." not in str(version)]
    return found


def targets_in(path):
    """Targets in a file's commands: code in a page, `run` in a workflow, `entry` in a hook."""
    text = text_of(path)
    if path.suffix == ".md":
        commands = chain.from_iterable(
            block.split("\n")
            for block in re.findall(r"```\w*\n(.*?)```|`([^`\n]+)`", text, re.DOTALL)
            for block in block
        )
    else:
        commands = re.findall(r"(?:run|entry): (.*)", text)
    for command in commands:
        words = command.partition(" #")[0].split()
        if words[:1] == ["make"]:
            yield from (word for word in words[1:] if re.fullmatch(r"[a-z0-9-]+", word) and not word.startswith("-"))


def test_the_tests_run_on_every_supported_python_and_system():
    matrix = load(ROOT / ".github/workflows/tests.yml")["jobs"]["quick"]["strategy"]["matrix"]
    prefix = "Programming Language :: Python :: "
    supported = [line.removeprefix(prefix) for line in PROJECT["classifiers"] if line.startswith(prefix)]
    assert matrix["python"] == supported
    assert matrix["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert PROJECT["requires-python"] == f">={supported[0]}"


def test_the_wheel_is_tried_on_every_supported_python():
    tested = load(ROOT / ".github/workflows/tests.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"]
    assert load(ROOT / ".github/workflows/build.yml")["jobs"]["wheel"]["strategy"]["matrix"]["python"] == tested


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=name_of)
def test_a_workflow_uses_supported_pythons_written_as_text(workflow):
    """As a number, 3.10 would be 3.1."""
    for version in python_versions(workflow):
        assert isinstance(version, str)
        assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=name_of)
def test_a_workflow_may_only_read_and_knows_no_secret(workflow):
    """So no workflow can publish by accident; only one job, which has a test of its own, may do more."""
    assert load(workflow)["permissions"] == {"contents": "read"}
    assert "secrets." not in text_of(workflow)
    for name, job in load(workflow)["jobs"].items():
        assert "permissions" not in job or (workflow, name) == (PUBLISH, "publish")
        assert job["timeout-minutes"] <= 120


def test_only_a_published_release_is_published_and_by_trust_instead_of_a_token():
    workflow = load(PUBLISH)
    assert workflow[True] == {"release": {"types": ["published"]}}  # YAML reads the key `on` as true
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert publish["permissions"] == {"attestations": "write", "contents": "read", "id-token": "write"}
    assert (publish["needs"], publish["environment"]["name"]) == ("build", "pypi")
    assert not {"password", "user", "api-token"} & {key for step in publish["steps"] for key in step.get("with", {})}
    used = [step.get("uses", "").partition("@")[0] for step in publish["steps"]]
    assert used[2:] == ["actions/attest-build-provenance", "actions/attest-sbom", "pypa/gh-action-pypi-publish"]
    commands = "\n".join(step.get("run", "") for step in build["steps"])
    order = [commands.index(part) for part in ("$TAG", "-m build", "twine check --strict", "cyclonedx-py environment")]
    assert order == sorted(order)


def test_the_job_that_may_publish_runs_no_command():
    """Code of the project, or of a tool that it installs, could publish something else."""
    for step in load(PUBLISH)["jobs"]["publish"]["steps"]:
        assert "run" not in step
        assert not step["uses"].startswith((".", "actions/checkout"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=name_of)
def test_what_a_workflow_runs_holds_no_text_of_an_event(workflow):
    """The name of a tag or a branch could contain a command; it comes in by a variable."""
    for job in load(workflow)["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", [*WORKFLOWS, PRE_COMMIT, *PAGES], ids=name_of)
def test_each_make_target_that_a_file_names_exists(path):
    assert set(targets_in(path)) <= TARGETS


def test_the_scan_finds_targets_in_every_kind_of_file():
    assert set(targets_in(ROOT / ".github/workflows/tests.yml")) == {"lint", "types", "arrows", "lowest", "audit"}
    assert set(targets_in(PRE_COMMIT)) == {"lint", "types", "arrows"}
    assert {"quick", "test", "architecture"} <= set(targets_in(ROOT / "CONTRIBUTING.md"))


def test_scripts_that_workflows_run_exist():
    runs = [run for path in WORKFLOWS for run in re.findall(r"run: (\.\S+)", text_of(path))]
    assert runs == [".ci/run"]
    assert os.access(ROOT / ".ci/run", os.X_OK)


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_an_issue_form_has_what_github_requires(form):
    """GitHub drops a form without a word if a required key is missing or an id occurs twice."""
    content = load(form)
    assert set(content) == {"name", "description", "labels", "body"}
    ids = [part["id"] for part in content["body"] if part["type"] != "markdown"]
    labels = [part["attributes"]["label"] for part in content["body"] if part["type"] != "markdown"]
    assert len({*ids}) == len(ids) > 0
    assert len({*labels}) == len(labels)
    for part in content["body"]:
        attributes = part["attributes"]
        if part["type"] == "markdown":
            assert set(part) == {"type", "attributes"}
            assert set(attributes) == {"value"}
            continue
        assert set(part) == {"type", "id", "attributes", "validations"}
        assert re.fullmatch(r"[\w-]+", part["id"])
        assert isinstance(part["validations"]["required"], bool)
        allowed = {
            "input": {"label", "description", "placeholder", "value"},
            "textarea": {"label", "description", "placeholder", "value", "render"},
            "dropdown": {"label", "description", "multiple", "options", "default"},
        }[part["type"]]
        assert {"label"} <= set(attributes) <= allowed
        if part["type"] == "dropdown":
            assert len({*attributes["options"]}) == len(attributes["options"]) > 1


def test_a_ranking_report_asks_for_the_query_and_the_expected_note():
    (form,) = (load(path) for path in FORMS if path.name == "ranking.yml")
    required = {part["id"] for part in form["body"] if part.get("validations", {}).get("required")}
    assert {"query", "expected"} <= required


def test_dependabot_watches_every_lock_file_and_the_workflows():
    watched = load(ROOT / ".github/dependabot.yml")["updates"]
    folders = {one["package-ecosystem"]: set(one.get("directories") or [one["directory"]]) for one in watched}
    locks = {path for path in ROOT.glob("editor-client/**/package-lock.json") if "node_modules" not in path.parts}
    assert folders["npm"] == {f"/{name_of(path.parent)}" for path in locks}
    assert folders["pip"] == folders["github-actions"] == {"/"}


def test_every_entry_of_the_changelog_says_what_kind_of_change_it_is():
    kind = None
    for line in text_of(ROOT / "CHANGELOG.md").split("\n"):
        if line.startswith("## "):
            kind = None
        elif line.startswith("### "):
            kind = line.removeprefix("### ")
            assert kind in CHANGES
        elif line.startswith("- "):
            assert kind, line


def test_links_between_pages_lead_to_files():
    for page in PAGES:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text_of(page), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            if "://" not in target and not target.startswith("mailto:"):
                assert (page.parent / target).exists(), f"{name_of(page)}: {target}"
