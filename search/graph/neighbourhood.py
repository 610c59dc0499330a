"""The neighbourhood of a note, or of some of its lines: the notes that links connect with it, directly or through one.

Some lines have the links written in them, and the backlinks to their headings and blocks; other links of the note do
not count. Each note that links here counts once.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from search.graph.links import LinkIndex
from search.graph.places import Places
from search.ids import NoteId
from search.vault.note import Link, Note

_MAX_LINKS = 20_000  # followed in all; a note may have a hundred thousand backlinks
_HUB_SHARE = 0.25  # of the vault: a note that links to more of it is a hub
_FEW = 20  # a note with so many links is no hub in any vault


@frozen(kw_only=True)
class Neighbourhood:
    """The notes linked from here (outgoing), the notes that link here (incoming), and what these link to.

    connected[n] = sum of  1 / log2(1 + number of links of c)  over the notes c that connect n with this note: those
    that link to both, and those linked from here that link to n
    citing[n] = the notes that link to both; via[n] = the notes linked from here that link to n; those with the fewest
    links first, since a link is worth less the more others stand around it
    """

    outgoing: frozenset[NoteId] = frozenset()
    incoming: frozenset[NoteId] = frozenset()
    connected: Mapping[NoteId, float] = field(factory=dict)
    citing: Mapping[NoteId, Sequence[NoteId]] = field(factory=dict)
    via: Mapping[NoteId, Sequence[NoteId]] = field(factory=dict)

    @property
    def linked(self) -> frozenset[NoteId]:
        """The notes linked in either direction."""
        return self.outgoing | self.incoming


def neighbourhood_of(note: NoteId, index: LinkIndex) -> Neighbourhood:
    """The neighbourhood of a whole note; empty if it does not exist."""
    return _around(note, frozenset(index.outlinks(note)), index.backlinks(note), index)


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
    outgoing = frozenset(found for found in targets if found is not None and found != note.id)
    return _around(note.id, outgoing, incoming, index)


def _around(note: NoteId, outgoing: frozenset[NoteId], incoming: frozenset[NoteId], index: LinkIndex) -> Neighbourhood:
    connected: defaultdict[NoteId, float] = defaultdict(float)
    citing: defaultdict[NoteId, list[NoteId]] = defaultdict(list)
    via: defaultdict[NoteId, list[NoteId]] = defaultdict(list)
    between = sorted(incoming | outgoing, key=lambda id_: (len(index.outlinks(id_)), id_))
    n_left, n_most = _MAX_LINKS, max(_FEW, _HUB_SHARE * len(index))
    for middle in between:
        links = index.outlinks(middle)
        n_left -= len(links)
        if n_left < 0:
            break
        for other in links:
            if other == note:
                continue
            connected[other] += 1.0 / math.log2(1 + len(links))
            if len(links) > n_most:
                continue
            if middle in incoming:
                citing[other].append(middle)
            if middle in outgoing:
                via[other].append(middle)
    return Neighbourhood(outgoing=outgoing, incoming=incoming, connected=connected, citing=citing, via=via)
