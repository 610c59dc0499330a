"""Inputs that broke other products, each as a whole kind, through the whole pipeline."""

import os
import threading
import unicodedata

import pytest

from search.answer.evidence import MatchKind
from search.budget import Budget, Cancelled
from search.engine import Engine
from search.ids import NoteId
from search.notice import NoticeKind
from search.query import Query
from vaults import ask, codes, highlighted, ids, write


def check(root, vault, query, expected):
    """The notes that `query` finds in `vault` begin with `expected`; nothing expected means nothing found."""
    found = ask(Engine(write(root, vault)), query)
    assert found[: max(1, len(expected))] == expected


# 1: a name that is the query comes first

DIARY = "3 1 budget reset the router meeting notes from r " * 30


@pytest.mark.parametrize(
    ("path", "text", "query", "why"),
    [
        ("3.1. Budget.md", "x", "3.1. Budget", "exact title"),
        ("3.1. Budget.md", "x", "3.1. budget", "exact title"),
        ("3.1. Budget.md", "x", "3.1. Budget.md", "exact title"),
        ("money/3.1. Budget.md", "x", "money/3.1. Budget.md", "exact title"),
        ("3.1. Budget.md", "x", "3 1 budget", "exact title"),
        ("m.md", "---\ntitle: 3.1. Budget\n---\nx", "3.1. Budget", "exact title"),
        ("m.md", "# 3.1. Budget\nx", "3.1. Budget", "exact title"),
        ("m.md", "---\naliases: [3.1. Budget]\n---\nx", "3.1. Budget", "exact alias"),
        ("3.1. Budget.md", "# Money\nx", "3.1. Budget", "exact file name"),
        ("R.md", "x", "r", "exact title"),
        ("Reset the router.md", "x", "how do I reset the router?", "exact title"),
        ("….md", "x", "…", "exact title"),
    ],
)
def test_a_note_of_that_name_stands_before_texts_that_repeat_its_words(tmp_path, path, text, query, why):
    engine = Engine(write(tmp_path, f"--- {path}\n{text}\n--- Diary.md\n{DIARY}"))
    result = engine.search(Query(text=query))
    assert ids(result)[0] == path
    assert result.hits[0].sentence.startswith(why.replace("exact ", "").capitalize() + " is exactly")


def test_all_notes_of_that_name_stand_first(tmp_path):
    engine = Engine(write(tmp_path, f"--- a/Budget.md\nx\n--- b/Budget.md\ny\n--- Diary.md\n{DIARY}"))
    assert sorted(ask(engine, "budget")[:2]) == ["a/Budget.md", "b/Budget.md"]


def test_a_name_does_not_pass_a_filter(tmp_path):
    engine = Engine(write(tmp_path, "--- a/Budget.md\nx\n--- b/Other.md\nbudget"))
    assert ask(engine, "budget", folder="b") == ["b/Other.md"]


def test_a_named_note_is_never_cut_with_the_candidates(tmp_path):
    """Here every other note covers the query as well as its name does."""
    others = "".join(f"--- Budget {n}.md\nbudget budget budget\n" for n in range(40))
    engine = Engine(write(tmp_path, f"{others}--- Budget.md\nx"))
    assert ask(engine, "budget", candidate_limit=10)[0] == "Budget.md"


# 2: sentences


@pytest.mark.parametrize(
    ("query", "glue"),
    [
        ("how do I reset the router?", "how do I do the what is it with a "),
        ("Wie setze ich den Router zurück? reset router", "wie ich den der die das und "),
        ("comment est-ce que je reset le router", "comment est que je le la de "),
        ("cómo hago para que el router reset", "como para que el la de y "),
        ("как мне сделать reset router", "как мне это и в на "),
    ],
)
def test_a_sentence_finds_its_subject_not_the_longest_note(tmp_path, query, glue):
    vault = f"--- Router.md\nhold reset ten seconds to restore the router\n--- Log.md\n{glue * 800}"
    check(tmp_path, vault, query, ["Router.md"])


def test_glue_words_find_nothing_by_themselves_beside_a_subject(tmp_path):
    engine = Engine(write(tmp_path, "--- Router.md\nreset it\n--- Log.md\nhow do I do the what"))
    assert ask(engine, "how do I reset the router?") == ["Router.md"]


def test_a_query_of_nothing_but_glue_is_taken_as_it_is(tmp_path):
    check(tmp_path, "--- Hamlet.md\nto be or not to be\n--- Log.md\nreset", '"to be or not to be"', ["Hamlet.md"])
    assert "Hamlet.md" in ask(Engine(tmp_path), "to be")


