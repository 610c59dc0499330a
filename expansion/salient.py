"""Salient terms: the words of a query that any note about its subject contains, usually nouns.

Without a model they are the query's own tokens, as lexical search sees them.
"""

import re

from expansion.prompt import Prompt
from expansion.reply import Reply, distinct
from search.analysis.tokens import tokens

MAX_OWN_TERMS = 64
_MAX_LENGTH = 60  # characters of a term
_MAX_WORDS = 4
_SEPARATORS = re.compile(r"[,;|/、，；]\s*")


def own_terms(query: str) -> tuple[str, ...]:
    """The distinct tokens of the query, compounds before their parts; none for a blank query.

    >>> own_terms("find my piano notes"), own_terms("machine-learning")
    (('find', 'my', 'piano', 'notes'), ('machine-learning', 'machine', 'learning'))
    """
    return tuple(dict.fromkeys(tokens(query)))[:MAX_OWN_TERMS]


def read_terms(reply: Reply, _query: str) -> tuple[str, ...]:
    """The distinct terms in the order of the reply; a line may contain several, separated by commas.

    Raises:
        Unusable: there are none.
    """
    parts = (part.strip(" .:\"'`") for line in reply.lines() for part in _SEPARATORS.split(line))
    return distinct(filter(_is_term, parts), otherwise="named no terms", key=str.casefold)


def _is_term(text: str) -> bool:
    return any(map(str.isalnum, text)) and len(text) <= _MAX_LENGTH and len(text.split()) <= _MAX_WORDS


def _has_several(query: str) -> bool:
    return len(own_terms(query)) > 1


SALIENT: Prompt[tuple[str, ...]] = Prompt(
    name="salient",
    version=1,
    task=(
        "Name the terms of this search query that matter most for finding notes about its subject: nouns and names, "
        "in the language of the query and as written there, no verbs, no words for searching or for notes. "
        "At most eight, one a line, nothing else."
    ),
    max_tokens=80,
    read=read_terms,
    suits=_has_several,  # the only term of a single word is that word
)
