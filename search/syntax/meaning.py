"""From the pieces of a query to what they ask for: terms that are ranked, and a filter that is required."""

from collections.abc import Iterator

from attrs import evolve

from search.answer.notice import Notice, NoticeKind
from search.query import And, Node, Operator, Or, ParsedQuery, Phrase, RankedTerm, Within, Word
from search.syntax.reader import MAX_PIECES, UNSAFE, Item, Reader, all_of

MAX_CHARACTERS = 10_000
_UNRANKED = frozenset({Operator.TAG, Operator.FOLDER})


def parse(text: str) -> ParsedQuery:
    """What `text` asks for: its ranked terms, its filter, and a notice for each thing mended or left out.

    Bare words at the top level are ranked and not required; every other positive piece is required, and ranked too
    unless it stands under `tag:`, `folder:` or in a property or is a regex. Nothing negated is ranked. An OR at the
    top level makes the whole query a requirement. A query of which nothing remains (`(`, `"`) is its own words.

    `ParsedQuery.text` is the text as it was read: without NUL and lone surrogates, and cut. The subject of a notice
    is `start:end`, half-open, in characters of that text. A blank text has no terms, no filter and a notice.
    Never raises.

    >>> [term.text for term in parse('router -modem "ten seconds"').terms]
    ['router', 'ten seconds']
    """
    read = UNSAFE.sub(lambda match: " " if match[0] == "\0" else "\ufffd", text[:MAX_CHARACTERS])
    if not read.strip():
        return ParsedQuery(read, notices=(Notice(NoticeKind.SKIPPED, "empty-query", "The query is empty."),))
    reader = Reader(read, is_cut=len(text) > MAX_CHARACTERS)
    if reader.is_cut:
        message = f"The query has {len(text)} characters; only the first {MAX_CHARACTERS} were read."
        reader.notices.append(Notice(NoticeKind.TRUNCATED, "query-truncated", message, f"{len(read)}:{len(text)}"))
    branches = reader.branches(reader.read())
    terms = tuple(term for branch in branches for item in branch if item.node for term in _ranked(item.node))
    last = branches[-1][-1] if branches[-1] else None
    if terms and last and last.is_bare and last.end == len(read) and not reader.is_cut:
        terms = (*terms[:-1], evolve(terms[-1], is_prefix=True))
    required = _requirement(branches)
    if not terms and required is None:
        terms = tuple(RankedTerm(word) for word in read.split()[:MAX_PIECES])
    return ParsedQuery(read, terms, required, tuple(reader.notices))


def _requirement(branches: list[list[Item]]) -> Node | None:
    if len(branches) == 1:
        required = [item.node for item in branches[0] if item.node and not item.is_bare]
        return all_of(required) if required else None
    return Or(tuple(all_of([item.node for item in branch if item.node]) for branch in branches))


def _ranked(node: Node) -> Iterator[RankedTerm]:
    match node:
        case Word(text):
            yield RankedTerm(text)
        case Phrase(text) if text.strip():
            yield RankedTerm(text, is_phrase=True)
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from _ranked(inner)
        case Within(operator, inner) if operator not in _UNRANKED:
            yield from _ranked(inner)
        case _:  # patterns, properties and all that is negated
            pass
