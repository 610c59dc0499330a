"""Rewrites: the query in other words, for notes that use other words for the same thing."""

from expansion.prompt import Prompt
from expansion.reply import Reply, distinct

_MAX_LENGTH = 200  # characters; a longer line is an answer rather than a query


def read_rewrites(reply: Reply, query: str) -> tuple[str, ...]:
    """The distinct wordings in the order of the reply, without the query itself.

    Raises:
        Unusable: there are none.
    """
    longest = max(_MAX_LENGTH, 2 * len(query))
    short = (line for line in reply.lines() if len(line) <= longest)
    return distinct(short, otherwise="gave no other wording", key=_bare, known=query)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".?!？。！")


REWRITE: Prompt[tuple[str, ...]] = Prompt(
    name="rewrite",
    version=1,
    task=(
        "Write two other wordings of this search query, one a line, each in the language of the query, each shorter "
        "than twice the query. Keep names, numbers and technical words as they are. Write the two lines, nothing else."
    ),
    max_tokens=120,
    read=read_rewrites,
)
