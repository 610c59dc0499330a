"""Which notes a filter allows, in a vault written as one string."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.fold import fold
from search.budget import Budget, Cancelled
from search.filters import evaluate as filters
from search.filters import regexes
from search.filters.evaluate import evaluate_filter
from search.filters.regexes import Regexes
from search.filters.scope import scope, unknown_names
from search.ids import NoteId
from search.notice import NoticeKind
from search.query import And, Node, Not, Operator, Or, Phrase, Query, Regex, Restricted, Word
from search.syntax import parse
from search.vault.markdown import parse_note
from search.vault.note import Note

VAULT = """
--- Router.md
---
title: The big box
aliases: [Gateway, Modem]
status: draft
rating: 4
due: null
---
Hold reset ten seconds to restore the router.

## Cables
Use blue cables.
- [ ] buy cables #home/office
- [x] plug in the box
--- work/Pre-edit.md
---
tags: [Work]
Status: [Done, checked]
rating: 9.5
---
# Hooks
A pre-edit hook, in C++, by getUserById and max_retry_count.
--- work/deep/Only.md
An edit only. #work/urgent
Commonly known.
--- workshop/Café.md
L'été au Café: 今日は構造化知識を学ぶ. #workshop
- [/] half done
"""


def read(vault: str) -> tuple[dict[NoteId, Note], dict[NoteId, str]]:
    texts = {}
    for part in vault.split("\n--- ")[1:]:
        name, _, text = part.partition("\n")
        texts[NoteId(name)] = text
    return {name: parse_note(name, text).note for name, text in texts.items()}, texts


NOTES, TEXTS = read(VAULT)
STEMS = {note.name: note.id for note in NOTES.values()}


def may_hold(text: str) -> frozenset[NoteId]:
    """The smallest superset: exactly the notes that contain the text."""
    return frozenset(
        name for name, note in NOTES.items() if text in fold("\n".join((TEXTS[name], note.title, *note.aliases, name)))
    )


def may_be_named(text: str) -> frozenset[NoteId]:
    """The same for names alone."""
    return frozenset(name for name, note in NOTES.items() if text in fold("\n".join((note.title, *note.aliases, name))))


def check(node: Node, expected: set[str]) -> None:
    for near, called in ((may_hold, may_be_named), (may_hold, lambda _: None), (lambda _: None, may_be_named)):
        found = evaluate_filter(node, NOTES, text_of=TEXTS.__getitem__, may_hold=near, may_be_named=called)
        assert {NOTES[name].name for name in found.ids} == expected
        assert found.notices == ()


ALL = {"Router", "Pre-edit", "Only", "Café"}
CASES = [
    # words and phrases
    ("(router)", {"Router"}),
    ("(modem)", {"Router"}),
    ("(big)", {"Router"}),
    ("(cafe)", {"Café"}),
    ('"l\'ete au cafe"', {"Café"}),
    ('"ten seconds"', {"Router"}),
    ('"seconds ten"', set()),
    ("(化知)", {"Café"}),
    ("(common)", {"Only"}),  # a required word matches inside longer ones
    ("reset -common", ALL),  # an excluded one does not
    ("pre-edit -only", {"Router", "Pre-edit", "Café"}),
    ("-commonly", ALL - {"Only"}),
    ("-user", ALL - {"Pre-edit"}),
    ("-retry", ALL - {"Pre-edit"}),
    ("-C++", ALL - {"Pre-edit"}),
    ("-知識", ALL - {"Café"}),
    ("-学", ALL - {"Café"}),
    ('-"common"', ALL - {"Only"}),
    ("-(-(common))", {"Only"}),
    ("(router OR hook)", {"Router", "Pre-edit"}),
    ("(edit only)", {"Only"}),
    ("(nowhere edit)", set()),
    ("(nowhere OR /nothing/)", set()),
    # tags and folders
    ("tag:work", {"Pre-edit", "Only"}),
    ("tag:#WORK", {"Pre-edit", "Only"}),
    ('tag:"work/urgent"', {"Only"}),
    ("tag:/^work$/", {"Pre-edit"}),
    ("-tag:work", {"Router", "Café"}),
    ("tag:(work OR home)", {"Router", "Pre-edit", "Only"}),
    ("tag:(work -urgent)", {"Pre-edit", "Only"}),
    ("tag:(work -work/urgent)", {"Pre-edit"}),
    ("tag:unknown", set()),
    ('tag:""', {"Pre-edit", "Only", "Router", "Café"}),
    ("folder:work", {"Pre-edit", "Only"}),
    ("folder:WORK/deep/", {"Only"}),
    ("folder:deep", {"Only"}),
    ("folder:/deep", set()),
    ("folder:/work", {"Pre-edit", "Only"}),
    ("folder:wor", set()),
    ("folder:/^work(shop)?$/", {"Pre-edit", "Café"}),
    ('folder:"/"', ALL),
    # names
    ("file:cafe", {"Café"}),
    ("file:.md", ALL),
    ("-file:edit", ALL - {"Pre-edit"}),
    ("-file:out", ALL - {"Router"}),
    ("file:work", set()),
    ("path:work", {"Pre-edit", "Only", "Café"}),
    ("path:work/deep", {"Only"}),
    ("file:/^o/", {"Only"}),
    ("match-case:file:/^o/", set()),
    ("file:(match-case:Only OR match-case:café)", {"Only"}),
    ("file:(tag:work only)", {"Only"}),
    # places in the text
    ("content:modem", {"Router"}),  # front matter is text
    ("content:Only", {"Only"}),
    ("content:Pre-edit.md", set()),
    ("line:(reset router)", {"Router"}),
    ("line:(reset cables)", set()),
    ("line:(cables -buy -use -cables)", set()),
    ("line:/^use .*cables\\.$/", {"Router"}),
    ("section:(use plug)", {"Router"}),
    ("section:(reset plug)", set()),
    ("section:(line:(use blue) box)", {"Router"}),
    ("section:(section:use box)", {"Router"}),
    ("block:(edit commonly)", {"Only"}),
    ("block:(blue box)", set()),
    ("block:(tag:work edit)", {"Pre-edit", "Only"}),
    ("block:(folder:deep path:work edit)", {"Only"}),
    ("block:([status] hook)", {"Pre-edit"}),
    ("task:cables", {"Router"}),
    ("task-todo:cables", {"Router"}),
    ("task-done:cables", set()),
    ("task-done:(plug box)", {"Router"}),
    ("task-todo:(plug OR half)", set()),
    ("task-done:half", {"Café"}),
    ('task:""', {"Router", "Café"}),
    ('task-todo:""', {"Router"}),
    ("task:hook", set()),
    # case
    ("match-case:router", {"Router"}),
    ("match-case:ROUTER", set()),
    ("match-case:(Hooks OR ROUTER)", {"Pre-edit"}),
    ("match-case:ignore-case:ROUTER", {"Router"}),
    ("match-case:line:(Hold router)", {"Router"}),
    ("line:match-case:hold", set()),
    ("match-case:(-Commonly)", ALL - {"Only"}),
    ("-match-case:Commonly", ALL - {"Only"}),
    ("-match-case:commonly", ALL),
    ("match-case:/A pre/", {"Pre-edit"}),
    ("match-case:/a pre/", set()),
    # properties
    ("[status]", {"Router", "Pre-edit"}),
    ("[STATUS:dra]", {"Router"}),
    ("[status:draft OR done]", {"Router", "Pre-edit"}),
    ("[status:done checked]", {"Pre-edit"}),
    ("[status:-done]", {"Router"}),
    ("[status:/^done$/]", {"Pre-edit"}),
    ("[status:match-case:done]", set()),
    ("[due]", {"Router"}),
    ("[due:null]", {"Router"}),
    ("[status:null]", set()),
    ("[rating:>5]", {"Pre-edit"}),
    ("[rating:<5]", {"Router"}),
    ("[status:<5]", set()),
    ("[rating:<x]", set()),
    ("[title:big]", {"Router"}),
    ("[aliases]", {"Router"}),
    ("[alias:gate]", {"Router"}),
    ("[tags:urgent]", {"Only"}),
    ("[tags:#work/u]", {"Only"}),
    ("-[tags]", set()),
    ("-[status]", {"Only", "Café"}),
    # patterns
    ("/res.t/", {"Router"}),
    ("/^gateway$/", {"Router"}),
    ("/^COMMONLY/", {"Only"}),
    ("-/res.t/", ALL - {"Router"}),
    ("tag:work /hook/", {"Pre-edit"}),
]


@pytest.mark.parametrize(("query", "expected"), CASES)
def test_a_filter_allows_the_notes_that_match_it(query, expected, monkeypatch):
    """Bare words in brackets are required, as they are inside an operator or an OR."""
    monkeypatch.setattr(regexes, "NOTE_LIMIT_S", 60.0)  # a busy machine must not decide
    parsed = parse(query)
    check(parsed.filter or And(tuple(Word(term.text) for term in parsed.terms)), expected)


def test_an_empty_and_allows_all_notes_and_an_empty_or_allows_none():
    check(And(()), ALL)
    check(Or(()), set())
    check(Word(""), ALL)


def test_a_filter_allows_nothing_in_an_empty_vault():
    assert evaluate_filter(Word("x"), {}, text_of=TEXTS.__getitem__).ids == frozenset()


def test_texts_are_read_only_where_they_can_change_the_result():
    """Tags are tested first, whatever their place in the filter, and `may_hold` narrows the rest."""
    read_ids: list[str] = []

    def text_of(name: NoteId) -> str:
        read_ids.append(name)
        return TEXTS[name]

    for query in ("line:edit tag:work/urgent", "(/edit/ OR folder:work) tag:work/urgent", '"edit only"'):
        read_ids.clear()
        found = evaluate_filter(parse(query).filter, NOTES, text_of=text_of, may_hold=may_hold)
        assert found.ids == {"work/deep/Only.md"}
        assert set(read_ids) <= {"work/deep/Only.md"}


def test_a_note_is_read_once_for_several_words(monkeypatch):
    counts: dict[str, int] = {}

    def text_of(name: NoteId) -> str:
        counts[name] = counts.get(name, 0) + 1
        return TEXTS[name]

    node = parse("(edit hook) OR (reset cables) OR block:box").filter
    evaluate_filter(node, NOTES, text_of=text_of)
    assert set(counts.values()) == {1}
    monkeypatch.setattr(filters, "_CACHED_CHARACTERS", 1)
    assert evaluate_filter(node, NOTES, text_of=text_of).ids == {"Router.md", "work/Pre-edit.md"}


def test_a_cancelled_budget_stops_the_evaluation():
    with pytest.raises(Cancelled):
        evaluate_filter(Word("x"), NOTES, text_of=TEXTS.__getitem__, budget=Budget(is_cancelled=lambda: True))


@pytest.mark.slow
@pytest.mark.timeout(20)  # without the limit it takes minutes
def test_a_catastrophic_pattern_is_abandoned_with_a_notice():
    """Each note costs at most 50 ms and all of them a second; the notice counts the notes that were not searched."""
    notes = {NoteId(f"{n:02}.md"): Note(NoteId(f"{n:02}.md"), f"{n:02}") for n in range(60)}
    texts = dict.fromkeys(notes, "a" * 5000 + "!") | {NoteId("00.md"): "aaa"}
    found = evaluate_filter(parse("/(a+)+$/").filter, notes, text_of=texts.__getitem__)
    assert found.ids == {"00.md"}
    (notice,) = found.notices
    assert (notice.kind, notice.code, notice.subject) == (NoticeKind.SKIPPED, "regex-timeout", "(a+)+$")
    assert "/(a+)+$/ takes too long; 59 notes were not fully searched" in notice.message


@pytest.mark.timeout(20)  # without the limit it takes minutes
def test_the_time_limit_of_a_note_holds_for_all_its_lines_together():
    notes = {NoteId("a.md"): Note(NoteId("a.md"), "x", n_lines=50)}
    found = evaluate_filter(parse("line:/(a+)+$/").filter, notes, text_of=lambda _: ("a" * 5000 + "!\n") * 50)
    assert (found.ids, "1 note was" in found.notices[0].message) == (frozenset(), True)


def test_patterns_stop_after_one_second_for_all_notes_together():
    ticks = iter(range(100))
    regexes = Regexes(lambda: float(next(ticks)))
    assert regexes.occurs("a", "a", NoteId("first"), is_case_sensitive=False)
    assert not regexes.occurs("a", "a", NoteId("second"), is_case_sensitive=False)
    assert regexes.timed_out == {"a": {"second"}}


LEAVES = st.sampled_from([*map(Word, ("edit", "cables", "only", "知識", "")), Phrase("pre-edit"), Regex("e.i")])
NODES = st.recursive(
    LEAVES | st.builds(Restricted, st.sampled_from([Operator.TAG, Operator.FOLDER, Operator.FILE]), LEAVES),
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(And, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
        | st.builds(Restricted, st.sampled_from(Operator), inner)
    ),
    max_leaves=6,
)


def ids_of(node: Node) -> frozenset[NoteId]:
    return evaluate_filter(node, NOTES, text_of=TEXTS.__getitem__, may_hold=may_hold).ids


@given(NODES, NODES)
def test_filters_are_an_algebra_of_sets(one, other):
    """OR is union, AND is intersection, and a less precise `may_hold` changes no result."""
    assert ids_of(And((one, other))) == ids_of(one) & ids_of(other)
    assert ids_of(Or((one, other))) == ids_of(one) | ids_of(other)
    assert ids_of(Not(Not(one))) == ids_of(one)
    assert ids_of(one) == evaluate_filter(one, NOTES, text_of=TEXTS.__getitem__).ids


@given(
    st.text()
    | st.lists(st.sampled_from(['"', "(", ")", "[", "]", "-", "/", ":", "tag:", "line:", "OR", " ", "a"])).map("".join)
)
def test_any_typed_text_can_be_evaluated(text):
    node = parse(text).filter
    if node is not None:
        assert ids_of(node) <= NOTES.keys()


def test_the_deepest_filter_that_can_be_typed_is_evaluated():
    for opening in ("(", "-(", "match-case:line:block:section:(", "tag:(", "-line:("):
        node = parse(opening * 20 + "edit" + ")" * 20).filter
        assert ids_of(node) <= NOTES.keys()
    assert ids_of(parse("[status:" * 20 + "draft" + "]" * 20).filter) == {"Router.md"}


SCOPES = [
    ({}, None, []),
    ({"folder": " / "}, None, []),
    ({"folder": "work"}, {"Pre-edit", "Only"}, []),
    ({"folder": "/WORK/deep/"}, {"Only"}, []),
    ({"folder": "deep"}, set(), ["unknown-folder"]),
    ({"tags": ("#work",)}, {"Pre-edit", "Only"}, []),
    ({"tags": ("work", "work/urgent")}, {"Only"}, []),
    ({"tags": ("wrok",)}, set(), ["unknown-tag"]),
    ({"link_types": ("Embed", "plain")}, None, []),
    ({"link_types": ("upp",)}, None, ["unknown-link-type"]),
    ({"limit_to": ("Router.md", "gone.md")}, {"Router"}, ["unknown-note"]),
    ({"limit_to": ("Router.md",), "folder": "work"}, set(), []),
]


@pytest.mark.parametrize(("options", "expected", "codes"), SCOPES)
def test_options_of_a_query_limit_the_notes_and_report_unknown_names(options, expected, codes):
    ids, notices = scope(Query(text="x", **options), NOTES)
    assert (ids if ids is None else {NOTES[name].name for name in ids}) == expected
    assert [notice.code for notice in notices] == codes


def test_unknown_names_are_reported_with_similar_ones():
    (notice,) = scope(Query(text="x", folder="wrok"), NOTES)[1]
    assert notice.message == "There is no folder ‘wrok’; similar: work."
    (notice,) = scope(Query(text="x", tags=("#urgnt", "Workshp")), {name: NOTES[name] for name in list(NOTES)[3:]})[1][
        1:
    ]
    assert notice.message == "There is no tag ‘Workshp’; similar: workshop."
    many = {NoteId(f"{n}/a.md"): Note(NoteId(f"{n}/a.md"), "a") for n in range(2001)}
    assert scope(Query(text="x", folder="20000"), many)[1][0].message == "There is no folder ‘20000’."


UNKNOWN = [
    ("tag:wrok", ["There is no tag ‘wrok’; similar: Work."]),
    ("-#nope -(tag:#nope)", ["There is no tag ‘#nope’."]),
    ("folder:wrok", ["There is no folder ‘wrok’; similar: work."]),
    ("[staus] OR [staus:draft]", ["There is no property ‘staus’; similar: status."]),
    ("[staus:(a OR b)]", ["There is no property ‘staus’; similar: status."]),
    ("x -[[nowhere]]", ["There is no note ‘nowhere’."]),
    ("line:(a tag:nope)", ["There is no tag ‘nope’."]),
    ('tag:home folder:work [rating:9] [title] -[[Router]] tag:"" tag:/x/ file:nope', []),
]


@pytest.mark.parametrize(("query", "messages"), UNKNOWN)
def test_unknown_names_in_a_filter_are_reported(query, messages):
    found = unknown_names(
        parse(query).filter, NOTES, linked=lambda name: frozenset({NoteId(f"{name}.md")} & NOTES.keys())
    )
    assert [notice.message for notice in found] == messages


def test_searching_for_a_phrase_stops_when_the_request_is_cancelled():
    notes = {NoteId(f"{n}.md"): Note(NoteId(f"{n}.md"), "x") for n in range(500)}
    asked = []

    def text_of(name: NoteId) -> str:
        asked.append(name)
        return "the ten seconds"

    with pytest.raises(Cancelled):
        evaluate_filter(
            Phrase("ten seconds"), notes, text_of=text_of, budget=Budget(is_cancelled=lambda: len(asked) > 100)
        )
    assert len(asked) < 200