# 3: scripts without spaces


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("今日は構造化知識を学ぶ", "知識"),
        ("今日は構造化知識を学ぶ", "学"),
        ("今日は構造化知識を学ぶ", "化知"),
        ("今日は構造化知識を学ぶ", "構造化知識"),
        ("今日は構造化知識を学ぶ", "ぶ"),
        ("中文编程很有意思", "编程"),
        ("中文编程很有意思", "思"),
        ("データベースの設計", "ベース"),
        ("한국어로 검색합니다", "검색"),
        ("한국어로 검색합니다", "국"),
        ("ภาษาไทยค้นหาได้", "ค้นหา"),
        ("mixed 知識base text", "知識"),
        ("mixed 知識base text", "base"),
    ],
)
def test_a_run_is_found_anywhere_and_highlighted_exactly(tmp_path, text, query):
    engine = Engine(write(tmp_path, f"--- note.md\n{text}\n--- other.md\nnothing of the kind"))
    result = engine.search(Query(text=query))
    assert ids(result) == ["note.md"]
    assert "".join(highlighted(result, "note.md")) == query


def test_the_voicing_mark_of_kana_is_no_accent(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\nはし\n--- b.md\nばし"))
    assert ask(engine, "ばし") == ["b.md"]


# 4: words with joiners

JOINED = """
--- whole.md
max_retry_count = 3, since v2026.4.10
--- parts.md
max of retry, count of 2026 in 4 or 10
--- other.md
nothing here
"""


@pytest.mark.parametrize("query", ["max_retry_count", "retry", "2026.4.10", '"2026.4.10"', "MAX_RETRY", "v2026.4.10"])
def test_what_is_joined_is_found_whole_and_in_parts(tmp_path, query):
    assert "whole.md" in ask(Engine(write(tmp_path, JOINED)), query)


@pytest.mark.parametrize(
    ("whole", "parts", "query"),
    [
        ("max_retry_count = 3", "max of retry, count of it", "max_retry_count"),
        ("since 2026.4.10 then", "in 2026 of 4 or 10", "2026.4.10"),
        ("call getUserById now", "get the user by id", "getUserById"),
        ("with Next.js here", "next to js", "Next.js"),
        ("by e-mail only", "e or mail", "e-mail"),
        ("about AT&T here", "at t", "AT&T"),
        ("don't go", "don and t", "don't"),
        ("write to ann@oak.org", "ann at oak, org", "ann@oak.org"),
    ],
)
def test_the_whole_form_ranks_above_its_parts(tmp_path, whole, parts, query):
    check(tmp_path, f"--- a parts.md\n{parts}\n--- b whole.md\n{whole}", query, ["b whole.md"])


# 5: what looks like syntax

SYNTAX = "--- pre.md\npre-edit hook\n--- edit.md\nedit only\n--- company.md\nA-Company\n--- foo.md\nfoo and bar, x, a"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pre-edit", "pre.md"),
        ("A-Company", "company.md"),
        ("pre-edit -only", "pre.md"),
        ("foo:bar*^~", "foo.md"),
        ("foo~2", "foo.md"),
        ("foo^3", "foo.md"),
        ("+foo", "foo.md"),
        ("foo*", "foo.md"),
        ("foo && bar", "foo.md"),
        ("foo AND bar", "foo.md"),
        ("NOT edit hook", "pre.md"),
    ],
)
def test_a_query_means_its_words_whatever_other_engines_read_in_it(tmp_path, query, first):
    check(tmp_path, SYNTAX, query, [first])


@pytest.mark.parametrize(
    "query",
    [
        "a AND",
        "(",
        ")",
        '"',
        '"x',
        "/x",
        "-",
        "--",
        "OR",
        "OR foo",
        "foo OR",
        "[",
        "[x",
        "[x:",
        "tag:",
        "foo:",
        ":",
        "*",
    ],
)
def test_a_broken_query_is_answered(tmp_path, query):
    result = Engine(write(tmp_path, SYNTAX)).search(Query(text=query))
    assert result.is_complete
    assert all(notice.message for notice in result.notices)


@pytest.mark.parametrize(
    ("query", "found"), [('"foo', "foo.md"), ("(foo", "foo.md"), ("foo OR", "foo.md"), ("/foo", "foo.md")]
)
def test_what_does_not_parse_is_its_words_with_a_notice(tmp_path, query, found):
    result = Engine(write(tmp_path, SYNTAX)).search(Query(text=query))
    assert ids(result)[:1] == [found]
    if query != "/foo":
        assert {notice.kind for notice in result.notices} == {NoticeKind.CORRECTED}


