"""What is stored of notes, kept as bytes: what goes in comes out, in order, and a copy stays as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.vectors.catalog import StoredNote, StoredNotes
from search.vectors.record import StoredChunk, pack_chunks

OAK, ELM, ASH = NoteId("oak.md"), NoteId("elm.md"), NoteId("ash.md")

lines = st.integers(0, 2**32 - 1) | st.integers(65_530, 65_540)
hashes = st.binary(min_size=16, max_size=16).map(bytes.hex)
chunks = st.lists(st.builds(StoredChunk, lines, lines, hashes), max_size=4)
notes = st.builds(
    StoredNote,
    st.text(max_size=200) | hashes,
    chunks.map(pack_chunks),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**63),
    st.integers(0, 2**32 - 1),
)


def note(length: int = 1) -> StoredNote:
    return StoredNote("a hash", b"", 1, 0, length)


@given(notes)
def test_what_goes_in_comes_out(stored):
    kept = StoredNotes()
    kept.put(OAK, stored)
    assert kept[OAK] == stored


def test_what_is_put_goes_to_the_end():
    kept = StoredNotes()
    for each in (OAK, ELM, ASH, OAK):
        kept.put(each, note())
    kept.drop(ELM)
    kept.drop(ELM)
    assert list(kept) == [ASH, OAK]
    assert (len(kept), ELM in kept, OAK in kept) == (2, False, True)
    with pytest.raises(KeyError):
        kept[ELM]


def test_a_copy_stays_as_it_was_whichever_of_the_two_changes():
    kept = StoredNotes()
    kept.put(OAK, note())
    copied = kept.copy()
    kept.put(OAK, note(2))
    kept.put(ELM, note())
    assert dict(copied) == {OAK: note()}
    again = kept.copy()
    again.drop(OAK)
    assert dict(kept) == {OAK: note(2), ELM: note()}
    assert dict(again) == {ELM: note()}
