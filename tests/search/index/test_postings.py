"""Posting lists: adding, replacing, removing and merging."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.tokens import Grade
from search.answer.evidence import Field
from search.index import postings as module
from search.index.postings import FIELDS, Postings
from search.index.vocabulary import GRADE_BIT

BODY = len(FIELDS) - 1
NO_TOKENS = np.empty(0, np.uint32)


def note(*body, title=()):
    return [np.array(title, np.uint32), *[NO_TOKENS] * (len(FIELDS) - 2), np.array(body, np.uint32)]


def table(postings, words):
    """(note, field, count) of every posting of the words."""
    found = postings.find(np.array(words, np.uint32))
    rows = zip(found.slots.tolist(), found.fields.tolist(), found.counts.tolist(), strict=True)
    return sorted((postings.notes[slot], FIELDS[field], count) for slot, field, count in rows)


def test_a_token_is_found_by_note_and_field_with_its_count():
    postings = Postings().with_notes([("a", note(1, 1, 2, title=[1])), ("b", note(2))])
    assert table(postings, [1]) == [("a", "body", 2.0), ("a", "title", 1.0)]
    assert table(postings, [2]) == [("a", "body", 1.0), ("b", "body", 1.0)]
    assert table(postings, [3]) == []
    assert table(postings, []) == []


def test_empty_postings_find_nothing():
    assert table(Postings(), [1]) == []
    assert Postings().mean_lengths.tolist() == [1.0] * len(FIELDS)


def test_a_changed_note_is_found_by_its_new_tokens_only():
    postings = Postings().with_notes([("a", note(1)), ("b", note(1))]).with_notes([("a", note(2))])
    assert table(postings, [1]) == [("b", "body", 1.0)]
    assert table(postings, [2]) == [("a", "body", 1.0)]
    assert len(postings) == 2


def test_postings_are_immutable():
    before = Postings().with_notes([("a", note(1))])
    before.with_notes([("a", note(2)), ("b", note(1))])
    before.without(["a"])
    assert table(before, [1]) == [("a", "body", 1.0)]


def test_removing_an_unknown_note_changes_nothing():
    postings = Postings().with_notes([("a", note(1))])
    assert postings.without(["b"]) is postings


def test_the_last_version_of_a_note_in_a_batch_counts():
    assert table(Postings().with_notes([("a", note(1)), ("a", note(2))]), [1, 2]) == [("a", "body", 1.0)]


def test_mean_lengths_are_over_current_notes_and_at_least_one():
    postings = Postings().with_notes([("a", note(1, 1, 1)), ("b", note(1)), ("c", note(*range(99)))]).without(["c"])
    assert postings.mean_lengths[BODY] == 2.0
    assert postings.mean_lengths[0] == 1.0


def test_a_hidden_token_counts_half_in_the_length_of_its_field():
    hidden = Grade.HIDDEN << GRADE_BIT
    postings = Postings().with_notes([("a.md", note(1, 2, 3, 4 | hidden, 5 | hidden))])
    assert postings.lengths[0, BODY] == 3 + 2 * 0.5


def test_counts_saturate_at_65535():
    postings = Postings().with_notes([("a", note(*[7] * 70_000))])
    assert table(postings, [7]) == [("a", "body", 65_535.0)]


def test_many_small_batches_leave_few_segments():
    postings = Postings()
    for number in range(200):
        postings = postings.with_notes([(f"n{number}", note(number, 500))])
    assert len(postings.segments) <= 16
    assert len(table(postings, [500])) == 200


def test_merging_changes_nothing_but_the_segments():
    postings = Postings()
    for number in range(20):
        postings = postings.with_notes([(f"n{number % 15}", note(number % 3, 7, 7, 400_000 + number))])
    merged = postings.merged()
    assert len(merged.segments) == 1 < len(postings.segments)
    for tokens in ([0], [1, 2], [7], [400_019], [0, 7, 9], [400_003]):
        assert table(merged, tokens) == table(postings, tokens)
    (segment,) = merged.segments
    assert len(segment) == segment.starts[-1] == len(segment.places) == len(segment.counts)
    assert segment.starts[0] == 0
    assert (np.diff(segment.starts) > 0).all(), "no token without postings, though some were only in old versions"
    assert (np.diff(segment.words.astype(np.int64)) > 0).all()
    keys = np.repeat(segment.words.astype(np.int64), np.diff(segment.starts)) << 32 | segment.places
    assert (np.diff(keys) > 0).all(), "sorted by token and place"
    assert Postings().merged().segments == ()


def test_a_token_keeps_its_grades_apart_through_merges_and_removals(monkeypatch):
    """A note that has a word whole and as a part has two postings of it in one field."""
    monkeypatch.setattr(module, "_COMPACT_AT", 2)
    postings = Postings()
    for number in range(12):
        body = [7, 1 << 30 | 7, 2 << 30 | 8, 7, 9]
        postings = postings.with_notes([(f"n{number % 3}", note(*body)), ("other", note(1 << 30 | 7))])
    for version in (postings, postings.merged()):
        found = version.find(np.array([7], np.uint32))
        rows = zip(found.slots.tolist(), found.grades.tolist(), found.counts.tolist(), strict=True)
        assert sorted((version.notes[slot], grade, count) for slot, grade, count in rows) == [
            *(row for name in ("n0", "n1", "n2") for row in ((name, 0, 2), (name, 1, 1))),
            ("other", 1, 1),
        ]
        assert set(found.fields.tolist()) == {BODY}
        assert found.grades[found.parts].tolist() == [1] * 4
        assert version.find(np.array([8], np.uint32)).grades.tolist() == [2] * 3


def test_the_weight_of_an_occurrence_follows_the_formula():
    postings = Postings().with_notes([("a.md", note(1, 2, 3)), ("b.md", note(1))])
    weights, b = [2.0] * len(FIELDS), [0.5] * len(FIELDS)
    body = FIELDS.index(Field.BODY)
    at_place = postings.place_weights(weights, b)
    assert at_place[0 << 3 | body] == pytest.approx(2.0 / (1 - 0.5 + 0.5 * 3 / 2))  # 3 tokens, 2 in the mean
    assert at_place[1 << 3 | body] == pytest.approx(2.0 / (1 - 0.5 + 0.5 * 1 / 2))
    assert postings.place_weights(weights, b) is at_place
    assert postings.place_weights(weights, [0.0] * len(FIELDS))[1 << 3 | body] == 2.0


def test_dead_slots_are_removed(monkeypatch):
    monkeypatch.setattr(module, "_COMPACT_AT", 4)
    postings = Postings()
    for version in range(20):
        postings = postings.with_notes([("a", note(version, title=[99])), ("b", note(50))])
    assert len(postings.notes) <= 8
    assert table(postings, [19, 50, 99]) == [("a", "body", 1.0), ("a", "title", 1.0), ("b", "body", 1.0)]
    assert table(postings, [18]) == []


CHANGES = st.lists(
    st.tuples(st.sampled_from("abcde"), st.none() | st.lists(st.integers(0, 6), max_size=5)), max_size=30
)


@given(CHANGES, st.integers(1, 5))
def test_postings_agree_with_a_plain_dictionary(changes, compact_at):
    expected: dict[str, Counter[int]] = {}
    old, module._COMPACT_AT = module._COMPACT_AT, compact_at
    try:
        postings = Postings()
        for name, body in changes:
            if body is None:
                postings = postings.without([name])
                expected.pop(name, None)
            else:
                postings = postings.with_notes([(name, note(*body))])
                expected[name] = Counter(body)
    finally:
        module._COMPACT_AT = old
    for word in range(7):
        rows = [(name, "body", float(counts[word])) for name, counts in sorted(expected.items()) if counts[word]]
        assert table(postings, [word]) == rows
    assert set(postings.slots) == set(expected)


FEW = Postings().with_notes(
    [("a", note(1, 1, 2, title=[1])), ("b", note(2, 3)), ("c", note(1, 3, 3)), ("d", note(title=[2, 3]))]
)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_postings_are_the_same_in_blocks(monkeypatch, size):
    monkeypatch.setattr(module, "_BLOCK", size)
    found = FEW.find(np.array([1, 3], np.uint32))
    blocks = list(found.blocks())
    assert max(map(len, blocks)) <= max(size, 1)
    assert [place for part in blocks for place in part.graded_places.tolist()] == found.graded_places.tolist()
    assert [count for part in blocks for count in part.counts.tolist()] == found.counts.tolist()
    assert found.held_by(4).tolist() == [True, True, True, True]
    some = found.in_slots(np.array([False, True, True, False]))
    assert {FEW.notes[slot] for slot in some.slots.tolist()} == {"b", "c"}
    assert sorted(some.counts.tolist()) == [1, 1, 2]


def test_no_postings_have_one_empty_block():
    found = FEW.find(np.array([9], np.uint32))
    assert [len(part) for part in found.blocks()] == [0]
    assert not found.held_by(4).any()
    assert len(found.in_slots(np.ones(4, np.bool_))) == 0


@pytest.mark.parametrize("words", [[1], [3, 1], [2, 9, 3], []])
def test_long_and_short_lists_are_found_in_the_same_order(monkeypatch, words):
    def places(n_postings):
        monkeypatch.setattr(module, "_LONG_LISTS", n_postings)
        found = FEW.find(np.array(words, np.uint32))
        return found.graded_places.tolist(), found.counts.tolist()

    assert places(0) == places(1000)


def test_other_files_do_not_make_a_word_of_the_notes_more_common():
    notes = [(f"{number}.md", note(1)) for number in range(3)] + [("3.md", note(2))]
    files = [(f"{number}.pdf", note(1, 2, 3)) for number in range(8)] + [("a.png", note(2))]
    alone, among = Postings().with_notes(notes), Postings().with_notes([*notes, *files])

    def df(postings, word):
        has_word = np.zeros(len(postings.notes), np.bool_)
        has_word[postings.find(np.array([word], np.uint32)).slots] = True
        return postings.document_frequency(has_word)

    assert [df(postings, word) for postings in (alone, among) for word in (1, 2)] == [3, 1, 3, 1]
    assert (df(alone, 3), df(among, 3)) == (0, 4)  # all files have it, so it counts as in all notes
    assert alone.n_weighing == among.n_weighing == 4
    assert among.n_counted == 12


def test_in_a_vault_without_notes_all_files_count():
    postings = Postings().with_notes([("a.pdf", note(1)), ("b.pdf", note(2)), ("c.png", note(1))])
    assert postings.n_weighing == 2
