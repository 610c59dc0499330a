"""What a reranker reads: from each of the best notes, the passage that matches best."""

from collections.abc import Mapping

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.index.indexer import Indexer
from search.ranking.rank import Ranked
from search.snippets.excerpts import beginning, excerpts, lines_of
from search.snippets.passage import passage
from search.snippets.spots import highlight_terms
from search.stages.rerank import Rerank


def rerank_stage(ranked: Ranked) -> Rerank | None:
    """The pipeline's rerank stage, None if it has none."""
    return next((stage for stage in ranked.request.pipeline.stages if isinstance(stage, Rerank)), None)


def passages_of(
    ranked: Ranked,
    *,
    n_notes: int,
    n_characters: int,
    indexer: Indexer,
    budget: Budget = UNLIMITED,
) -> Mapping[NoteId, str]:
    """The best `n_notes` before the first stage, in their order, each with at most `n_characters`.

    A passage begins where the note is nearest in meaning, else with the section of its best line. Deleted notes are
    left out.
    """
    with indexer.lock:
        chosen = [(hit, note) for hit in ranked.fused.top(n_notes) if (note := indexer.corpus.notes.get(hit.id))]
    wanted = highlight_terms(((item.term, item.idf) for item in ranked.weighed), ranked.request.phrases)
    found: dict[NoteId, str] = {}
    for hit, note in chosen:
        budget.check()
        text = indexer.vault.text(hit.id)
        if lines := hit.evidence.semantic_lines:
            line = lines[0]
        else:
            seen = lines_of(text)
            best = excerpts(note, seen, wanted, n_snippets=1) or beginning(note, seen)
            line = next((one.line for one in best), 0)
        found[hit.id] = passage(note, text, line, n_characters=n_characters)
    return found
