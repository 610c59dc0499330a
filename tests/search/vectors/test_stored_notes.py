"""The map of a store's notes: each note comes out as it was put in, in order, and a copy never changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.vectors.record import hash_bytes, pack_chunks, packed_hashes, unpack_chunks
from search.vectors.stored_notes import StoredNote, StoredNotes

OAK, ELM, ASH = NoteId("oak.md"), NoteId("elm.md"), NoteId("ash.md")

numbers = st.integers(0, 2**32 - 1) | st.integers(65_530, 65_540)
hashes = st.binary(min_size=16, max_size=16).map(bytes.hex)
lines = st.tuples(numbers, numbers).map(sorted)
chunks = st.lists(st.tuples(lines, hashes).map(lambda chunk: (*chunk[0], chunk[1])), max_size=4)
notes = st.builds(
    StoredNote,
    hashes | st.just(""),
    chunks.map(pack_chunks),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**63),
    st.integers(0, 2**32 - 1),
)


def note(length: int = 1, *text_hashes: str) -> StoredNote:
    return StoredNote("", pack_chunks((0, 1, text_hash) for text_hash in text_hashes), 1, 0, length)


@given(chunks)
def test_packed_chunks_are_unpacked_unchanged(some):
    packed = pack_chunks(some)
    assert [(chunk.start_line, chunk.end_line, chunk.text_hash) for chunk in unpack_chunks(packed)] == some
    assert [each.hex() for each in packed_hashes(packed)] == [text_hash for _, _, text_hash in some]


@given(notes)
def test_what_is_put_in_comes_out(stored):
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


def test_live_bytes_are_the_lengths_of_the_notes_that_are_there():
    kept = StoredNotes()
    kept.put(OAK, note(5))
    kept.put(ELM, note(7))
    kept.put(OAK, note(2))
    assert kept.live_bytes == 9
    kept.drop(ELM)
    kept.drop(ASH)
    assert kept.live_bytes == 2


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
    assert (dict(again), again.live_bytes) == ({ELM: note()}, 1)


def test_a_chunk_is_found_in_any_note_that_has_it():
    """This also holds after a second note with the chunk replaced the first one in the map and then lost the chunk."""
    one, other = "0" * 32, "f" * 32
    kept = StoredNotes()
    kept.put(OAK, note(1, one))
    assert kept.note_with(hash_bytes(one)) == OAK
    kept.put(ELM, note(1, one, other))
    kept.put(ELM, note(1, other))
    assert kept.note_with(hash_bytes(one)) == OAK
    assert kept.note_with(hash_bytes(other)) == ELM
    kept.drop(ELM)
    assert kept.note_with(hash_bytes(other)) is None