def test_an_excluded_word_excludes(tmp_path):
    assert ask(Engine(write(tmp_path, SYNTAX)), "edit -only") == ["pre.md"]


# 6: signs

SIGNS = """
--- cpp.md
C++ tips
--- c.md
C tips C tips C tips
--- csharp.md
C# tips
--- § 12 Law.md
paragraph
--- rd.md
our R&D team
--- r.md
R and D
--- net.md
.NET tips
--- price.md
costs 5 €
--- mood.md
fine 🙂
"""


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", "cpp.md"),
        ("c++", "cpp.md"),
        ("C#", "csharp.md"),
        ("C++ tips", "cpp.md"),
        ("§", "§ 12 Law.md"),
        ("§ 12", "§ 12 Law.md"),
        ("R&D", "rd.md"),
        (".NET", "net.md"),
        ("€", "price.md"),
        ("🙂", "mood.md"),
        ("C", "c.md"),
    ],
)
def test_signs_can_be_asked_for(tmp_path, query, first):
    check(tmp_path, SIGNS, query, [first])


# 7: the exact word first


def test_an_exact_word_stands_before_a_frequent_neighbour(tmp_path):
    vault = f"--- exact.md\nhypercalcemia {'other words ' * 50}\n--- near.md\n{'hyperglycemia ' * 20}"
    check(tmp_path, vault, "hypercalcemia", ["exact.md"])


@pytest.mark.parametrize(
    ("query", "kind"),
    [("calcemia", MatchKind.INNER), ("calcemia note", MatchKind.INNER), ("hypercalc note", MatchKind.INNER)],
)
def test_a_word_inside_another_is_below_the_word_and_marked_as_such(tmp_path, query, kind):
    word = query.split()[0]
    vault = f"--- a inner.md\n{'hypercalcemia ' * 20}\n--- b exact.md\n{word} {'other words ' * 50}"
    result = Engine(write(tmp_path, vault)).search(Query(text=query))
    assert ids(result) == ["b exact.md", "a inner.md"]
    assert {match.kind for match in result.hits[1].hit.evidence.matches} == {kind}


def test_what_the_last_word_may_become_is_found_and_marked_as_such(tmp_path):
    result = Engine(write(tmp_path, "--- a.md\nhypercalcemia")).search(Query(text="hyperc"))
    assert [match.kind for match in result.hits[0].hit.evidence.matches] == [MatchKind.PREFIX]


# 8: one letter, several spellings

ACCENTED = unicodedata.normalize("NFD", "Phénomène.md")


@pytest.mark.parametrize("query", ["phenomene", "Phénomène", "PHÉNOMÈNE", unicodedata.normalize("NFD", "phénomène")])
def test_a_decomposed_file_name_is_found_in_every_spelling(tmp_path, query):
    engine = Engine(write(tmp_path, f"--- {ACCENTED}\nx\n--- Links.md\nsee [[Phénomène]]"))
    assert ask(engine, query) == [ACCENTED, "Links.md"]
    assert (tmp_path / ACCENTED).exists()


def test_a_composed_link_leads_to_a_decomposed_file(tmp_path):
    engine = Engine(write(tmp_path, f"--- {ACCENTED}\nx\n--- Links.md\nsee [[Phénomène]]"))
    found = {hit.hit.id: hit.hit.evidence.graph for hit in engine.search(Query(text="phenomene")).hits}
    assert found[NoteId(ACCENTED)].backlinks == 1


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Straße", "strasse"),
        ("STRASSE", "straße"),
        ("İstanbul", "istanbul"),
        ("Ελλάδα", "ελλαδα"),
        ("ΟΔΟΣ", "οδός"),
        ("Привет", "привет"),
        ("Ёлка", "елка"),
        ("naïve", "naive"),
        ("naive", "naïve"),
        ("ﬁnal", "final"),
        ("ＡＢＣ", "abc"),
        ("x² and", "x2"),
    ],
)
def test_a_word_is_found_in_any_case_and_with_or_without_accents(tmp_path, text, query):
    result = Engine(write(tmp_path, f"--- a.md\nsee {text} here")).search(Query(text=query))
    assert ids(result) == ["a.md"]
    assert highlighted(result, "a.md") == [text.removesuffix(" and")]


# 11: machine-made giants


