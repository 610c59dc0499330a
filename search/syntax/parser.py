"""Parses a query's text into ranked terms and a filter."""

from collections.abc import Iterable, Iterator

from attrs import evolve

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.notice import Notice, NoticeKind
from search.query import UNRANKED, And, Named, Node, Or, ParsedQuery, Phrase, RankedTerm, Restricted, Word
from search.syntax.reader import MAX_PIECES, UNSAFE, Item, Reader, all_of

MAX_CHARACTERS = 10_000
MAX_WORDS = 12  # bare words; the longest queries that people type into a search box have about ten


def parse(text: str, *, text_dashes: frozenset[int] = frozenset()) -> ParsedQuery:
    """The ranked terms and the filter of `text`, and a notice for everything that was corrected or left out.

    Bare words are ranked and not required, also inside brackets. Every other positive part is required, and its text is
    ranked too, except under `tag:` and `folder:`, in a property, and in a pattern. Nothing negated is ranked. With an
    OR at the top level, the whole query is required; `[[name]]` and `#tag` are then also the notes that they mean. If
    nothing remains of a query (`(`, `"`), it is read as words.

    A text of more than `MAX_WORDS` bare words is prose: people paste sentences with quotes, brackets and capitals. Of
    prose, only operators, patterns, properties and exclusions are required; a notice says so.

    A `-` at one of the `text_dashes` belongs to its word and excludes nothing.

    `ParsedQuery.text` is the text that was parsed: cut to `MAX_CHARACTERS`, and without NUL and lone surrogates. The
    subject of a notice is `start:end`, half-open, in characters of that text. A blank text has no terms and no filter,
    and gets a notice. Never raises.

    >>> [term.text for term in parse('router -modem "ten seconds"').terms]
    ['router', 'ten seconds']
    """
    read = UNSAFE.sub(lambda match: " " if match[0] == "\0" else "\ufffd", text[:MAX_CHARACTERS])
    if not read.strip():
        return ParsedQuery(read, notices=(Notice(NoticeKind.NOTE, "empty-query", "The query is empty."),))
    reader = Reader(read, is_cut=len(text) > MAX_CHARACTERS, text_dashes=text_dashes)
    if unsafe := UNSAFE.search(text[:MAX_CHARACTERS]):
        message = "The query contains NUL or half of a surrogate pair, which are not text; they were ignored."
        subject = f"{unsafe.start()}:{unsafe.end()}"
        reader.notices.append(Notice(NoticeKind.CORRECTED, "query-characters", message, subject))
    if reader.is_cut:
        message = f"The query has {len(text)} characters; only the first {MAX_CHARACTERS} are used."
        reader.notices.append(Notice(NoticeKind.TRUNCATED, "query-truncated", message, f"{len(read)}:{len(text)}"))
    branches = reader.branches(reader.read())
    terms = tuple(term for branch in branches for item in branch if item.node for term in _ranked(item.node))
    last = branches[-1][-1] if branches[-1] else None
    if terms and last and last.is_bare and last.end == len(read) and not reader.is_cut:
        terms = (*terms[:-1], evolve(terms[-1], is_prefix=True))
    is_prose = sum(len(term.text.split()) for term in terms if not term.is_phrase) > MAX_WORDS
    required = _operators(branches) if is_prose else _requirement(branches)
    if is_prose and required != _requirement(branches):
        message = (
            f"A query of more than {MAX_WORDS} words is read as a sentence: its quotes, brackets and OR do not restrict"
            " the results."
        )
        reader.notices.append(Notice(NoticeKind.CORRECTED, "query-prose", message, f"0:{len(read)}"))
    if not terms and required is None:
        terms = tuple(RankedTerm(word) for word in read.split()[:MAX_PIECES])
    notices = (*reader.notices, *reader.syntax_notices())
    required = None if required is None else _with_named(required)
    return ParsedQuery(read, terms, required, notices, tuple(reader.exclusions))


def _with_named(node: Node) -> Node:
    """The filter with the notes that links and tags mean as alternatives to the words of these."""
    match node:
        case Named(words, notes):
            return Or((notes, words))
        case And(nodes) | Or(nodes):
            return evolve(node, nodes=tuple(map(_with_named, nodes)))
        case _:
            return node


def _requirement(branches: list[list[Item]]) -> Node | None:
    if len(branches) == 1:
        return _without_words(item.node for item in branches[0] if item.node)
    return Or(tuple(all_of([item.node for item in branch if item.node]) for branch in branches))


def _without_words(nodes: Iterable[Node]) -> Node | None:
    """The And of these nodes without their bare words, also those in brackets; None if nothing else remains."""
    required = [kept for node in nodes if (kept := _without_word(node))]
    return all_of(required) if required else None


def _without_word(node: Node) -> Node | None:
    match node:
        case Word() | Named():
            return None
        case And(nodes):
            return _without_words(nodes)
        case _:
            return node


def _operators(branches: list[list[Item]]) -> Node | None:
    """The parts that are required even of prose, because no sentence contains them by chance.

    An OR next to nothing but such parts is no prose either: `tag:a OR` and a sentence does not require the tag, and
    finds notes with any word of the sentence too.
    """
    required = [
        [kept for item in branch if item.node and not _is_text(item.node) and (kept := _without_word(item.node))]
        for branch in branches
    ]
    whole = [len(nodes) == len(branch) for nodes, branch in zip(required, branches, strict=True)]
    if len(branches) > 1 and any(whole):
        pairs = zip(required, branches, strict=True)
        return Or(tuple(all_of(nodes) if nodes else _any_word(branch) for nodes, branch in pairs))
    flat = [node for nodes in required for node in nodes]
    return all_of(flat) if flat else None


def _any_word(branch: Iterable[Item]) -> Node:
    """What a note with any content word of the branch passes; with any word if it has only stop words."""
    terms = [term for item in branch if item.node for term in _ranked(item.node)]
    content = [term for term in terms if term.is_phrase or not (is_stop_word(fold(term.text)) or len(term.text) == 1)]
    return Or(tuple((Phrase if term.is_phrase else Word)(term.text) for term in content or terms))


def _is_text(node: Node) -> bool:
    match node:
        case Word() | Phrase() | Named():
            return True
        case And(nodes) | Or(nodes):
            return all(map(_is_text, nodes))
        case _:
            return False


def _ranked(node: Node) -> Iterator[RankedTerm]:
    match node:
        case Word(text):  # a tag is literal: an unknown one is not corrected like a misspelled word
            yield RankedTerm(text, is_literal=text.startswith("#"))
        case Named(words):
            yield from _ranked(words)
        case Phrase(text) if text.strip():
            yield RankedTerm(text, is_phrase=True)
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from _ranked(inner)
        case Restricted(operator, inner) if operator not in UNRANKED:
            for term in _ranked(inner):
                yield evolve(term, is_literal=True)
        case _:  # patterns, properties and everything negated
            pass
