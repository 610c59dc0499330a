"""Captions: what a note and its sections are called, as the numbers of their words.

A caption is the title, an alias, the file name or a heading. Words that joiners connect count one by one
("daily-journal" has two). Words of scripts without spaces are left out: pairs of their characters say too little.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.analysis.tokens import is_dense
from search.ids import is_by_name
from search.index.names import without_joiners
from search.index.vocabulary import Ids, Vocabulary
from search.vault.note import Note

_MAX_HEADINGS = 500  # of a note; more are generated


@frozen(eq=False)
class Captions:
    """The words of a note's captions, one after the other; `lines` has the caption of each word, counted from 0.

    The first `n_names` of the `n_lines` captions are names of the note, the others its headings.
    """

    words: Ids
    lines: npt.NDArray[np.uint16]
    n_names: int
    n_lines: int


def captions_of(note: Note, vocabulary: Vocabulary) -> Captions:
    """The captions of a note whose text is in the vocabulary.

    The name of a file that is found by name only counts as a heading does: most pictures are called "Pasted image".
    """
    names = {} if is_by_name(note.id) else dict.fromkeys((note.title, *note.aliases, note.name))
    texts = (*(names or (note.name,)), *note.heading_texts[:_MAX_HEADINGS])
    numbered = [
        (number, line)
        for line, text in enumerate(texts)
        for word in _words(text)
        if (number := vocabulary.number_of(word)) is not None
    ]
    words = np.fromiter((number for number, _ in numbered), np.uint32, len(numbered))
    lines = np.fromiter((line for _, line in numbered), np.uint16, len(numbered))
    return Captions(words, lines, len(names), len(texts))


@lru_cache(maxsize=2048)
def _words(caption: str) -> tuple[str, ...]:
    """The words of a caption. Cached, as pages of one kind have the same headings."""
    return tuple(word for word in without_joiners(caption).split(" ") if not is_dense(word))
