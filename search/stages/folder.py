"""Folder boost: relevant notes support each other if they make up much of a folder.

    factor = min(cap, 1 + (log2(n + 1) - 1) * sqrt(n / N))

n is the number of relevant notes directly in the folder, N the number of all its notes; a subfolder is a folder of its
own, and so is the root. A note is relevant if it is among the best `consider` hits and its raw score is close to the
best one's: a query has hundreds of candidates that merely contain one of its words, and if all of them counted, every
folder would be coherent. Only relevant hits are boosted, so a chance hit gains nothing from its neighbours. Files that
are no Markdown notes do not count, so a folder of notes is as coherent with papers in it as without.
"""

from collections import Counter
from math import log2, sqrt

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.evidence import FolderEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.ids import NoteId, is_note
from search.normalize.strength import strength_in
from search.stages import Context


@frozen(kw_only=True)
class Folder:
    """When a folder is coherent, and how large the boost may be.

    min_notes: the minimum number of relevant notes, 2..1000; 2 (designs/3: one note is no cluster).
    min_ratio: the minimum share of relevant notes in the folder, 0..1; 0.4 (designs/3).
    cap: the highest factor, 1..10; 1.15 (designs/3). With these three defaults the boost is either 1 or 1.15.
    sure_ratio: the ratio from which all relevant hits gain, 0..1; 0.75. Two good hits make a folder of five coherent;
        boosting both cost .014 nDCG@10 on obsidian-tasks (tests/ranking).
    min_strength_of_weak: the strength that a hit needs to gain if the ratio is below `sure_ratio`, 0..1 (see
        `strengths`); 1: such a folder decides only between equally good notes.
    consider: how many of the best hits may be relevant, 1..1000; 30 (the results that a person sees, designs/3).
    min_strength: the strength that makes a hit relevant, 0..1; 0.8. With 0 a note that contains one word of the query
        by chance makes its folder coherent, which cost up to .15 nDCG@10 on real vaults (tests/ranking).
    """

    min_notes: int = field(default=2, validator=[instance_of(int), ge(2), le(1000)])
    min_ratio: float = field(default=0.4, validator=[ge(0.0), le(1.0)])
    cap: float = field(default=1.15, validator=[ge(1.0), le(10.0)])
    consider: int = field(default=30, validator=[instance_of(int), ge(1), le(1000)])
    sure_ratio: float = field(default=0.75, validator=[ge(0.0), le(1.0)])
    min_strength_of_weak: float = field(default=1.0, validator=[ge(0.0), le(1.0)])
    min_strength: float = field(default=0.8, validator=[ge(0.0), le(1.0)])


def boost_by_folder(ranking: Ranking[NoteId], settings: Folder, context: Context) -> Ranking[NoteId]:
    """Multiply the relevant hits of coherent folders by 1 to `cap`; other hits and empty rankings stay as they are.

    A folder with fewer known notes than relevant ones (a note was just created) counts as having only relevant ones.
    """
    strength = strength_in(ranking, anchors=context.anchors)
    best = ranking.where(is_note).top(settings.consider)
    relevant = {hit.id for hit in best if strength(hit) >= settings.min_strength}
    boosts: dict[str, FolderEvidence] = {}
    arithmetic: dict[str, Arithmetic] = {}
    for folder, n_relevant in Counter(map(_folder_of, relevant)).items():
        n_notes = max(context.notes_per_folder.get(folder, 0), n_relevant)
        factor = folder_factor(n_relevant, n_notes, settings=settings)
        if factor > 1.0:
            boosts[folder] = FolderEvidence(folder, n_relevant, n_notes, factor)
            numbers = {"n": n_relevant, "notes": n_notes, "ratio": n_relevant / n_notes, "cap": settings.cap}
            arithmetic[folder] = Arithmetic("min(cap, 1 + (log2(n + 1) - 1) * sqrt(ratio))", numbers)

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        found = boosts.get(_folder_of(hit.id))
        if found is None or hit.id not in relevant:
            return hit
        is_sure = found.n_relevant >= settings.sure_ratio * found.n_notes
        if not is_sure and strength(hit) < settings.min_strength_of_weak:
            return hit
        shown = f"{found.folder}/" if found.folder else "the top folder"
        why = f"{found.n_relevant} of {found.n_notes} notes in {shown} match"
        step = Scaled("folder", found.factor, why, arithmetic[found.folder])
        return hit.then(step, evidence=evolve(hit.evidence, folder=found))

    return ranking.map(boost)


def folder_factor(n_relevant: int, n_notes: int, *, settings: Folder) -> float:
    """The boost of a folder in which `n_relevant` of `n_notes` notes are relevant, 1..cap.

    >>> round(folder_factor(2, 5, settings=Folder(cap=2.0)), 5)
    1.36996
    """
    if n_relevant < settings.min_notes or n_relevant / n_notes < settings.min_ratio:
        return 1.0
    return min(settings.cap, 1 + (log2(n_relevant + 1) - 1) * sqrt(n_relevant / n_notes))


def _folder_of(id_: NoteId) -> str:
    return id_.rpartition("/")[0]
