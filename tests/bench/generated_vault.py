"""Generated vaults for benchmarks: notes of a given size, the same on every machine.

As in real vaults, words follow Zipf's law, over an invented vocabulary of 30,000. Notes have front matter, headings,
tags and links to each other, and each folder has about fifty notes.
"""

import random
from pathlib import Path

N_WORDS = 30_000
_SYLLABLES = (
    "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa"
)
_COMMON = "the of and to in is for that on with as by this from at or an be it not are was but which have"


def vocabulary(seed: int = 7) -> list[str]:
    """Distinct words, the most frequent first; the first twenty-five are English stop words."""
    source = random.Random(seed)  # noqa: S311 - the same words on every run
    syllables = _SYLLABLES.split()
    words = dict.fromkeys(_COMMON.split())
    while len(words) < N_WORDS:
        words["".join(source.choices(syllables, k=source.randint(2, 5)))] = None
    return list(words)


def write_vault(root: Path, n_notes: int, *, n_bytes: int = 2000, seed: int = 11) -> list[str]:
    """Write the notes below `root` and return the vocabulary they were written with."""
    source = random.Random(seed)  # noqa: S311 - the same notes on every run
    words = vocabulary()
    cumulative = []
    total = 0.0
    for rank in range(1, len(words) + 1):
        total += 1.0 / rank
        cumulative.append(total)
    (root / ".obsidian").mkdir(parents=True, exist_ok=True)
    titles = [f"{' '.join(source.choices(words[25:5000], k=3)).capitalize()} {number}" for number in range(n_notes)]
    for number, title in enumerate(titles):
        folder = root / f"area {number // 500:02}" / f"topic {number // 50:03}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            "---",
            f"tags: [{words[30 + number % 40]}, area/{number // 500}]",
            f"status: {words[100 + number % 7]}",
            "---",
        ]
        lines.append(f"# {title}")
        size = 0
        while size < n_bytes:
            sentence = (
                " ".join(source.choices(words, cum_weights=cumulative, k=source.randint(8, 16))).capitalize() + "."
            )
            if size % 5 == 0:
                sentence += f" See [[{source.choice(titles)}]]."
            if size % 11 == 0:
                lines.append(f"\n## {' '.join(source.choices(words[25:3000], k=3))}\n")
            lines.append(sentence)
            size += len(sentence)
        (folder / f"{title}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return words
