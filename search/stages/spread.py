"""Spread: add the notes that the best hits are linked with, with a score that decays with every link (designs/1).

    score(neighbour) = score(seed) * product of the decays along the best path of links between them

If several paths lead to a note, the highest score counts, and it never lowers the score of a hit. A decay is at most 1,
so no note outranks the seed of its path. A path ends when its score falls below the minimum score.
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen
from attrs.validators import and_, deep_iterable, deep_mapping, ge, in_, instance_of, le, optional

from search.answer.evidence import Evidence, LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found, Scaled
from search.graph.links import LinkIndex
from search.graph.walk import MAX_DEPTH, Neighbour, neighbours
from search.ids import NoteId
from search.stages import Context

SOURCE = "spread"
_DECAY = 0.8


def _folded(decays: Mapping[str, float]) -> Mapping[str, float]:
    return {type_.casefold(): decay for type_, decay in decays.items()}


def _all_folded(link_types: Iterable[str]) -> tuple[str, ...]:
    return tuple(type_.casefold() for type_ in link_types)


@frozen(kw_only=True)
class Spread:
    """How far scores spread.

    seeds: how many of the best hits scores spread from, 1..100; None: as many as are shown (designs/1: 5 of 5, 10 of
        10).
    depth: the maximum number of links from a seed, 0..5; 1 (designs/1).
    decay: the share of the score that remains after a link of any type, 0..1; None: use `decays`.
    decays: the same by type of link (embed, plain, or the name of a property or field), 0..1; 0.8 for other types. If
        several types of links connect two notes, the highest decay counts (designs/1: .95 contains, .85 extends).
    link_types: only links of these types are followed; empty: all links. Case is ignored, as in all types of links.
    outgoing_only: types of links that are not followed backwards (designs/1: imports of modules that everything
        imports).
    min_score: the minimum score of seeds and added notes, 0..1; 0.5 (designs/1).
    drops_unreached: whether hits that are neither seeds nor reached from a seed are left out, as in designs/1. Default:
        false.
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
    drops_unreached: bool = field(default=False, validator=in_((True, False)))


def spread_over_links(ranking: Ranking[NoteId], settings: Spread, context: Context) -> Ranking[NoteId]:
    """The ranking with the notes that its best hits are linked with; an empty ranking stays empty.

    Scores should be in 0..1, the scale of `min_score`. Only notes that the query's filter allows are added.
    """
    seeds = [hit for hit in ranking.top(settings.seeds or context.limit) if hit.score >= settings.min_score]
    best = _paths(seeds, settings, context.links)
    seeded = {hit.id for hit in seeds}
    known = ranking.ranks

    def kept() -> Iterable[Hit[NoteId]]:
        for hit in ranking:
            path = best.get(hit.id)
            if path is not None and path.score > hit.score:
                yield hit.then(*path.trail, evidence=evolve(hit.evidence, link=path.evidence.link))
            elif hit.id in seeded or path is not None or not settings.drops_unreached:
                yield hit
        for note, path in best.items():
            if note not in known and (context.allowed is None or note in context.allowed):
                yield path

    return Ranking.of(kept())


def _paths(seeds: Iterable[Hit[NoteId]], settings: Spread, links: LinkIndex) -> Mapping[NoteId, Hit[NoteId]]:
    """A hit for the best path to each note within reach, breadth-first: after n rounds, the best of at most n links."""
    best: dict[NoteId, Hit[NoteId]] = {}
    edge = {hit.id: Hit.found(hit.id, Found(SOURCE, hit.score)) for hit in seeds}
    own = {note: path.score for note, path in edge.items()}
    is_typed = bool(settings.outgoing_only) or (settings.decay is None and bool(settings.decays))
    for hops in range(1, settings.depth + 1):
        reached: dict[NoteId, Hit[NoteId]] = {}
        for note, path in edge.items():
            origin = path.evidence.link.origin if path.evidence.link else note
            for near in neighbours(note, links, link_types=settings.link_types, is_typed=is_typed):
                factor = _decay(near, settings)
                known = max(own.get(near.note, 0.0), best[near.note].score if near.note in best else 0.0)
                if path.score * factor <= known or path.score * factor < settings.min_score:
                    continue
                why = f"one link from {note}{_named(near.types)}"
                step = Scaled("spread", factor, why, Arithmetic("decay", {"decay": factor}))
                evidence = Evidence(link=LinkEvidence(origin, hops, near.types))
                best[near.note] = reached[near.note] = Hit.found(near.note, *path.trail, step, evidence=evidence)
        edge = reached
    return best


def _decay(near: Neighbour, settings: Spread) -> float:
    if near.is_backlink and near.types and near.types.issubset(settings.outgoing_only):
        return 0.0
    if settings.decay is not None:
        return settings.decay
    return max((settings.decays.get(type_, _DECAY) for type_ in near.types), default=_DECAY)


def _named(types: Iterable[str]) -> str:
    """The types of a link in parentheses; plain links are not worth naming."""
    named = sorted(set(types) - {"plain"})
    return f" ({', '.join(named)})" if named else ""
