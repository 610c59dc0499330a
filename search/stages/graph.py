"""Graph boost: results that are connected by links, co-citations or shared tags support each other.

    factor = min(cap, 1 + strength * ln(1 + connection_score))
    connection_score = 1.0 * backlinks + 0.5 * co_citations + 0.3 * shared_tags        see `graph/connections`

Only the best few hits are candidates, because of the cost and because connections to weak results say little. A note's
connections are those to the best notes, so that no other file changes the order of two notes; another file's are those
to the best notes and files. If the semantic source took part, a candidate must also be sure: either its raw cosine
reaches the gate (a score rescaled for each query would let the best of several poor matches pass), or it is a strong
lexical hit, whatever its cosine. A note without vectors cannot be tested and passes.
"""

from collections.abc import Mapping
from math import log1p

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.evidence import GraphEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.graph.connections import Connections, connect
from search.ids import NoteId, is_note
from search.normalize.strength import strength_in
from search.stages import Context


@frozen(kw_only=True)
class Graph:
    """How much connections between results count; the defaults are those of designs/3 unless another reason is given.

    strength: the share of ln(1 + connection score) that is added, 0..1; 0.1.
    cap: the highest factor, 1..10; 1.15.
    max_candidates: how many of the best hits are candidates, 2..1000; 10.
    min_cosine: the raw cosine that a candidate needs if any hit has a cosine, -1..1; 0.75. A candidate whose lexical
        strength reaches `min_strength` needs none: otherwise queries for names would lose the boost (tests/ranking).
    min_strength: the strength that a hit needs to be boosted, 0..1 (see `strengths`); 0.8. With 0 any note that the
        best notes link to overtakes better matches (tests/ranking). The connected candidates need no such strength.
    passes_by_words: whether a candidate whose lexical strength reaches `min_strength` needs no cosine. With false
        only the cosine decides, as in designs/3. Default: true.
    min_strength_of_weak: the strength from which co-citations and shared tags count too, 0..1; 0.98: they show only
        that notes are of one kind, so they decide only between nearly equal matches.
    mutual_link_weight: weight of a link that the other note returns, 0..10; 0: pages of one index link back and forth,
        whatever the query. With this and `min_strength_of_weak` at their defaults, the boost gains .005 nDCG@10 on the
        renamed pages of cpp-docs and .049 on dendron-site; with 1 and 0 it cost .015 on the first (tests/ranking).
    backlink_weight, co_citation_weight, shared_tag_weight: weight of each backlink, co-citation or shared
        tag in the connection score, 0..10; 1, 0.5 and 0.3.
    """

    strength: float = field(default=0.1, validator=[ge(0.0), le(1.0)])
    cap: float = field(default=1.15, validator=[ge(1.0), le(10.0)])
    max_candidates: int = field(default=10, validator=[instance_of(int), ge(2), le(1000)])
    min_cosine: float = field(default=0.75, validator=[ge(-1.0), le(1.0)])
    min_strength: float = field(default=0.8, validator=[ge(0.0), le(1.0)])
    passes_by_words: bool = field(default=True, validator=instance_of(bool))
    min_strength_of_weak: float = field(default=0.98, validator=[ge(0.0), le(1.0)])
    mutual_link_weight: float = field(default=0.0, validator=[ge(0.0), le(10.0)])
    backlink_weight: float = field(default=1.0, validator=[ge(0.0), le(10.0)])
    co_citation_weight: float = field(default=0.5, validator=[ge(0.0), le(10.0)])
    shared_tag_weight: float = field(default=0.3, validator=[ge(0.0), le(10.0)])


def boost_by_graph(ranking: Ranking[NoteId], settings: Graph, context: Context) -> Ranking[NoteId]:
    """Multiply the candidates by 1 to `cap` for their connections; all other hits stay as they are.

    With fewer than two candidates nothing changes. The context's gate replaces `min_cosine`, as it is the cosine at
    which the model is sure.
    """
    connected = _connected(ranking, settings, context)
    if not connected:
        return ranking
    strength_of = strength_in(ranking, anchors=context.anchors)

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        found = connected.get(hit.id)
        if found is None or (strength := strength_of(hit)) < settings.min_strength:
            return hit
        if strength < settings.min_strength_of_weak:
            found = evolve(found, co_citations=0, shared_tags=0)
        score = connection_score(found, settings=settings)
        factor = graph_factor(score, settings=settings)
        if factor <= 1.0:
            return hit
        n_backlinks = found.backlinks + (found.mutual_links if settings.mutual_link_weight > 0 else 0)
        evidence = GraphEvidence(n_backlinks, found.co_citations, found.shared_tags, score, factor)
        step = Scaled("graph", factor, _why(evidence), _arithmetic(found, hit, settings, context))
        return hit.then(step, evidence=evolve(hit.evidence, graph=evidence))

    return ranking.map(boost)


