"""Explain a hit's rank: as one sentence for a person, and as the arithmetic of its score.

Everything comes from the hit's evidence and trail; nothing is computed again, so nothing can contradict the ranking.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import assert_never

from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.ranking import Hit, K
from search.answer.trail import Found, Fused, Replaced, Scaled, Step, Trail, before_normalization, replay

_LONGEST = 200  # characters of a sentence: two lines in a sidebar
_LONGEST_NAME = 100
_LONGEST_WORD = 24
_MOST_WORDS = 3  # named before "and 2 more"

_IN_FIELD = {
    Field.TITLE: "in the title",
    Field.PATH: "in the path",
    Field.TAGS: "among the tags",
    Field.HEADINGS: "in a heading",
    Field.LINKS: "in a link",
    Field.PROPERTIES: "in the properties",
    Field.BODY: "in the text",
}
_MATCHED = {
    MatchKind.WORD: "{}",
    MatchKind.STEM: "a form of {}",
    MatchKind.NEAR: "{} (corrected)",
    MatchKind.PREFIX: "a word that begins with {}",
    MatchKind.INNER: "{} inside a word",
}
_EXACT = {
    "exact title": "Title is exactly",
    "exact alias": "Alias is exactly",
    "exact file name": "File name is exactly",
}


def sentence(hit: Hit[K]) -> str:
    """One English sentence for a person, at most 200 characters; reasons that do not fit are left out.

    >>> from search.answer.ranking import Hit
    >>> from search.answer.trail import Found
    >>> router = FieldMatch(Field.BODY, "router", 1.0)
    >>> sentence(Hit.found("a.md", Found("lexical", 1.0), evidence=Evidence(matches=(router,))))
    '"router" in the text.'
    """
    evidence = hit.evidence
    reasons = [("; ", clause) for clause in dict.fromkeys((evidence.named, evidence.dated)) if clause]
    reasons += [
        ("; " if not at else ", ", clause) for at, clause in enumerate(_names(hit) or _matches(evidence.matches))
    ]
    if evidence.cosine is not None:
        reasons.append(("; ", "similar in meaning"))
    reasons += [("; ", clause) for clause in _relations(evidence)]
    if not reasons:
        return "Passes the filters."
    text = reasons[0][1]
    for joint, clause in reasons[1:]:
        if len(text) + len(joint) + len(clause) < _LONGEST:
            text += joint + clause
    return text[0].upper() + text[1:] + "."


_BREAKDOWN = {"semantic": "vectorSimilarity", "proximity": "graphProximity", "lexical": "fulltext"}  # designs/0


def breakdown(trail: Trail) -> Mapping[str, float]:
    """The unweighted contribution of each source: 0..1 after fusion by score, 1 / (k + rank) after fusion by rank.

    >>> breakdown((Found("semantic", 0.62), Fused("semantic", 1, 0.7, 0.434)))
    {'vectorSimilarity': 0.62}
    """
    return {
        _BREAKDOWN.get(step.source, step.source): round(step.amount / step.weight, 6)
        for step in trail
        if isinstance(step, Fused) and step.weight > 0
    }


def relevance_reason(trail: Trail) -> str:
    """The weighted contributions as arithmetic, down to the score; empty for a note that went through no fusion.

    >>> relevance_reason((Found("semantic", 0.62), Fused("semantic", 1, 0.7, 0.434), Fused("proximity", 1, 0.3, 0.3)))
    '0.7 x 0.62 vectorSimilarity + 0.3 x 1 graphProximity = 0.734'
    """
    parts = [
        f"{step.weight:.3g} x {step.amount / step.weight:.3g} {_BREAKDOWN.get(step.source, step.source)}"
        for step in trail
        if isinstance(step, Fused) and step.weight > 0
    ]
    after = dropwhile(lambda step: not isinstance(step, Fused), trail)
    parts += [f"x {step.factor:.3g} {step.by}" for step in after if isinstance(step, Scaled)]
    if not parts:
        return ""
    return " + ".join(parts).replace(" + x ", " x ") + f" = {replay(before_normalization(trail)):.3g}"


def render_trail(trail: Trail) -> tuple[str, ...]:
    """The arithmetic of a score, one line for each step, which ends with the score so far, except for raw scores.

    >>> render_trail((Found("lexical", 7.0), Fused("lexical", 1, 1.0, 0.5), Scaled("folder", 1.1, "2 of 4 match")))
    ('lexical found it with 7', '+ 0.5 for rank 1 in lexical, weight 1 = 0.5', 'x 1.1 folder: 2 of 4 match = 0.55')
    """
    return tuple(_render(step, replay(trail[:at])) for at, step in enumerate(trail, start=1))


def _render(step: Step, score: float) -> str:
    match step:
        case Found(source=source, raw=raw):
            return f"{source} found it with {raw:.6g}"
        case Fused(source=source, rank=rank, weight=weight, amount=amount):
            return f"+ {amount:.6g} for rank {rank} in {source}, weight {weight:.6g} = {score:.6g}"
        case Scaled(by=by, factor=factor, why=why):
            return f"x {factor:.6g} {by}: {why} = {score:.6g}"
        case Replaced(by=by, value=value, why=why):
            return f"= {value:.6g} {by}: {why}"
        case _:
            assert_never(step)


def _names(hit: Hit[K]) -> tuple[str, ...]:
    """The name that equals the query; it makes word matches superfluous."""
    if not hit.evidence.exact_name:
        return ()
    whys = (step.why for step in hit.trail if isinstance(step, Scaled | Replaced))
    prefix = next((_EXACT[why] for why in whys if why in _EXACT), "Name is exactly")
    return (f"{prefix} {quote(hit.evidence.exact_name, _LONGEST_NAME)}",)


def _matches(matches: Sequence[FieldMatch]) -> tuple[str, ...]:
    """A clause for each set of words, with all fields that contain exactly this set; in the order of the fields.

    If a field contains the whole word, its weaker matches there are not mentioned. Suggested words come last.
    """
    typed = _fields_by_words([match for match in matches if not match.is_suggested])
    suggested = _fields_by_words([match for match in matches if match.is_suggested])
    fields = typed | {f"the suggested {words}": found for words, found in suggested.items()}
    return tuple(
        f"{words} {listed([found[0], *(field.removeprefix('in ') for field in found[1:])])}"
        for words, found in fields.items()
    )


def _fields_by_words(matches: Sequence[FieldMatch]) -> dict[str, list[str]]:
    """Sets of words as text, each with the fields that contain them."""
    queries: dict[Field, dict[MatchKind, dict[str, None]]] = {}
    for match in matches:
        word = match.form if match.kind is MatchKind.NEAR else match.query
        queries.setdefault(match.field, {}).setdefault(match.kind, {})[word] = None
    fields: dict[str, list[str]] = {}
    for field in (field for field in Field if field in queries):
        named: set[str] = set()
        for kind in MatchKind:
            words = [word for word in queries[field].get(kind, ()) if word not in named]
            named.update(words)
            if words:
                fields.setdefault(_words(kind, words), []).append(_IN_FIELD[field])
    return fields


def listed(parts: Sequence[str]) -> str:
    """The parts as an English list, "a, b and c"; no parts: an empty text."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def _words(kind: MatchKind, words: Sequence[str]) -> str:
    if kind is MatchKind.EXPANSION:
        return listed([_shorten(word, _LONGEST_NAME) for word in words[:_MOST_WORDS]])
    quoted = [quote(word, _LONGEST_WORD) for word in words[:_MOST_WORDS]]
    if len(words) > _MOST_WORDS:
        quoted.append(f"{len(words) - _MOST_WORDS} more")
    return _MATCHED[kind].format(listed(quoted))


def _relations(evidence: Evidence) -> Iterator[str]:
    """What the note has to do with its folder, other results and the result that led to it."""
    if folder := evidence.folder:
        shown = f"{_shorten(folder.folder, _LONGEST_NAME)}/" if folder.folder else "the top folder"
        yield f"{folder.n_relevant} of {folder.n_notes} notes in {shown} match"
    if graph := evidence.graph:
        if graph.backlinks:
            yield f"linked from {_count(graph.backlinks, 'other result')}"
        if graph.co_citations:
            yield f"cited with other results in {_count(graph.co_citations, 'note')}"
        if graph.shared_tags:
            yield f"shares {_count(graph.shared_tags, 'tag')} with other results"
    if link := evidence.link:
        yield f"{_count(link.hops, 'link')} from {quote(link.origin, _LONGEST_NAME)}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'s'[: count != 1]}"


def quote(text: str, longest: int = _LONGEST_WORD) -> str:
    """The text in double quotes, on one line and shortened."""
    return f'"{_shorten(text, longest)}"'


def _shorten(text: str, longest: int) -> str:
    """One line, without control characters, at most `longest` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
