"""`vaultseek search`, `explain` and `related`: which notes they find and what they print."""

import json
import re

import pytest
from kit.attachments import pdf

from search.engine import Engine
from vaults import write


@pytest.mark.parametrize(
    ("arguments", "notes"),
    [
        (["oak", "stands"], ["Home.md", "x/Elm.md", "Evil.md"]),
        (["oak stands"], ["Home.md", "x/Elm.md", "Evil.md"]),
        (["oak", "-elm", "-red"], []),
        (["oak", "-red", "-welcome"], ["x/Elm.md"]),
        (["oak", "-hello", "-red", "-welcome"], ["x/Elm.md"]),
        (["-oak"], ["x/Ash.md"]),
        (["--", "-oak"], ["x/Ash.md"]),
        (["--", "oak", "-red", "-welcome"], ["x/Elm.md"]),
        (["elm", "--limit", "1", "not"], ["x/Elm.md"]),
        (["oak", "--limit", "1", "--", "-red", "-welcome"], ["x/Elm.md"]),
        (["oak", "-2024", "-red", "-welcome"], ["x/Elm.md"]),
        (['"not an oak"'], ["x/Elm.md"]),
        (["rowan"], ["x/Ash.md"]),
        (["oak", "--folder", "x"], ["x/Elm.md"]),
        (["oak", "--folder", "./x/"], ["x/Elm.md"]),
        (["--tag", "tree", "ash"], ["x/Ash.md"]),
        (["ash", "--tag", "tree", "--tag", "#tree/old"], ["x/Ash.md"]),
        (["oak", "--tag", "tree"], ["x/Elm.md"]),
    ],
)
def test_a_query_as_typed_finds_these_notes(run, arguments, notes):
    assert sorted(run("search", *arguments).notes) == sorted(notes)


def test_the_default_vault_is_the_obsidian_vault_around_the_current_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "x")
    ran = run("search", "welcome")
    assert (ran.code, ran.notes) == (0, [f"{tmp_path}/Home.md"])
    assert run("search", "oak", "--folder", ".").notes == ["Elm.md"]