def connection_score(found: Connections, *, settings: Graph) -> float:
    """The weighted sum of the counts, 0 or more.

    >>> connection_score(Connections(backlinks=1, co_citations=1, shared_tags=1), settings=Graph())
    1.8
    """
    return (
        settings.backlink_weight * found.backlinks
        + settings.mutual_link_weight * found.mutual_links
        + settings.co_citation_weight * found.co_citations
        + settings.shared_tag_weight * found.shared_tags
    )


def graph_factor(score: float, *, settings: Graph) -> float:
    """The boost for this connection score, 1..cap.

    >>> round(graph_factor(1.8, settings=Graph()), 5)
    1.10296
    """
    return min(settings.cap, 1 + settings.strength * log1p(score))


def _arithmetic(found: Connections, hit: Hit[NoteId], settings: Graph, context: Context) -> Arithmetic:
    """The factor with its counts and weights, only those above 0; the cosines are those that the gate compared."""
    counts = {
        "backlink": (found.backlinks, settings.backlink_weight),
        "mutual_link": (found.mutual_links, settings.mutual_link_weight),
        "co_citation": (found.co_citations, settings.co_citation_weight),
        "shared_tag": (found.shared_tags, settings.shared_tag_weight),
    }
    numbers: dict[str, float] = {"strength": settings.strength, "cap": settings.cap}
    parts = []
    for name, (count, weight) in counts.items():
        if count and weight:
            parts.append(f"{name}_weight * {name}s")
            numbers |= {f"{name}_weight": weight, f"{name}s": count}
    if hit.evidence.cosine is not None:
        numbers |= {"cosine": hit.evidence.cosine, "gate": _gate(settings, context)}
    return Arithmetic(f"min(cap, 1 + strength * log(1 + {' + '.join(parts)}))", numbers)


def _gate(settings: Graph, context: Context) -> float:
    """The raw cosine that a candidate needs."""
    return settings.min_cosine if context.gate is None else context.gate


def _connected(ranking: Ranking[NoteId], settings: Graph, context: Context) -> Mapping[NoteId, Connections]:
    """The connections of the candidates."""

    def among(hits: Ranking[NoteId]) -> Mapping[NoteId, Connections]:
        return connect(_candidates(hits, ranking, settings, context), links=context.links, notes=context.notes)

    best, notes = ranking.top(settings.max_candidates), ranking.where(is_note).top(settings.max_candidates)
    if best.ranks.keys() == notes.ranks.keys():
        return among(notes)
    others = {id_: found for id_, found in among(best).items() if not is_note(id_)}
    return {**others, **among(notes)}


def _candidates(
    best: Ranking[NoteId], ranking: Ranking[NoteId], settings: Graph, context: Context
) -> tuple[NoteId, ...]:
    """Those of the `best` hits of a ranking that are strong enough, by their cosine or by words, to be candidates."""
    if all(hit.evidence.cosine is None for hit in ranking):
        return tuple(hit.id for hit in best)
    by_words = strength_in(ranking, ignored=context.anchors, default=0.0)
    min_cosine = _gate(settings, context)
    return tuple(
        hit.id
        for hit in best
        if hit.id in context.without_vectors
        or (settings.passes_by_words and by_words(hit) >= settings.min_strength)
        or (hit.evidence.cosine is not None and hit.evidence.cosine >= min_cosine)
    )


def _why(found: GraphEvidence) -> str:
    counts = (
        (found.backlinks, "backlink"),
        (found.co_citations, "shared citation"),
        (found.shared_tags, "shared tag"),
    )
    return ", ".join(f"{count} {name}{'s'[: count != 1]}" for count, name in counts if count)
