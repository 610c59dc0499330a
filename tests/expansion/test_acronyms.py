"""Acronyms: from the list, and from the definitions in a vault's notes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.acronyms import AcronymBook, definitions, read_acronyms
from expansion.tables import TomlTable, packaged
from search.analysis.fold import fold
from search.analysis.tokens import tokens
from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ConfigError
from search.ids import NoteId
from search.vault.note import Note


@pytest.mark.parametrize(
    ("text", "acronym", "expected"),
    [
        ("Scores are fused by Reciprocal Rank Fusion (RRF).", "rrf", ("Reciprocal Rank Fusion",)),
        ("A map of content (MOC) helps", "moc", ("map of content",)),
        ("the Department of Redundancy (DR)", "dr", ("Department of Redundancy",)),
        ("RRF (reciprocal rank fusion) is old", "rrf", ("reciprocal rank fusion",)),
        ("two Access-Control Lists (ACLs)", "acl", ("Access-Control Lists",)),
        ("**Personal Knowledge Management** (PKM)", "pkm", ("Personal Knowledge Management",)),
        ("Größter Anzunehmender Unfall (GAU)", "gau", ("Größter Anzunehmender Unfall",)),
        ("the fusion (RRF)", "rrf", ()),
        ("Rank. Fusion (RF)", "rf", ()),
        ("RRF (see below)", "rrf", ()),
        ("XRRF (reciprocal rank fusion)", "rrf", ()),
        ("nothing", "rrf", ()),
        ("(RRF)", "rrf", ()),
        ("reciprocal rank fusion (rrf)", "rrf", ()),
    ],
)
def test_definitions_of_an_acronym_in_a_text(text, acronym, expected):
    assert definitions(text, acronym) == expected


class Vault:
    """A vault of texts that counts how often one is read."""

    def __init__(self, **texts):
        self.texts = {NoteId(f"{name}.md"): text for name, text in texts.items()}
        self.notes = {name: Note(name, name) for name in self.texts}
        self.n_read = 0

    def text_of(self, name):
        """A note's text."""
        self.n_read += 1
        return self.texts[name]

    def notes_with_token(self, token, at_most):
        """The notes with a token."""
        found = frozenset(name for name, text in self.texts.items() if token in tokens(text))
        return found if len(found) <= at_most else None


def expand(text, vault=None, book=None, known=()):
    book = book or AcronymBook(dict(known))
    found = book.expand(text, vault or Vault(), budget=UNLIMITED)
    return [(meaning.typed, meaning.text, meaning.why.partition(", as in ")[2]) for meaning in found]


LEARNT = Vault(fusion="We use Reciprocal Rank Fusion (RRF) here.", other="RRF is fine.", oak="An oak.")


@pytest.mark.parametrize("query", ["RRF", "rrf", "how does RRF work", "Rrf?"])
def test_acronym_is_learnt_from_the_vault(query):
    ((_, meaning, where),) = expand(query, LEARNT)
    assert (meaning, where) == ("Reciprocal Rank Fusion", "fusion.md")


def test_phrase_finds_its_acronym():
    assert expand("tune reciprocal rank fusion", LEARNT) == [("reciprocal rank fusion", "RRF", "fusion.md")]


@pytest.mark.parametrize("query", ["RRF reciprocal rank fusion", "oak", "who am i", "", "2024 3D5", "a b c d e f g h"])
def test_words_that_the_query_already_contains_are_not_added(query):
    assert [text for _, text, _ in expand(query, LEARNT) if text != "RRF"] == []


def test_meanings_of_the_list_come_first_and_need_no_vault():
    known = {"rrf": ("rapid response force",)}
    assert [text for _, text, _ in expand("RRF", LEARNT, known=known)] == [
        "rapid response force",
        "Reciprocal Rank Fusion",
    ]
    assert expand("rapid response force", known=known) == [("rapid response force", "RRF", "")]


def test_notes_are_read_once_and_again_only_when_they_change():
    vault, book = Vault(a="Rank Fusion (RF)", b="RF"), AcronymBook({})
    expand("RF", vault, book)
    assert vault.n_read == 2
    expand("RF", vault, book)
    assert vault.n_read == 2
    vault.texts["b.md"] = "Radio Frequency (RF)"
    vault.notes["b.md"] = Note(NoteId("b.md"), "b")
    assert [text for _, text, _ in expand("RF", vault, book)] == ["Radio Frequency", "Rank Fusion"]
    assert vault.n_read == 3
    del vault.texts["a.md"], vault.notes["a.md"]
    assert [text for _, text, _ in expand("RF", vault, book)] == ["Radio Frequency"]


def test_note_that_was_removed_meanwhile_is_skipped():
    vault = Vault(a="Rank Fusion (RF)", b="Radio Frequency (RF)")
    del vault.notes["a.md"]
    assert [text for _, text, _ in expand("RF", vault)] == ["Radio Frequency"]


def test_cache_of_definitions_is_bounded(monkeypatch):
    monkeypatch.setattr("expansion.acronyms._MAX_CACHED", 2)
    vault, book = Vault(a="Rank Fusion (RF)", b="Air Bus (AB)", c="Open Kitchen (OK)"), AcronymBook({})
    for query in ("RF", "AB", "OK"):
        expand(query, vault, book)
    assert len(book._defined) == 1


def test_meaning_that_most_notes_give_comes_first():
    vault = Vault(a="Radio Frequency (RF)", b="Rank Fusion (RF)", c="rank fusion (RF)")
    assert [text for _, text, _ in expand("RF", vault)] == ["Rank Fusion", "Radio Frequency"]


def test_notes_of_a_frequent_word_are_not_read():
    vault = Vault(**{f"n{at}": "The oak tree is an Open Access Kind (OAK)." for at in range(60)})
    assert expand("oak", vault) == []
    assert vault.n_read == 0
    assert expand("OAK", vault)
    crowd = Vault(**{f"n{at}": "Open Access Kind (OAK)." for at in range(500)})
    assert expand("OAK", crowd) == []


def test_cancelled_query_reads_no_more_notes():
    with pytest.raises(Cancelled):
        AcronymBook({}).expand("RRF", LEARNT, budget=Budget(is_cancelled=lambda: True))


def test_packaged_list_is_valid():
    known = read_acronyms(packaged("acronyms"))
    assert known["pkm"] == ("personal knowledge management",)
    assert all(meaning == fold(meaning) for meanings in known.values() for meaning in meanings)


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"X": ["y"]}, "acronyms.X"),
        ({"1234": ["y"]}, "acronyms.1234"),
        ({"TOOLONGNAME": ["y"]}, "acronyms.TOOLONGNAME"),
        ({"AB": "x"}, "acronyms.AB"),
        ({"AB": ["..."]}, "acronyms.AB"),
    ],
)
def test_error_names_the_bad_entry(values, where):
    with pytest.raises(ConfigError) as caught:
        read_acronyms(TomlTable("acronyms", values))
    assert caught.value.path == where


@given(st.text(max_size=80), st.text(max_size=60))
def test_no_text_raises(query, note):
    vault = Vault(a=note, b=f"Some Thing (ST) {query}")
    for _, text, _ in expand(query, vault):
        assert text


@given(st.text(alphabet="RFrf() .\n-", max_size=60))
def test_definition_is_part_of_its_text(text):
    assert all(meaning in text for meaning in definitions(text, "rf"))
