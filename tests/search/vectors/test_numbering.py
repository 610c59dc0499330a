"""Numbers of notes, against a plain dictionary."""

from hypothesis import given, settings
from hypothesis import strategies as st

from search.ids import NoteId
from search.vectors.numbering import Numbering


class OneHash(str):
    """A name whose hash is that of all others."""

    __slots__ = ()

    def __hash__(self):
        return 7

    __eq__ = str.__eq__


_NAMES = st.sampled_from(["oak", "elm", "fir", "ash", "yew"])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), _NAMES, _NAMES),
        st.tuples(st.just("pop"), _NAMES, _NAMES),
        st.tuples(st.just("rename"), _NAMES, _NAMES),
        st.tuples(st.just("settle"), _NAMES, _NAMES),
    ),
    max_size=30,
)


@settings(max_examples=200)
@given(_STEPS, st.booleans())
def test_it_is_a_dictionary_whose_numbers_are_given_once(steps, is_one_hash):
    numbering, plain, n_given = Numbering(), {}, 0
    for what, name, other in steps:
        note, new = (OneHash(name), OneHash(other)) if is_one_hash else (NoteId(name), NoteId(other))
        if what == "add" and note not in plain:
            numbering.add([note])
            numbering.place()
            plain[note] = n_given
            n_given += 1
        elif what == "pop":
            assert numbering.pop(note) == plain.pop(note, None)
        elif what == "rename" and new not in plain:
            numbering.rename(note, new)
            if note in plain:
                plain[new] = plain.pop(note)
        elif what == "settle":
            numbering._settle()
        assert {name: numbering.get(name) for name in numbering} == plain
        assert list(numbering) == sorted(plain, key=plain.get)
        assert (len(numbering), numbering.n_given) == (len(plain), n_given)
        assert all(numbering.name(number) == name for name, number in plain.items())
        assert all((name in numbering) == (name in plain) for name in (note, new))


def test_a_copy_is_apart():
    numbering = Numbering()
    numbering.add([NoteId("oak"), NoteId("elm")])
    numbering.place()
    copied = numbering.copy()
    numbering.rename(NoteId("oak"), NoteId("fir"))
    numbering.pop(NoteId("elm"))
    assert list(copied) == ["oak", "elm"]
    assert list(numbering) == ["fir"]


def test_many_notes_are_settled_by_themselves():
    numbering = Numbering()
    names = [NoteId(f"{number}.md") for number in range(2000)]
    for at in range(0, 2000, 40):
        numbering.add(names[at : at + 40])
        numbering.place()
    assert [numbering.get(name) for name in names] == list(range(2000))
    assert len(numbering._recent) < 600


def test_what_was_added_is_found_once_it_is_placed():
    numbering = Numbering()
    names = [NoteId(f"{number}.md") for number in range(1000)]
    numbering.add(names)
    assert numbering.get(names[0]) is None
    assert (len(numbering), list(numbering)) == (1000, names)
    numbering.place()
    assert [numbering.get(name) for name in names] == list(range(1000))