def test_a_tilde_in_the_vault_s_path_is_expanded(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("search", "elm", "--vault=~/x").notes == ["x/Elm.md"]


def test_an_unknown_folder_or_tag_is_reported_with_similar_ones(run):
    assert "tree" in run("search", "oak", "--tag", "tre").err
    assert "no folder ‘y’" in run("search", "oak", "--folder", "y").err


@pytest.mark.parametrize("query", ["tag:tre", "oak -elm", "path:nowhere/", "[colour] oak", "???"])
def test_a_notice_says_that_something_was_skipped_only_if_it_was(run, query):
    err = run("search", query).err
    assert "skipped: " not in err
    assert "note: " in err or query == "path:nowhere/"


def test_a_corrected_query_is_reported_on_standard_error(run):
    ran = run("search", '"oak')
    assert ran.notes
    assert ran.err.startswith("corrected: ")


def test_explained_scores_show_their_arithmetic(run):
    plain, explained = run("search", "stands").out, run("search", "stands", "--explain").out
    assert "lexical found it with" not in plain
    assert re.search(r"^ {6}\+ [\d.]+ for rank 1 in lexical, weight 1 \[.+\] = [\d.]+$", explained, re.MULTILINE)


def test_explained_strengths_show_their_arithmetic(run):
    """Four notes; one has "stands" in its text, none has "birch"; without a model there is no similarity."""
    for ran in (run("search", "stands birch", "--explain"), run("explain", "stands birch", "Home")):
        facts = [line.strip() for line in ran.out.split("\n") if re.match(r" {6}\d\. ", line)]
        assert facts == [
            '1. "stands" (idf 1.204, weight 1.204): word in the text, quality 0.7, together with others',
            '2. "birch" (idf 2.303, weight 2.303): not in the note, quality 0',
            "3. coverage: sum of weight x quality / sum of weights 3.507 = 0.2403",
            "4. nearness: the same for words that stand together = 0.2403",
            "5. words: 0.8 x 0.2403 + 0.2 x 0.2403 = 0.2403",
            "6. strength 0.2403: weak",
        ]
    assert "strength" not in run("search", "stands birch").out


def test_a_strength_can_be_recomputed_from_the_json_alone(run):
    (result,) = json.loads(run("search", "stands birch the", "--json").out)["results"]
    facts = result["explanation"]["strength"]
    total = sum(word["weight"] for word in facts["words"])
    coverage = sum(word["weight"] * word["quality"] for word in facts["words"]) / total
    nearness = sum(word["weight"] * word["quality"] for word in facts["words"] if word["isNear"]) / total
    assert result["strength"] == facts["value"] == pytest.approx(0.8 * coverage + 0.2 * nearness)
    assert result["strengthLevel"] == "weak"
    assert json.loads(run("search", "rowan", "--json").out)["results"][0]["strength"] == 1.0
    (unfiltered, *_) = json.loads(run("search", "tag:#tree", "--json").out)["results"]
    assert not {"strength", "strengthLevel"} & {*unfiltered, *unfiltered["explanation"]}


@pytest.mark.parametrize("note", ["Home", "Home.md", "welcome", "./Home.md", "x/../Home.md"])
def test_a_note_is_explained_by_its_path_or_name(run, note):
    ran = run("explain", "stands", note)
    assert ran.out.startswith("It ranks 1 of 1.\n 1. Welcome  Home.md:2  good\n")


def test_a_note_below_the_limit_is_explained(run):
    assert run("explain", "oak", "Home", "--limit", "1").out.startswith("It ranks 2 of 3; the limit is 1.\n 2. ")


def test_a_note_that_is_not_found_is_compared_with_the_last_result(run):
    ran = run("explain", "stands", "x/Ash")
    assert ran.out.startswith("x/Ash.md  It contains none of the query's words.\nthe last note of the answer:\n")
    assert "Home.md:2" in ran.out


@pytest.fixture
def unasked(monkeypatch):
    """A test in which no query is answered and no note is embedded."""
    for method in ("search", "context", "explain", "related"):
        monkeypatch.setattr(Engine, method, lambda *_, **__: pytest.fail("the query was answered"))


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize("command", [["explain", "oak"], ["related"]])
@pytest.mark.parametrize(
    ("note", "near"),
    [
        ("nowhere", ""),
        ("x/Elmm.md", "; did you mean x/Elm.md?"),
        ("Welcom", "; did you mean Home.md?"),
        ("wecome", "; did you mean Home.md?"),
        ("/etc/passwd", ""),
        ("../../etc/passwd", ""),
        ("../outside", ""),
    ],
)
def test_a_note_that_does_not_exist_is_an_error_with_the_nearest_names(run, tmp_path, command, note, near):
    (tmp_path.parent / "outside.md").write_text("outside")
    ran = run(*command, note)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"vaultseek: {note!r}: no such note in the vault {tmp_path}{near}\n"


def test_a_file_that_is_not_searched_is_explained_as_such(run, tmp_path):
    (tmp_path / "x/.hidden.md").write_text("oak")
    (tmp_path.parent / "outside.md").write_text("outside")
    (tmp_path / "linked.md").symlink_to(tmp_path.parent / "outside.md")
    assert run("explain", "oak", "x/.hidden.md").code == 2
    ran = run("explain", "oak", "linked.md")
    assert ran.code == 1
    assert "The file is not searched: " in ran.out
    assert run("related", "linked.md").code == 2


@pytest.mark.usefixtures("unasked")
@pytest.mark.parametrize(
    ("note", "heading", "message"),
    [
        ("Two", "Leafs", "--heading: Two.md has no heading 'Leafs'; did you mean Leaves?"),
        ("Two", "qqq", "--heading: Two.md has no heading 'qqq'; it has 'Bark', 'Leaves'"),
        ("None", "x", "--heading: None.md has no heading 'x'; it has no headings"),
        ("Many", "x", "--heading: Many.md has no heading 'x'; it has 'H 1', 'H 2', 'H 3', 'H 4', 'H 5' and 1,495 more"),
        ("Many", "H 7x", "--heading: Many.md has no heading 'H 7x'; did you mean H 7?"),
        ("Same", "x", "--heading: Same.md has no heading 'x'; it has 'Log'"),
    ],
)
def test_a_heading_that_does_not_exist_is_an_error_with_the_nearest_or_a_few(run, tmp_path, note, heading, message):
    many = "".join(f"# H {number}\n" for number in range(1, 1501))
    write(tmp_path, f"--- Two.md\n# Bark\n# Leaves\n--- None.md\nplain\n--- Many.md\n{many}--- Same.md\n# Log\n# Log\n")
    ran = run("related", note, "--heading", heading)
    assert (ran.code, ran.out, ran.err) == (2, "", f"vaultseek: {message}\n")


def test_a_heading_narrows_related_notes(run, tmp_path):
    write(tmp_path, PAIR + "--- Two.md\n# Bark\ngalls on acorns\n# Leaves\nsamaras\n")
    first = run("related", "Two", "--heading", "leaves", "--mode", "keyword", "--limit", "1")
    assert (first.code, first.notes) == (0, ["Elm.md"])


@pytest.mark.parametrize(
    "command", [["search", "oak"], ["explain", "oak", "a"], ["related", "a"], ["index", "--plan"]], ids=" ".join
)
def test_an_empty_vault_is_said_to_be_empty(run, tmp_path, command):
    (tmp_path / "empty").mkdir()
    ran = run(*command, "--vault", "empty")
    assert re.search(
        r"There are no Markdown notes in .*empty\. Name a vault with --vault DIR\. Without it, the nearest", ran.err
    )


def test_a_note_removed_by_a_stage_is_explained(run):
    parts = json.dumps({"stages": [{"stage": "cut", "minScore": 0, "maxResults": 1}]})
    explained = [run("explain", "oak", note, "--pipeline", parts) for note in ("Home", "x/Elm", "Evil")]
    assert sorted(ran.code for ran in explained) == [0, 1, 1]
    assert all("cut removed it" in ran.out for ran in explained if ran.code)


@pytest.mark.parametrize(
    ("option", "value"), [("--depth", "6"), ("--depth", "x"), ("--doc-type", " "), ("--link-type", "")]
)
def test_an_invalid_ranking_option_is_an_error(run, option, value):
    ran = run("search", "oak", option, value)
    assert ran.code == 2
    assert re.search(rf"{option}: .*; allowed is ", ran.err)


def test_an_endlessly_nested_pipeline_is_an_error(run):
    ran = run("search", "oak", "--pipeline", '{"stages":' + "[" * 100_000)
    assert ran.code == 2
    assert ran.err.startswith("vaultseek: pipeline: ")


def test_an_explanation_reports_a_corrected_query(run):
    assert run("explain", '"oak', "Home").err.startswith("corrected: ")


def test_json_is_one_object(run):
    pytest.importorskip("lsp_server.wire.encode")
    ran = run("search", "stands", "--json")
    answer = json.loads(ran.out)
    assert ran.out.count("\n") == 1
    assert [result["id"] for result in answer["results"]] == ["Home.md"]
    assert answer["total"] == 1
    nothing = run("search", "zzz", "--json")
    assert (nothing.code, json.loads(nothing.out)["results"]) == (1, [])


PAIR = """
--- Oak.md
acorns and galls, see [[Elm]]
--- Elm.md
samaras
--- Gall.md
galls on acorns
--- Tax.md
form
"""


def test_related_notes_come_with_their_reasons(run, tmp_path):
    write(tmp_path, PAIR)
    ran = run("related", "Oak", "--mode", "keyword")
    assert (ran.code, ran.err) == (0, "")
    assert "Gall.md:1" in ran.out
    assert 'Shares "acorns" and "galls"' in ran.out
    assert "It is linked from here" in ran.out
    assert re.search(r"^ 2\. Gall  Gall\.md:1$", ran.out, re.MULTILINE)  # no word for a strength
    assert "Tax.md" not in ran.out


def test_related_notes_are_one_json_object_for_scripts(run, tmp_path):
    write(tmp_path, PAIR)
    answer = json.loads(run("related", "Oak.md", "--mode", "keyword", "--json", "--limit", "1").out)
    assert (len(answer["results"]), answer["total"]) == (1, 5)
    assert "strengthLevel" not in answer["results"][0]
    assert answer["results"][0]["strength"] == answer["results"][0]["score"]
    assert set(answer["results"][0]) >= {"id", "uri", "score", "reason", "isLinked", "explanation"}


def test_notes_that_are_linked_already_can_come_last_or_be_left_out(run, tmp_path):
    write(tmp_path, PAIR)

    def found(linked):
        answer = json.loads(run("related", "Oak", "--mode", "keyword", "--json", "--linked", linked).out)
        return [(item["id"], item["isLinked"]) for item in answer["results"]]

    assert ("Elm.md", True) in found("include")
    assert found("last") == sorted(found("include"), key=lambda item: item[1])
    assert found("exclude") == [item for item in found("include") if not item[1]]
    assert "last" in run("related", "Oak", "--linked", "first").err


def test_no_related_notes_give_1(run, tmp_path):
    write(tmp_path, PAIR)
    assert run("related", "Tax", "--mode", "keyword").code == 1


def test_linked_notes_are_shown_on_request(run, tmp_path):
    (tmp_path / "Up.md").write_text("---\nup: '[[x/Elm]]'\n---\nbirch ![[Home]]\n")
    assert "links to" not in run("search", "birch").out
    assert "    links to x/Elm.md (up), Home.md (embed)\n" in run("search", "birch", "--include-linked").out
    assert "    links to x/Elm.md; linked from Up.md (embed)\n" in run("search", "Welcome", "--include-linked").out
    assert "links to" not in run("search", "Ash", "--include-linked").out
    answer = json.loads(run("search", "birch", "--include-linked", "--json").out)
    assert [page["types"] for page in answer["results"][0]["linkedPages"]] == [["up"], ["embed"]]


def test_files_are_searched_by_name_only(run):
    assert set(run("search", "elm").notes) == {"x/Elm.md", "Home.md"}
    assert run("search", "elm", "--files").notes == ["x/Elm.md"]


def test_explain_reports_how_a_misspelt_word_was_corrected(run, tmp_path):
    (tmp_path / "Weather.md").write_text("A thunderstorm came.\n")
    ran = run("explain", "thunderstrom", "Weather")
    assert ran.code == 0
    assert 'corrected: Did you mean "thunderstorm"?' in ran.err


KINDS = """
--- tagged.md
plain text #red
--- word.md
light energy
--- tar.md
unpack with tar -xvf archive.tgz, at -5 °C
--- pitch.md
tar and pitch, at 5 °C
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "notes", "message"),
    [
        (["tag:red", "OR", "energy"], ["tagged.md", "word.md"], ""),
        (["tar", "-xvf"], ["pitch.md", "tar.md"], "‘-xvf’ is read as text"),
        (["archive -5 °C"], ["pitch.md", "tar.md"], ""),
        (["tar", "-pitch"], ["tar.md"], "‘-pitch’ excludes notes; to search for such text, put it in quotes"),
        (["energy", "NOT", "dark"], ["word.md"], "‘NOT’ at column 8 is read as a word"),
    ],
)
def test_every_kind_of_query_is_answered_in_both_modes(run, tmp_path, arguments, notes, message):
    vault = str(write(tmp_path / "kinds", KINDS))
    for mode in ("keyword", "hybrid"):
        ran = run("search", "--vault", vault, "--mode", mode, *arguments)
        found = [note.rpartition("/")[2] for note in ran.notes]
        assert set(notes) <= set(found)
        assert message in ran.err
        why = run("explain", "--vault", vault, "--mode", mode, " ".join(arguments), notes[0])
        assert f"It ranks {found.index(notes[0]) + 1} of" in why.out


@pytest.mark.parametrize("option", ["--json", "--explain"])
def test_an_answer_for_scripts_or_with_an_explanation_has_the_terms_of_its_scores(run, option):
    shown = run("search", "stands", option).out
    if option == "--json":
        (found,) = [step for step in json.loads(shown)["results"][0]["explanation"]["trail"] if step["kind"] == "found"]
        (term,) = found["terms"]
        assert (term["term"], term["df"], term["score"]) == ("stands", 1, pytest.approx(found["raw"]))
    else:
        assert re.search(r"^ {8}[\d.]+ stands in body 1 \[.+\]$", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("query", "code", "code_with_weak"),
    [
        (["oak"], 0, 0),
        (["zeppelin", "frotz", "gnusto", "welcome"], 1, 0),  # only "welcome" is in a note
        (["frotz"], 1, 1),
        (["tag:tree"], 0, 0),  # without words there is no strength
    ],
)
def test_only_weak_results_count_as_none_for_a_script(run, query, code, code_with_weak):
    assert run("search", *query).code == code
    ran = run("search", "--weak", *query)
    assert (ran.code, bool(ran.notes)) == (code_with_weak, code_with_weak == 0)
    assert ran.notes == run("search", *query).notes


def test_a_result_in_a_pdf_has_its_page(run, tmp_path):
    (tmp_path / "paper.pdf").write_bytes(pdf("oaks", "a hornbeam"))
    assert "1. paper  paper.pdf#page=2" in run("search", "hornbeam").out.replace(f"{tmp_path}/", "")
    (found,) = json.loads(run("search", "hornbeam", "--json").out)["results"]
    assert (found["snippets"][0]["page"], found["snippets"][0]["range"]["start"]["line"]) == (2, 0)
    (tmp_path / "paper.pdf").unlink()


def test_a_pdf_without_text_has_no_place_as_its_excerpt_is_of_another_note(run, tmp_path):
    (tmp_path / "scan.pdf").write_bytes(pdf("", ""))
    (tmp_path / "deeds.md").write_text("The lease: ![[scan.pdf]].\n", encoding="utf-8")
    shown = run("search", "scan", "type:pdf").out.replace(f"{tmp_path}/", "")
    assert "1. scan  scan.pdf  " in shown
    assert "deeds: The lease: ![[scan.pdf]]." in shown
    for name in ("scan.pdf", "deeds.md"):
        (tmp_path / name).unlink()
