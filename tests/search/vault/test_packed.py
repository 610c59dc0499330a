"""Packed values are read when they are needed, and only those that are needed again stay in memory."""

from search.cache.plain_values import pack_compressed
from search.vault.packed import PackedDict, PackedGroup


def group_of(words, *, at_once=False):
    """A group of words, and the list of those that were read from it."""
    was_read = []

    def read(data):
        was_read.append(data.decode())
        return [data.decode()]  # a list, so that two readings are two objects

    return PackedGroup(pack_compressed([word.encode() for word in words]), read, at_once=at_once), was_read


def test_of_a_group_only_the_value_that_was_asked_for_is_read_and_kept():
    group, was_read = group_of(["oak", "elm", "fir"])
    assert group.value(1) is group.value(1)
    assert was_read == ["elm"]


def test_small_values_are_read_together():
    group, was_read = group_of(["oak", "elm"], at_once=True)
    assert [group.value(1), group.value(0)] == [["elm"], ["oak"]]
    assert was_read == ["oak", "elm"]


def test_a_value_that_is_looked_at_once_is_not_kept_but_a_kept_one_is_the_same():
    group, was_read = group_of(["oak", "elm"])
    trees = PackedDict.of_groups(["a", "b"], [group], 2)
    assert trees.transient("a") is not trees.transient("a")
    assert was_read == ["oak", "oak"]
    assert trees["a"] is trees.transient("a")


def test_all_values_are_there_whichever_were_kept():
    group, _ = group_of(["oak", "elm", "fir"])
    for at in (None, 2, 0, 1):
        kept = None if at is None else group.value(at)
        values = group.transient_values()
        assert values == [["oak"], ["elm"], ["fir"]]
        assert at is None or values[at] is kept
    assert group.transient_value(0) is group.value(0)
