"""From the pieces of a query to what they ask for: terms that are ranked, and a filter that is required."""

from collections.abc import Iterable, Iterator

from attrs import evolve

from search.notice import Notice, NoticeKind
from search.query import And, Node, Operator, Or, ParsedQuery, Phrase, RankedTerm, Restricted, Word
from search.syntax.reader import MAX_PIECES, UNSAFE, Item, Reader, all_of

MAX_CHARACTERS = 10_000
MAX_WORDS = 12  # bare words of a query; the longest that people type to a search box have about ten
_UNRANKED = frozenset({Operator.TAG, Operator.FOLDER})


def parse(text: str) -> ParsedQuery:
    """What `text` asks for: its ranked terms, its filter, and a notice for each thing mended or left out.

    Bare words are ranked and not required, in brackets too; every other positive piece is required, and ranked too
    unless it stands under `tag:`, `folder:` or in a property or is a regex. Nothing negated is ranked. An OR at the
    top level makes the whole query a requirement. A query of which nothing remains (`(`, `"`) is its own words.

    A text of more than `MAX_WORDS` bare words is prose: people paste sentences with quotes, brackets and capitals.
    There only operators, patterns, properties and exclusions are required; a notice says so.

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
    if strange := UNSAFE.search(text[:MAX_CHARACTERS]):
        message = "The query holds what is no text (NUL, or half of a pair of surrogates); it was read as if not there."
        subject = f"{strange.start()}:{strange.end()}"
        reader.notices.append(Notice(NoticeKind.CORRECTED, "query-characters", message, subject))
    if reader.is_cut:
        message = f"The query has {len(text)} characters; only the first {MAX_CHARACTERS} were read."
        reader.notices.append(Notice(NoticeKind.TRUNCATED, "query-truncated", message, f"{len(read)}:{len(text)}"))
    branches = reader.branches(reader.read())
    terms = tuple(term for branch in branches for item in branch if item.node for term in _ranked(item.node))
    last = branches[-1][-1] if branches[-1] else None
    if terms and last and last.is_bare and last.end == len(read) and not reader.is_cut:
        terms = (*terms[:-1], evolve(terms[-1], is_prefix=True))
    is_prose = sum(len(term.text.split()) for term in terms if not term.is_phrase) > MAX_WORDS
    required = _operators(branches) if is_prose else _requirement(branches)
    if is_prose and required != _requirement(branches):
        message = "So long a text is read as a sentence: its quotes, brackets and OR do not restrict the answer."
        reader.notices.append(Notice(NoticeKind.CORRECTED, "query-prose", message, f"0:{len(read)}"))
    if not terms and required is None:
        terms = tuple(RankedTerm(word) for word in read.split()[:MAX_PIECES])
    return ParsedQuery(read, terms, required, tuple(reader.notices))


def _requirement(branches: list[list[Item]]) -> Node | None:
    if len(branches) == 1:
        return _all_demands(item.node for item in branches[0] if item.node)
    return Or(tuple(all_of([item.node for item in branch if item.node]) for branch in branches))


def _all_demands(nodes: Iterable[Node]) -> Node | None:
    """What of these pieces, standing side by side, is required: everything but bare words."""
    required = [demanded for node in nodes if (demanded := _demanded(node))]
    return all_of(required) if required else None


def _demanded(node: Node) -> Node | None:
    match node:
        case Word():
            return None
        case And(nodes):
            return _all_demands(nodes)
        case _:
            return node


def _operators(branches: list[list[Item]]) -> Node | None:
    """What even a sentence requires: what no sentence has by chance."""
    required = [item.node for branch in branches for item in branch if item.node and not _is_text(item.node)]
    return all_of(required) if required else None


def _is_text(node: Node) -> bool:
    match node:
        case Word() | Phrase():
            return True
        case And(nodes) | Or(nodes):
            return all(map(_is_text, nodes))
        case _:
            return False


def _ranked(node: Node) -> Iterator[RankedTerm]:
    match node:
        case Word(text):  # a tag is meant as it stands: one that the vault has not is no misspelt word
            yield RankedTerm(text, is_literal=text.startswith("#"))
        case Phrase(text) if text.strip():
            yield RankedTerm(text, is_phrase=True)
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from _ranked(inner)
        case Restricted(operator, inner) if operator not in _UNRANKED:
            for term in _ranked(inner):
                yield evolve(term, is_literal=True)
        case _:  # patterns, properties and all that is negated
            pass