def test_a_drawing_costs_little_is_found_by_its_name_and_named_in_a_notice(tmp_path):
    small = "".join(f"--- small {n}.md\nneedle number {n}\n" for n in range(5))
    line = "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZ"
    block = "\n".join([line * 3] * 4000)
    fence = f"%%\n## Drawing\n```compressed-json\n{block}\n```\n%%"
    drawing = f"---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nlabel ^x1\n{fence}"
    engine = Engine(write(tmp_path, f"{small}--- Map.excalidraw.md\n{drawing}"))
    assert len(ask(engine, "needle")) == 5
    assert ask(engine, "map")[0] == "Map.excalidraw.md"
    assert ask(engine, line) == []
    assert [notice.subject for notice in engine.status().notices] == ["Map.excalidraw.md"]
    assert engine.status().n_words < 100


# 12: front matter in every shape


@pytest.mark.parametrize(
    ("front", "query", "is_found"),
    [
        ("tags: 2024", "tag:2024", False),
        ("tags: 2024", "body", True),
        ("tags:", "body", True),
        ("tags: a, b", "tag:a", True),
        ("tags: a, b", "tag:b", True),
        ("tags: [x, null, 3]", "tag:x", True),
        ("tags: [x, null, 3]", "tag:null", False),
        ("tags: {a: 1}", "body", True),
        ("aliases: Foo, Bar", "Bar", True),
        ("aliases: Foo, Bar", "Foo", True),
        ("aliases: 7", "7", True),
        ("aliases: [x, null, [y]]", "x", True),
        ("tags: [a", "body", True),
        ("tags: [a", '"tags"', True),
        ("author: John Doe", "doe", True),
        ("status: draft", '"status"', False),
        ("priority: 1", '"1"', True),
        ("done: true", "true", True),
        ("date: 2024-01-05", "2024-01-05", True),
        ("nested: {deep: buried}", "buried", False),
    ],
)
def test_no_front_matter_loses_the_note(tmp_path, front, query, is_found):
    engine = Engine(write(tmp_path, f"--- a.md\n---\n{front}\n---\nbody\n--- other.md\nother"))
    assert ask(engine, query) == (["a.md"] if is_found else [])


# 13: links between notes of like names

AMBIGUOUS = """
--- todo.md
subject
--- another-todo.md
subject
--- a/b/todo.md
subject
"""


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("[[todo]]", "todo.md"),
        ("[[a/b/todo|t]]", "a/b/todo.md"),
        ("[t](./todo.md#h)", "todo.md"),
        ("[[another-todo#x|y]]", "another-todo.md"),
        ("![[todo]]", "todo.md"),
        ("[[TODO]]", "todo.md"),
    ],
)
def test_a_link_counts_for_exactly_the_note_it_names(tmp_path, link, target):
    engine = Engine(write(tmp_path, f"{AMBIGUOUS}--- linker.md\nsubject {link}"))
    hits = engine.search(Query(text="subject")).hits
    linked = {
        found.hit.id: graph.backlinks for found in hits if (graph := found.hit.evidence.graph) and graph.backlinks
    }
    assert linked == {target: 1}


