"""Rewrites: the query in other words, for notes that say the same thing differently."""

from expansion.prompt import Prompt
from expansion.reply import Reply, distinct

_MAX_LENGTH = 200  # characters: what is longer is an answer, not a query


def read_rewrites(reply: Reply, query: str) -> tuple[str, ...]:
    """The distinct other wordings in the order they came, without the query itself.

    Raises:
        Unusable: there is none.
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
