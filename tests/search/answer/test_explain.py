"""The explanation of a hit: as a sentence and as arithmetic."""

import pytest

from search.answer.evidence import Evidence, Field, FieldMatch, FolderEvidence, GraphEvidence, MatchKind
from search.answer.explain import render_trail, sentence
from search.answer.ranking import Hit
from search.answer.term_score import FieldCount, FrequencyPart, TermScore
from search.answer.trail import Arithmetic, Found, Fused, Replaced, Scaled

FOLDER = FolderEvidence("network", 3, 5, 1.15)
GRAPH = GraphEvidence(1, 0, 0, 1.0, 1.069)


def hit(*steps, **evidence) -> Hit[str]:
    return Hit.found("a.md", Found("lexical", 7.0), *steps, evidence=Evidence(**evidence))


def words(field: Field, *queries: str, kind: MatchKind = MatchKind.WORD) -> tuple[FieldMatch, ...]:
    return tuple(FieldMatch(field, query, 1.0, kind=kind) for query in queries)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ({}, "Passes the filters."),
        ({"matches": words(Field.BODY, "reset")}, '"reset" in the text.'),
        (
            {
                "matches": words(Field.BODY, "reset", "router") + words(Field.TITLE, "router"),
                "folder": FOLDER,
                "graph": GRAPH,
            },
            '"router" in the title, "reset" in the text; 3 of 5 notes in network/ match.',
        ),
        (
            {"matches": words(Field.BODY, *"abcde")},
            '"a", "b", "c" and 2 more in the text.',
        ),
        (
            {"matches": words(Field.TITLE, "rou", kind=MatchKind.PREFIX)},
            'A word that begins with "rou" in the title.',
        ),
        (
            {"matches": words(Field.BODY, "oute", kind=MatchKind.INNER)},
            '"oute" inside a word in the text.',
        ),
        (
            {"matches": words(Field.TAGS, "x", kind=MatchKind.INNER) + words(Field.TAGS, "x", "x")},
            '"x" among the tags.',
        ),
        ({"cosine": 0.8}, "Similar in meaning."),
        ({"matches": words(Field.PATH, "a"), "cosine": 0.8}, '"a" in the path; similar in meaning.'),
        ({"folder": FolderEvidence("", 2, 4, 1.15)}, "2 of 4 notes in the top folder match."),
        (
            {"graph": GraphEvidence(2, 1, 3, 3.4, 1.148)},
            "Linked from 2 other results; cited with other results in 1 note; shares 3 tags with other results.",
        ),
        ({"exact_name": "3.1. Budget"}, 'Name is exactly "3.1. Budget".'),
        ({"matches": words(Field.BODY, "a\nb\0c")}, '"a b c" in the text.'),
    ],
)
def test_the_sentence_says_why_a_note_was_found(evidence, expected):
    assert sentence(hit(**evidence)) == expected


@pytest.mark.parametrize(
    ("why", "start"),
    [("exact title", "Title"), ("exact alias", "Alias"), ("exact file name", "File name")],
)
def test_the_sentence_names_the_kind_of_an_exact_name_and_omits_word_matches(why, start):
    found = hit(
        Scaled("title", 2.0, why), exact_name="3.1. Budget", matches=words(Field.TITLE, "budget"), folder=FOLDER
    )
    assert sentence(found) == f'{start} is exactly "3.1. Budget"; 3 of 5 notes in network/ match.'


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        (words(Field.BODY, "dome") + words(Field.TITLE, "dome") + words(Field.PATH, "dome"), '"dome" in the title.'),
        (
            words(Field.BODY, "dome", "motor") + words(Field.HEADINGS, "dome") + words(Field.TITLE, "motor"),
            '"motor" in the title, "dome" in a heading.',
        ),
        (
            words(Field.TITLE, "ice", kind=MatchKind.INNER) + words(Field.BODY, "ice"),
            '"ice" in the text.',
        ),
        (
            words(Field.TITLE, "dome") + words(Field.TITLE, "wash", kind=MatchKind.STEM) + words(Field.BODY, "wash"),
            '"dome" and a form of "wash" in the title.',
        ),
        (
            words(Field.TITLE, *"ab") + words(Field.TITLE, *"cd", kind=MatchKind.STEM),
            '"a", "b", a form of "c" and 1 more in the title.',
        ),
        (
            words(Field.TITLE, "a") + words(Field.TAGS, "b") + words(Field.LINKS, "c") + words(Field.BODY, "d"),
            '"a" in the title, "b" among the tags.',
        ),
        (words(Field.TITLE, "望远", "远镜"), '"望远镜" in the title.'),
        (words(Field.TITLE, "天文", "远镜"), '"天文" and "远镜" in the title.'),
        (words(Field.TITLE, "ab", "bc"), '"ab" and "bc" in the title.'),
        (
            words(Field.BODY, "CCD (charge-coupled device)", kind=MatchKind.EXPANSION),
            "CCD (charge-coupled device) in the text.",
        ),
        (
            (*words(Field.BODY, "dome"), FieldMatch(Field.TITLE, "roof", 1.0, is_suggested=True)),
            '"dome" in the text, the suggested "roof" in the title.',
        ),
    ],
)
def test_each_word_is_named_once_where_it_tells_most(matches, expected):
    assert sentence(hit(matches=matches)) == expected


