"""Spread: what the best hits are tied to by links is found too, with a score that falls with every link (designs/1).

    score(neighbour) = score(seed) * product of the decays of the links between them, the best way of all

A note that several ways lead to keeps its highest score, and one that was found by itself is only ever raised. A decay
is at most 1, so no note outranks the seed that it came from. A way ends where it could bring nothing above the least
score any more.
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen
from attrs.validators import and_, deep_iterable, deep_mapping, ge, in_, instance_of, le, optional

from search.answer.evidence import LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled, Step
from search.graph.links import LinkIndex
from search.graph.walk import MAX_DEPTH, Tie, ties
from search.ids import NoteId

SOURCE = "spread"
_DECAY = 0.8

Admitted = frozenset[NoteId] | None


def _folded(decays: Mapping[str, float]) -> Mapping[str, float]:
    return {type_.casefold(): decay for type_, decay in decays.items()}


def _all_folded(link_types: Iterable[str]) -> tuple[str, ...]:
    return tuple(type_.casefold() for type_ in link_types)


@frozen(kw_only=True)
class Spread:
    """How far scores spread.

    seeds: how many of the best hits they spread from, 1..100; as many as are shown where it is not set (designs/1: 5 of
        5, 10 of 10).
    depth: links from a seed, 0..5; 1 (designs/1).
    decay: what a link leaves of the score, 0..1, whatever its type; where it is not set `decays` say so.
    decays: the same by type of link (embed, plain, or a property's or field's name), 0..1; 0.8 for types that are not
        named, and the best of all where two notes are tied by several (designs/1: .95 contains, .85 extends).
    link_types: only links of these types are followed; all where it is empty.
        Upper and lower case are the same, as in all types of links.
    outgoing_only: types of links that are not followed backwards (designs/1: imports of what everybody imports).
    min_score: a seed needs it, and what is below it is not added, 0..1; 0.5 (designs/1).
    is_alone: whether hits that are neither seeds nor reached from one are left out, as in designs/1.
    """

    seeds: int | None = field(default=None, validator=optional([instance_of(int), ge(1), le(100)]))
    depth: int = field(default=1, validator=[instance_of(int), ge(0), le(MAX_DEPTH)])
    decay: float | None = field(default=None, validator=optional([ge(0.0), le(1.0)]))
    decays: Mapping[str, float] = field(
        factory=dict, converter=_folded, validator=deep_mapping(instance_of(str), and_(ge(0.0), le(1.0)))
    )
    link_types: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))
    outgoing_only: tuple[str, ...] = field(default=(), converter=_all_folded, validator=deep_iterable(instance_of(str)))
    min_score: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    is_alone: bool = field(default=False, validator=in_((True, False)))


@frozen
class _Way:
    """The best way to a note so far: the score that it brings, and how it comes about."""

    score: float
    steps: tuple[Step, ...]
    evidence: LinkEvidence


def spread_over_links(
    ranking: Ranking[NoteId],
    *,
    settings: Spread,
    links: LinkIndex,
    n_shown: int,
    allowed: Admitted = None,
) -> Ranking[NoteId]:
    """The ranking with the notes that its best hits are tied to; an empty one stays empty.

    Scores should be on a scale of 0..1 by then, for `min_score` is one of it. `n_shown` is how many seeds there are
    where the settings do not say; `allowed` are the only notes that may be added, None for all.
    """
    n_seeds = settings.seeds or n_shown
    seeds = [hit for hit in ranking.top(n_seeds) if hit.score >= settings.min_score]
    best = _ways(seeds, settings, links)
    seeded = {hit.id for hit in seeds}
    known = ranking.ranks

    def kept() -> Iterable[Hit[NoteId]]:
        for hit in ranking:
            way = best.get(hit.id)
            if way is not None and way.score > hit.score:
                yield hit.then(*way.steps, evidence=evolve(hit.evidence, link=way.evidence))
            elif hit.id in seeded or way is not None or not settings.is_alone:
                yield hit
        for note, way in best.items():
            if note not in known and (allowed is None or note in allowed):
                found = Hit.found(note, *way.steps)
                yield evolve(found, evidence=evolve(found.evidence, link=way.evidence))

    return Ranking.of(kept())


def _ways(seeds: Iterable[Hit[NoteId]], settings: Spread, links: LinkIndex) -> Mapping[NoteId, _Way]:
    """The best way to each note within reach, layer by layer: after n rounds that of n links at most."""
    best: dict[NoteId, _Way] = {}
    edge = {hit.id: _Way(hit.score, (Found(SOURCE, hit.score),), LinkEvidence(str(hit.id), 0, ())) for hit in seeds}
    own = {note: way.score for note, way in edge.items()}
    link_types = frozenset(type_.casefold() for type_ in settings.link_types)
    is_typed = bool(settings.outgoing_only) or (settings.decay is None and bool(settings.decays))
    for hops in range(1, settings.depth + 1):
        ahead: dict[NoteId, _Way] = {}
        for note, way in edge.items():
            for tie in ties(note, links, link_types=link_types, is_typed=is_typed):
                factor = _decay(tie, settings)
                score = way.score * factor
                known = max(own.get(tie.note, 0.0), best[tie.note].score if tie.note in best else 0.0)
                if score <= known or score < settings.min_score:
                    continue
                step = Scaled("spread", factor, f"one link from {note}{_named(tie.types)}")
                evidence = LinkEvidence(way.evidence.origin, hops, tuple(sorted(tie.types)))
                best[tie.note] = ahead[tie.note] = _Way(score, (*way.steps, step), evidence)
        edge = ahead
    return best


def _decay(tie: Tie, settings: Spread) -> float:
    if tie.is_backlink and tie.types and tie.types.issubset(settings.outgoing_only):
        return 0.0
    if settings.decay is not None:
        return settings.decay
    return max((settings.decays.get(type_, _DECAY) for type_ in tie.types), default=_DECAY)


def _named(types: Iterable[str]) -> str:
    """The types that say something, as a clause."""
    told = sorted(set(types) - {"plain"})
    return f" ({', '.join(told)})" if told else ""
