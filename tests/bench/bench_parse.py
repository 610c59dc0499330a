"""Times our scanner against tree-sitter's parse of the same text, in one run.

Run: python tests/bench/bench_parse.py [N]. Prints medians over N generated notes of 2 KB (default 500), and the ratio.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

from generated_vault import write_vault
from tree_sitter import Language, Parser
from tree_sitter_markdown import language

from search.ids import NoteId
from search.vault.markdown import parse_note


def main(n_notes: int) -> None:
    """Print both medians in microseconds a note."""
    parser = Parser(Language(language()))
    with tempfile.TemporaryDirectory() as folder:
        write_vault(Path(folder), n_notes)
        texts = [path.read_text("utf-8") for path in sorted(Path(folder).rglob("*.md"))]
    ours, theirs = [], []
    for text in texts:
        start = time.perf_counter()
        parse_note(NoteId("a.md"), text)
        middle = time.perf_counter()
        parser.parse(text.encode())
        ours.append(middle - start)
        theirs.append(time.perf_counter() - middle)
    us, them = statistics.median(ours) * 1e6, statistics.median(theirs) * 1e6
    print(f"ours {us:.0f} us, tree-sitter {them:.0f} us, ratio {us / them:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
