"""The languages of notes, and whether a query is in a language that a model cannot read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.languages import PARAGRAPHS, QUESTIONS

from search.index.corpus import Corpus
from search.index.note_languages import language_of
from search.vault.markdown import parse_note

READABLE = frozenset({"english"})
FOREIGN = [language for language in PARAGRAPHS if language != "english"]


def corpus_of(*bodies):
    corpus = Corpus()
    corpus.update(parse_note(f"{number}.md", body) for number, body in enumerate(bodies))
    return corpus


def is_foreign(query, corpus):
    return corpus.languages.is_foreign(query, READABLE, corpus.postings)


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in PARAGRAPHS.items() for text in texts])
def test_a_sentence_has_the_language_it_is_written_in(language, text):
    """As a text, and as a note of a vault."""
    assert language_of(text) == language
    assert corpus_of(text).languages.of("0.md") == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "milk, eggs, flour",
        "```\nfor a in b: die(sum(a))\n```",
        "Müller, Björk, Šmíd",
        "- [ ] tar -x -v -a -i\n- [ ] ls -e -o",
        "望远镜朝南停放",
        "José Ángel Núñez",
        "- `de`\n- `en`\n- `es`\n- `vi`\n- `da`\n- `no`",
    ],
)
def test_lists_code_and_names_have_no_language(text):
    assert language_of(text) == ""
    assert corpus_of(text).languages.of("0.md") == ""


@pytest.mark.parametrize(
    "text",
    [
        "The café was full of naïve tourists who had come to see the Müller-Šmíd façade, and it was not at all cheap.",
        "This is the plan: read Der Prozess by Kafka, Die Blechtrommel by Grass and Das Parfum, as it is on the list.",
        "In Hà Nội and Đà Nẵng you can eat phở and bánh mì on the street, which is as good as it is cheap.",
    ],
)
def test_english_with_foreign_names_is_english(text):
    assert language_of(text) == "english"


def test_a_language_without_a_list_is_recognized_by_its_accents():
    text = "Ağ üzərində işləyən köhnə şəbəkə qurğuları tez-tez yenidən başladılır, çünki yaddaşları kiçikdir"
    assert language_of(text) == "other"
    assert language_of("Dvořák, Žižek") == ""


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("望远镜朝南停放", True),
        ("การปล่อยให้แป้งพัก", True),
        ("🍵", True),
        ("望远镜 telescope, parked facing south", False),
        ("Żółć, Šmíd", False),
        ("1 + 1 = 2", False),
        ("", False),
        (PARAGRAPHS["german"][0], False),
    ],
)
def test_a_note_without_a_language_may_be_in_another_script(text, is_other):
    languages = corpus_of(text).languages
    restored = Corpus().languages
    restored.restore(languages.saved())
    readable = frozenset(FOREIGN)
    for one in (languages, restored):
        assert one.unreadable(readable) == ({"0.md"} if is_other else set())
        assert one.of("0.md") == languages.of("0.md")


def test_a_note_that_is_translated_or_removed_is_in_no_other_script():
    corpus = corpus_of("望远镜朝南停放", "望远镜朝南停放")
    corpus.update([parse_note("0.md", "A telescope")])
    corpus.remove(["1.md"])
    assert corpus.languages.unreadable(READABLE) == set()


def test_notes_in_another_script_say_nothing_about_the_language_of_a_query():
    assert not is_foreign("望远镜", corpus_of("望远镜朝南停放", PARAGRAPHS["english"][0]))


def test_a_changed_note_is_judged_again_and_a_removed_one_has_no_language():
    corpus = corpus_of(PARAGRAPHS["german"][0])
    corpus.update([parse_note("0.md", PARAGRAPHS["english"][0])])
    assert corpus.languages.of("0.md") == "english"
    corpus.update([parse_note("0.md", "milk")])
    assert corpus.languages.of("0.md") == ""
    corpus.update([parse_note("0.md", PARAGRAPHS["german"][0])])
    corpus.remove(["0.md"])
    assert corpus.languages.of("0.md") == ""


@pytest.fixture(scope="module", params=[*FOREIGN, "all"])
def mixed(request):
    """A vault in English and another language, or all of them."""
    languages = FOREIGN if request.param == "all" else [request.param]
    return languages, corpus_of(*PARAGRAPHS["english"], *(text for name in languages for text in PARAGRAPHS[name]))


def test_a_question_in_another_language_of_the_vault_is_foreign(mixed):
    languages, corpus = mixed
    for language in languages:
        for question in QUESTIONS[language]:
            assert is_foreign(question, corpus), question


def test_an_english_query_is_not_foreign_in_a_mixed_vault(mixed):
    for question in QUESTIONS["english"]:
        assert not is_foreign(question, mixed[1]), question


def test_a_query_of_unknown_words_is_not_foreign(mixed):
    """No word of the vault can find a note for it, so its meaning is the only hope."""
    assert not is_foreign("telemetry seeds", mixed[1])
    assert not is_foreign("", mixed[1])
    assert not is_foreign("?!", mixed[1])


def test_one_word_that_only_a_foreign_note_has_does_not_make_a_query_foreign():
    """It may be a name or a loan word."""
    corpus = corpus_of(*PARAGRAPHS["english"], *PARAGRAPHS["german"], "Der Kindergarten ist nicht weit und von hier.")
    assert not is_foreign("kindergarten", corpus)
    assert not is_foreign("kindergarten teacher", corpus)


def test_one_word_is_enough_where_no_note_is_english():
    assert is_foreign("leuchtturm", corpus_of(*PARAGRAPHS["german"]))


def test_the_fewer_foreign_notes_a_vault_has_the_more_a_query_must_say():
    german = "Der Zug fährt nicht und das ist Rocket League und Quantum Physics von heute."
    few = corpus_of(*(f"The {word} is for you and it was not on the list." for word in map(str, range(200))), german)
    assert not is_foreign("rocket league", few)
    assert is_foreign("der zug fährt nicht, das ist", few)


@given(st.lists(st.sampled_from([word for texts in QUESTIONS.values() for text in texts for word in text.split()])))
def test_no_query_is_foreign_in_an_english_vault(words):
    assert not is_foreign(" ".join(words), ENGLISH_VAULT)


@given(st.text())
def test_any_text_has_a_language_or_none(text):
    language_of(text)
    is_foreign(text, ALL)


ENGLISH_VAULT = corpus_of(*PARAGRAPHS["english"], "milk, eggs", "望远镜朝南停放")
ALL = corpus_of(*(text for texts in PARAGRAPHS.values() for text in texts))
