"""HyDE: an invented answer to a question is closer to the notes that answer it (Gao et al., ACL 2023).

Only for questions: to a request such as "find all my ai digests" a model writes an essay, which matches every note.
"""

import re

from expansion.prompt import Prompt
from expansion.question import is_question
from expansion.reply import Reply, Unusable
from search.analysis.tokens import tokens

_MAX_LENGTH = 1200  # characters: about as much as an embedding model reads of a passage
_MIN_TOKENS = 5
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s)|[。！？]|$)", re.MULTILINE)


def read_passage(reply: Reply, query: str) -> str:
    """The passage, cut at the end of a sentence if it is too long.

    Raises:
        Unusable: it is too short, or only repeats the question.
    """
    passage = " ".join(dict.fromkeys(_SENTENCE.findall(reply.passage()))).strip()  # small models repeat sentences
    if len(passage) > _MAX_LENGTH:
        head = passage[:_MAX_LENGTH]
        end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "。", "！", "？"))
        passage = head[: end + 1] if end >= _MAX_LENGTH // 2 else head
    words = set(tokens(passage))
    if len(words) < _MIN_TOKENS or words <= set(tokens(query)):
        raise Unusable("wrote no passage")
    return passage


HYDE: Prompt[str] = Prompt(
    name="hyde",
    version=1,
    task=(
        "Write the passage of a personal note that would answer this question: two or three plain sentences in the "
        "language of the question, in the words that such a note would use. If you do not know the answer, write what "
        "it might look like. Write the passage and nothing else."
    ),
    max_tokens=200,
    read=read_passage,
    suits=is_question,
)
