"""Properties of answers with query understanding, over random small vaults: it adds to the typed words."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.answer.trail import replay
from search.budget import UNLIMITED
from search.execution.understanding import Idea, ideas_of
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.ranking.presets import balanced, intent_hybrid, tiered_lexical
from search.ranking.rank import rank
from search.ranking.request import Request
from search.syntax import parse
from search.vault.daily import DailyNotes
from search.vault.markdown import parse_note

FEW = settings(max_examples=40, deadline=None)
NOW = datetime(2024, 1, 10, 12, tzinfo=UTC).timestamp()
PATHS = ["a.md", "RRF.md", "2024-01-09.md", "adr/2024-01-05.md", "x/Last Week.md", "x/y/b.md"]
WORDS = [
    "oak",
    "RRF",
    "Reciprocal Rank Fusion (RRF)",
    "[[a]]",
    "[[RRF]]",
    "#net",
    "decision",
    "yesterday",
    "fix",
    "bug",
]
ASKED = [
    *WORDS,
    "last week",
    "January 5th",
    "2024-01",
    "why",
    "the",
    "may",
    "-oak",
    "#net",
    '"RRF"',
    "folder:x",
    "crash",
]

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
vaults = st.fixed_dictionaries(dict.fromkeys(PATHS, texts))
queries = st.lists(st.sampled_from(ASKED), min_size=1, max_size=4).map(" ".join)
presets = st.sampled_from([balanced(), tiered_lexical(), intent_hybrid()])


class Known:
    """A corpus as query understanding sees it."""

    def __init__(self, texts_of):
        self.corpus, self.texts = Corpus(), texts_of
        self.corpus.update(parse_note(NoteId(path), text, modified=NOW - 86400) for path, text in texts_of.items())
        self.notes = self.corpus.notes
        self.resolve_link = self.corpus.resolve_link

    def notes_named(self, name):
        """The notes of this name."""
        return self.corpus.names.notes_named(name)

    def notes_with_token(self, token, at_most):
        """The notes with this token."""
        return self.corpus.notes_with_token(token, at_most=at_most)

    def text_of(self, note):
        """The note's text."""
        return self.texts[note]

    def daily_notes(self):
        """Obsidian's default settings."""
        return DailyNotes()


def ranked(known, query, pipeline, *, is_understood=True, allowed=None):
    parsed = parse(query)
    understand = Understanding(lexicon(), zone=UTC)
    ideas = ideas_of(pipeline) if is_understood else frozenset[Idea]()
    understood = understand(parsed, known, ideas, NOW, UNLIMITED)
    request = Request(
        query=Query(text=query), parsed=parsed, pipeline=pipeline, allowed=allowed, understood=understood, now=NOW
    )
    found = rank(request, known.corpus)
    return understood, found


@FEW
@given(vaults, queries, presets)
def test_scores_are_the_replay_of_their_trails_and_in_range(vault, query, pipeline):
    _, found = ranked(Known(vault), query, pipeline)
    assert all(hit.score == replay(hit.trail) and 0.02 <= hit.score <= 0.98 for hit in found.ranking)


@FEW
@given(vaults, queries, presets)
def test_understanding_loses_hits_only_if_the_query_is_nothing_but_a_date(vault, query, pipeline):
    known = Known(vault)
    understood, found = ranked(known, query, pipeline)
    _, plain = ranked(known, query, pipeline, is_understood=False)
    if not understood.is_only_date:
        assert found.ranking.ranks.keys() >= plain.ranking.ranks.keys()


@FEW
@given(vaults, queries, st.sets(st.sampled_from(PATHS)), presets)
def test_query_understanding_obeys_the_filter(vault, query, allowed, pipeline):
    allowed = frozenset(map(NoteId, allowed))
    _, found = ranked(Known(vault), query, pipeline, allowed=allowed)
    assert found.ranking.ranks.keys() <= allowed


@FEW
@given(vaults, st.sampled_from(["[[a]]", "[[RRF]] oak", "oak [[x/y/b]]"]))
def test_a_note_named_in_the_query_comes_first(vault, query):
    understood, found = ranked(Known(vault), query, intent_hybrid())
    assert found.ranking.hits[0].id == understood.pins[0].note


@FEW
@given(vaults, st.sampled_from(["RRF", "RRF oak"]))
def test_the_expansion_of_an_acronym_ranks_below_the_acronym(vault, query):
    vault = {**vault, "x/only-long.md": "reciprocal rank fusion", "x/only-short.md": "RRF"}
    _, found = ranked(Known(vault), query, intent_hybrid())
    assert found.retrieval.lexical.ranks["x/only-short.md"] < found.retrieval.lexical.ranks["x/only-long.md"]
