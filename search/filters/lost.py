"""Finds notes whose tags, aliases and properties are lost to broken front matter, if a query may be about these."""

import re
from collections.abc import Iterator

from search.analysis.fold import fold
from search.analysis.tokens import runs
from search.filters.scope import leaves
from search.ids import NoteId
from search.index.indexer import Indexer
from search.notice import Notice, NoticeKind
from search.query import HasProperty, LinkedName, Operator, ParsedQuery, Phrase, PropertyIs, Query, Restricted, Word
from search.vault.frontmatter import body_start
from search.vault.lines import split_lines

_CODE = "front-matter-invalid"
_MAX_READ = 200  # broken notes whose front matter is compared with a query


def lost_properties(query: Query, parsed: ParsedQuery, indexer: Indexer) -> tuple[Notice, ...]:
    """A notice of the notes whose unreadable front matter contains a tag, property or name that the query asks for."""
    broken = [NoteId(notice.subject) for notice in indexer.vault.notices if notice.code == _CODE][:_MAX_READ]
    if not broken:
        return ()
    wanted = sorted({fold(text.strip("#/[] ")) for text in _wanted(query, parsed)})
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)")

    def is_lost(front: str) -> bool:  # comparing plain texts first is many times as fast
        return any(text in front for text in wanted) and pattern.search(front) is not None

    lost = [note for note in broken if wanted and is_lost(_front_matter(indexer.vault.text(note)))]
    if not lost:
        return ()
    others = f" The same applies to {len(lost) - 1} more." if len(lost) > 1 else ""
    message = (
        f"{lost[0]}: the front matter is not valid YAML, so that its tags, aliases and properties are searched only as"
        f" text.{others}"
    )
    return (Notice(NoticeKind.DEGRADED, _CODE, message, lost[0]),)


def _wanted(query: Query, parsed: ParsedQuery) -> Iterator[str]:
    """What the query asks of front matter; "" if it may be anything."""
    yield from query.tags
    if any(runs(term.text) for term in parsed.terms):  # it may be a title or an alias
        yield parsed.text
    yield from (term.text for term in parsed.terms if term.text.startswith("#"))
    for leaf in () if parsed.filter is None else leaves(parsed.filter):
        match leaf:
            case Restricted(Operator.TAG, Word(text) | Phrase(text)):
                yield text
            case Restricted(Operator.TAG):
                yield ""
            case HasProperty(name) | PropertyIs(name) | LinkedName(name):
                yield name


def _front_matter(text: str) -> str:
    lines = split_lines(text)
    return fold("\n".join(lines[: body_start(lines)]))
