"""The neighbourhood of a note, or of some of its lines: the notes that links or co-citations connect with it.

Some lines have the links written in them, and the backlinks to their headings and blocks; other links of the note do
not count. Each note that links here counts once.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from search.graph.links import LinkIndex
from search.graph.places import Places
from search.ids import NoteId
from search.vault.note import Link, Note

_N_CITERS = 50


@frozen(kw_only=True)
class Neighbourhood:
    """The notes linked from here (outgoing), the notes that link here (incoming), and the co-cited notes.

    cited[n] = sum of  1 / log2(1 + number of links of c)  over the notes c that cite both, at most 50 of them
    n_citing[n] = the number of these notes c
    """

    outgoing: frozenset[NoteId] = frozenset()
    incoming: frozenset[NoteId] = frozenset()
    cited: Mapping[NoteId, float] = field(factory=dict)
    n_citing: Mapping[NoteId, int] = field(factory=dict)

    @property
    def linked(self) -> frozenset[NoteId]:
        """The notes linked in either direction."""
        return self.outgoing | self.incoming


def neighbourhood_of(note: NoteId, index: LinkIndex) -> Neighbourhood:
    """The neighbourhood of a whole note; empty if it does not exist."""
    return _around(frozenset(index.outlinks(note)), index.backlinks(note), index)


def neighbourhood_of_lines(
    note: Note, lines: tuple[int, int], texts: Sequence[str], index: LinkIndex, notes: Mapping[NoteId, Note]
) -> Neighbourhood:
    """The neighbourhood of some `lines` (half-open, from 0) of a note; all lines have that of the note.

    `texts` are all lines of the note.
    """
    first, end = lines
    if first <= note.start_line and end >= note.n_lines:
        return neighbourhood_of(note.id, index)
    targets = (index.resolve(note.id, link.target) for link in note.links if first <= link.line < end)
    places = Places(note, lambda: texts)

    def leads_here(source: NoteId, link: Link) -> bool:
        if index.resolve(source, link.target) != note.id:
            return False
        place = places.lines_of(link)
        return place is not None and first <= place[0] < end

    incoming = frozenset(
        source
        for source in index.backlinks(note.id)
        if source in notes
        and any(leads_here(source, link) for link in notes[source].links if link.heading or link.block)
    )
    return _around(frozenset(found for found in targets if found is not None and found != note.id), incoming, index)


def _around(outgoing: frozenset[NoteId], incoming: frozenset[NoteId], index: LinkIndex) -> Neighbourhood:
    weights: defaultdict[NoteId, float] = defaultdict(float)
    n_citing: Counter[NoteId] = Counter()
    for citer in sorted(incoming)[:_N_CITERS]:
        cited = index.outlinks(citer)
        for other in cited:
            weights[other] += 1.0 / math.log2(1 + len(cited))
            n_citing[other] += 1
    return Neighbourhood(outgoing=outgoing, incoming=incoming, cited=weights, n_citing=n_citing)
