"""The sentences of a list of related notes."""

from search.answer.ranking import Hit
from search.answer.trail import Fused
from search.ids import NoteId
from search.navigation.reasons import Reasons, sentences


def check(rows, expected):
    """`rows`: what can be said of each note, and what each source added to its score."""
    hits = [
        (reasons, Hit.found(NoteId("n"), *(Fused(source, 1, 1.0, amount) for source, amount in amounts.items())))
        for reasons, amounts in rows
    ]
    assert sentences(hits) == expected


def test_strongest_reason_comes_first_and_plain_meaning_last():
    """Without siblings the amounts decide, except that meaning without a section says least."""
    one = Reasons(words=["zebra"], tags=["garden"])
    check([(one, {"meaning": 0.9, "words": 0.2, "tags": 0.3})], ['Shares #garden; shares "zebra"; similar in meaning.'])
    check([(Reasons(section="Feeding"), {"meaning": 0.9})], ['Like its section "Feeding".'])
    check([(Reasons(), {"meaning": 0.9})], ["Similar in meaning."])


def test_what_all_rows_share_begins_none_of_them():
    """The next reason that differs comes first, also if it is the fourth."""
    amounts = {"tags": 0.5, "folder": 0.4, "words": 0.3, "citations": 0.2, "meaning": 0.1}
    rows = [Reasons(tags=["t"], folder="f", words=["oak"], citing=[title]) for title in ("A", "B", "C", "D")]
    check(
        [(row, amounts) for row in rows],
        [f'"{row.citing[0]}" links to both; shares #t; both are in f/.' for row in rows],
    )


def test_list_of_words_begins_with_one_that_the_siblings_do_not_have():
    """The other words keep their order."""
    rows = [Reasons(words=["oak", "elm", word]) for word in ("ash", "fir", "yew", "box")]
    check([(row, {"words": 1.0}) for row in rows], [f'Shares "{row.words[2]}", "oak" and "elm".' for row in rows])


def test_rows_that_share_everything_keep_their_order():
    """There is nothing better to begin with."""
    row = (Reasons(tags=["t"], words=["oak"]), {"tags": 0.5, "words": 0.3, "meaning": 0.9})
    check([row, row], ['Shares #t; shares "oak"; similar in meaning.'] * 2)
