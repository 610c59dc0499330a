"""CPU time and memory of reading one giant note: `python tests/bench/bench_giant_notes.py tags 1000000`.

Each kind is measured in a process of its own, since memory that was freed would hide a peak.
"""

import resource
import sys
import time

from search.ids import NoteId
from search.index.corpus import Corpus
from search.vault.markdown import parse_note

KINDS = {  # the text before, each unit, and the text after
    "tags": ("", "#t{} ", ""),
    "links": ("", "[[t{}]] ", ""),
    "headings": ("", "# t{}\n", ""),
    "words": ("", "t{} ", ""),
    "aliases": ("---\naliases:\n", "- t{}\n", "---\n"),
    "properties": ("---\n", "t{}: x\n", "---\n"),
    "items": ("", "- t{}\n", ""),
    "quotes": ("", "> > > > > > > > t{}\n", ""),
}


def main(kind: str, n: int) -> None:
    """Print the figures of one kind of note with `n` units."""
    before, unit, after = KINDS[kind]
    text = before + "".join(unit.format(at) for at in range(n)) + after
    corpus = Corpus()
    corpus.update([parse_note(NoteId("warm.md"), "# warm #up [[x]]")])
    base_kb, begun_s = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    parsed = parse_note(NoteId("giant.md"), text)
    parsed_s = time.process_time()
    corpus.update([parsed])
    peak_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base_kb) / 1e3
    print(
        f"{kind}, {len(text) / 1e6:.1f} MB: parse {parsed_s - begun_s:.2f} s, "
        f"index {time.process_time() - parsed_s:.2f} s, peak {peak_mb:.0f} MB, {peak_mb * 1e6 / len(text):.1f} times"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