def test_a_correction_is_named_by_the_note_s_word():
    match = FieldMatch(Field.BODY, "dmoe", 1.0, kind=MatchKind.NEAR, form="dome")
    assert sentence(hit(matches=(match,))) == '"dome" (corrected) in the text.'


def test_a_sentence_stays_within_100_characters_and_keeps_its_first_reason():
    long = "router" * 100
    everything = tuple(
        match
        for field in Field
        for kind in MatchKind
        for match in words(field, *(f"{at}{long}" for at in range(9)), kind=kind)
    )
    found = hit(matches=everything, folder=FolderEvidence(long, 3, 5, 1.1), graph=GRAPH, cosine=0.9)
    assert sentence(found).startswith('"0routerrouter')
    assert len(sentence(found)) <= 100
    assert len(sentence(hit(exact_name=long))) <= 100
    assert sentence(hit(folder=FolderEvidence(long, 3, 5, 1.1))).endswith("…/ match.")


def test_the_arithmetic_has_one_line_for_each_step():
    steps = (
        Found("semantic", 0.8),
        Fused("lexical", 2, 0.4, 0.4 / 62),
        Fused("semantic", 1, 0.6, 0.6 / 61),
        Scaled("folder", 1.15, "3 of 5 notes in nextjs/ match"),
        Replaced("normalize", 0.98, "minmax over 3 results"),
    )
    assert render_trail(hit(*steps).trail) == (
        "lexical found it with 7",
        "semantic found it with 0.8",
        "+ 0.00645161 for rank 2 in lexical, weight 0.4 = 0.00645161",
        "+ 0.00983607 for rank 1 in semantic, weight 0.6 = 0.0162877",
        "x 1.15 folder: 3 of 5 notes in nextjs/ match = 0.0187308",
        "= 0.98 normalize: minmax over 3 results",
    )
    assert render_trail(()) == ()


def test_a_reason_is_not_repeated():
    """A note named by a date is both pinned and dated."""
    why = "daily note of 2024-01-05 (January 5th)"
    hit = Hit.found("a.md", Found("newest", 1.0), evidence=Evidence(named=why, dated=why))
    assert sentence(hit) == "Daily note of 2024-01-05 (January 5th)."


def test_a_line_has_the_formula_of_its_step_with_the_numbers():
    steps = (
        Fused("lexical", 1, 0.5, 0.35, Arithmetic("weight * raw / highest", {"highest": 10.0})),
        Scaled("name", 1.3, "its name", Arithmetic("1 + strength * share", {"strength": 0.6, "share": 0.5})),
        Replaced("normalize", 0.5, "unit", Arithmetic("score / highest", {"highest": 0.91})),
    )
    assert render_trail(hit(*steps).trail)[1:] == (
        "+ 0.35 for rank 1 in lexical, weight 0.5 [0.5 * 7 / 10] = 0.35",
        "x 1.3 name: its name [1 + 0.6 * 0.5] = 0.455",
        "= 0.5 normalize: unit [0.455 / 0.91]",
    )


def test_the_terms_of_a_raw_score_follow_it():
    def count(field, count):
        numbers = {"count": count, "weight": 1.0, "b": 0.0, "length": 1.0, "mean_length": 1.0}
        return FieldCount(kind=MatchKind.WORD, field=field, **numbers)

    parts = (
        FrequencyPart(scale=1.0, is_saturated=False, fields=(count(Field.TITLE, 1), count(Field.BODY, 1))),
        FrequencyPart(scale=0.5, is_saturated=False, fields=(count(Field.BODY, 2),)),
    )
    term = TermScore(
        term="router", score=8.25, times=2, df=1, n_notes=9, share=1.0, idf=2.5, k1=1.2, frequency=3.0, parts=parts
    )
    assert render_trail((Found("lexical", 8.25, terms=(term,)),)) == (
        "lexical found it with 8.25",
        "  8.25 router in title 1, body 3 [2 * 2.5 * 3 * (1.2 + 1) / (3 + 1.2)]",
    )


@pytest.mark.parametrize(
    ("matches", "is_similar", "expected"),
    [
        ((FieldMatch(Field.BODY, "oak", 1.0),), True, '"oak" in the text; similar in meaning.'),
        ((FieldMatch(Field.BODY, "oak", 1.0),), False, '"oak" in the text.'),
        ((), True, "Similar in meaning."),
        ((), False, "Hardly similar in meaning."),
    ],
)
def test_a_cosine_that_is_only_noise_is_no_reason(matches, is_similar, expected):
    hit = Hit.found("a.md", Found("semantic", 0.1), evidence=Evidence(matches=matches, cosine=0.1))
    assert sentence(hit, is_similar=is_similar) == expected


def test_a_name_that_is_hardly_similar_is_not_said_to_pass_the_filters():
    hit = Hit.found("a.md", Found("gist", 0.21), evidence=Evidence(gist=0.21))
    assert sentence(hit, is_similar=False) == "Hardly similar in meaning."