def test_a_link_to_a_note_that_was_never_written_is_no_note(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\nsee [[never written]]"))
    assert ask(engine, "never written") == ["a.md"]
    assert engine.status().n_notes == 1


# 14: changes outside of the editor


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock():
    return Clock()


def later(clock, engine, query):
    """What a query finds when the next sweep is due."""
    clock.now += 1.0
    return ask(engine, query)


def test_a_save_by_rename_is_seen(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\nold words"), clock=clock)
    assert ask(engine, "old") == ["a.md"]
    write(tmp_path, "--- a.md.tmp\nnew words")
    (tmp_path / "a.md.tmp").replace(tmp_path / "a.md")
    assert later(clock, engine, "new") == ["a.md"]
    assert ask(engine, "old") == []


def test_a_deleted_note_is_gone_and_a_new_one_is_there(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak\n--- b.md\noak"), clock=clock)
    assert sorted(ask(engine, "oak")) == ["a.md", "b.md"]
    (tmp_path / "b.md").unlink()
    write(tmp_path, "--- deep/er/c.md\noak")
    assert sorted(later(clock, engine, "oak")) == ["a.md", "deep/er/c.md"]


def test_a_renamed_note_and_a_renamed_folder_are_found_under_their_new_paths(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak\n--- x/b.md\nelm"), clock=clock)
    ask(engine, "oak")
    (tmp_path / "a.md").rename(tmp_path / "z.md")
    (tmp_path / "x").rename(tmp_path / "y")
    assert later(clock, engine, "oak") == ["z.md"]
    assert ask(engine, "elm") == ["y/b.md"]
    assert engine.status().n_notes == 2


def test_a_name_that_changes_its_case_only_is_the_new_one(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- note.md\noak"), clock=clock)
    ask(engine, "oak")
    (tmp_path / "note.md").rename(tmp_path / "Note.md")
    assert later(clock, engine, "oak") == ["Note.md"]


def test_links_follow_the_changes(tmp_path, clock):
    """`[[b]]` leads nowhere until b.md is written."""
    engine = Engine(write(tmp_path, "--- a.md\noak [[b]]\n--- c.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "--- b.md\noak")
    clock.now += 1.0
    graph = {hit.hit.id: hit.hit.evidence.graph for hit in engine.search(Query(text="oak")).hits}
    assert graph[NoteId("b.md")].backlinks == 1


def test_an_edit_that_keeps_size_and_time_is_seen_after_a_hint(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    file = tmp_path / "a.md"
    os.utime(file, ns=(10**18, 10**18))
    assert ask(engine, "oak") == ["a.md"]
    file.write_text("elm", encoding="utf-8")
    os.utime(file, ns=(10**18, 10**18))
    engine.hint([NoteId("a.md")])
    assert ask(engine, "elm") == ["a.md"]
    assert ask(engine, "oak") == []


def test_files_are_looked_at_once_a_second_however_many_ask(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "--- b.md\noak")
    clock.now += 0.9
    assert ask(engine, "oak") == ["a.md"]
    clock.now += 0.1
    assert sorted(ask(engine, "oak")) == ["a.md", "b.md"]


# 15: answers that nobody waits for


def cancelled_after(n_checks):
    """A budget that is cancelled at its nth check, and the list of its checks."""
    checks = []

    def is_cancelled():
        checks.append(None)
        return len(checks) > n_checks

    return Budget(is_cancelled=is_cancelled), checks


@pytest.mark.parametrize("n_checks", [0, 1, 3, 8])
def test_a_cancelled_search_stops_at_its_next_check(tmp_path, n_checks):
    vault = "".join(f"--- n{n}.md\noak elm\n" for n in range(100))
    engine = Engine(write(tmp_path, vault))
    ask(engine, "oak")
    budget, checks = cancelled_after(n_checks)
    with pytest.raises(Cancelled):
        engine.search(Query(text="oak elm"), budget=budget)
    assert len(checks) == n_checks + 1
    assert len(ask(engine, "oak")) == 30


def test_a_search_that_is_cancelled_while_it_reads_loses_no_note(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "".join(f"--- n{n}.md\noak\n" for n in range(20)))
    n_cancelled = 0
    for n_checks in range(100):
        budget, _ = cancelled_after(n_checks)
        try:
            result = engine.search(Query(text="oak"), budget=budget)
            break
        except Cancelled:
            n_cancelled += 1
            clock.now += 1.0
    assert n_cancelled > 5
    assert (len(result.hits), result.is_complete) == (21, True)


def test_a_search_that_is_cancelled_while_others_read_stops_waiting(tmp_path):
    vault = "".join(f"--- n{n}.md\noak\n" for n in range(300))
    engine = Engine(write(tmp_path, vault))
    with pytest.raises(Cancelled):
        engine.search(Query(text="oak"), budget=Budget(is_cancelled=lambda: True))
    assert len(ask(engine, "oak", limit=100)) == 100


def test_of_thirty_searches_the_one_that_is_wanted_is_answered(tmp_path):
    """Each letter typed cancels the search before it."""
    text = "antidisestablishmentarianismxyz"
    vault = "".join(f"--- n{n}.md\n{text} {n}\n" for n in range(200))
    engine = Engine(write(tmp_path, vault))
    flags = [threading.Event() for _ in range(30)]
    outcomes: dict[int, object] = {}

    def search(n):
        try:
            budget = Budget(is_cancelled=flags[n].is_set)
            outcomes[n] = engine.search(Query(text=text[: n + 1]), budget=budget).total
        except Cancelled:
            outcomes[n] = None

    threads = [threading.Thread(target=search, args=(n,)) for n in range(30)]
    for flag in flags[:-1]:
        flag.set()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {**dict.fromkeys(range(29)), 29: 200}


def test_no_notice_where_there_is_nothing_to_say(tmp_path):
    assert codes(Engine(write(tmp_path, "--- a.md\noak")).search(Query(text="oak"))) == []
