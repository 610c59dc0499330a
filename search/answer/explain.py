"""Explain a hit's rank: as one sentence for a person, and as the arithmetic of its score.

Everything comes from the hit's evidence and trail; nothing is computed again, so nothing can contradict the ranking.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from search.answer.evidence import Evidence, Field, FieldMatch, MatchKind
from search.answer.ranking import Hit, K
from search.answer.strength import (
    COVERAGE_SHARE,
    MOST_BY_MEANING,
    NEARNESS_SHARE,
    StrengthDerivation,
    WordStrength,
    in_a_word,
)
from search.answer.term_score import TermScore
from search.answer.trail import Found, Fused, Replaced, Scaled, Step, Trail, before_normalization, replay

_LONGEST = 100  # characters of a sentence: a line in a terminal, two in a sidebar
_LONGEST_NAME = 60
_LONGEST_WORD = 24
_MOST_WORDS = 3  # named before "and 2 more"
_MOST_PLACES = 2  # of words

_FIRST_DENSE = "\u2e80"  # Chinese, Japanese and Korean letters come after all alphabets; they are searched in pairs

_FIELDS, _KINDS = tuple(Field), tuple(MatchKind)

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
    MatchKind.EXPANSION: "{}",
}
_EXACT = {
    "exact title": "Title is exactly",
    "exact alias": "Alias is exactly",
    "exact file name": "File name is exactly",
}


def sentence(hit: Hit[K], *, is_similar: bool = True) -> str:
    """One English sentence for a person, at most 100 characters; reasons that do not fit are left out.

    `is_similar` is False for a note whose cosine is only noise; then similarity is no reason.

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
    if evidence.nearest is not None and is_similar:
        reasons.append(("; ", "similar in meaning"))
    reasons += [("; ", clause) for clause in _relations(evidence)]
    if not reasons:
        return "Passes the filters." if evidence.nearest is None else "Hardly similar in meaning."
    text = reasons[0][1]
    for joint, clause in reasons[1:]:
        if len(text) + len(joint) + len(clause) < _LONGEST:
            text += joint + clause
    return _shorten(text[0].upper() + text[1:] + ".", _LONGEST)


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
    parts += [f"x {step.factor:.3g} {step.by}" for step in trail if isinstance(step, Scaled)]
    if not parts:
        return ""
    return " + ".join(parts).replace(" + x ", " x ") + f" = {replay(before_normalization(trail)):.3g}"


def render_trail(trail: Trail) -> tuple[str, ...]:
    """The arithmetic of a score, one line for each step, which ends with the score so far, except for raw scores.

    The formula of a step is in brackets, with its numbers; the terms of a BM25F score follow it, indented.

    >>> render_trail((Found("lexical", 7.0), Fused("lexical", 1, 1.0, 0.5), Scaled("folder", 1.1, "2 of 4 match")))
    ('lexical found it with 7', '+ 0.5 for rank 1 in lexical, weight 1 = 0.5', 'x 1.1 folder: 2 of 4 match = 0.55')
    """
    lines: list[str] = []
    for at, step in enumerate(trail):
        known = {"score": replay(trail[:at])}
        if isinstance(step, Fused):
            raws = (found.raw for found in trail[:at] if isinstance(found, Found) and found.source == step.source)
            known |= {"rank": step.rank, "weight": step.weight, "raw": next(raws, 0.0)}
        how = "" if step.arithmetic is None else f" [{step.arithmetic.filled(**known)}]"
        lines.append(_render(step, how, replay(trail[: at + 1])))
        lines += [_render_term(term) for term in (step.terms if isinstance(step, Found) else ())]
    return tuple(lines)


def _render(step: Step, how: str, score: float) -> str:
    match step:
        case Found(source=source, raw=raw):
            return f"{source} found it with {raw:.6g}{how}"
        case Fused(source=source, rank=rank, weight=weight, amount=amount):
            return f"+ {amount:.6g} for rank {rank} in {source}, weight {weight:.6g}{how} = {score:.6g}"
        case Scaled(by=by, factor=factor, why=why):
            return f"x {factor:.6g} {by}: {why}{how} = {score:.6g}"
        case Replaced(by=by, value=value, why=why):
            return f"= {value:.6g} {by}: {why}{how}"
        case _:
            assert_never(step)


def _render_term(term: TermScore) -> str:
    """One addend of a BM25F score, with the occurrences that its frequency counts."""
    counts: dict[Field, int] = {}
    for part in term.parts:
        for each in part.fields:
            counts[each.field] = counts.get(each.field, 0) + each.count
    places = ", ".join(f"{field} {count}" for field, count in counts.items())
    times = f"{term.times} * " if term.times > 1 else ""
    f, k1 = f"{term.frequency:.4g}", f"{term.k1:g}"
    formula = f"{times}{term.idf:.4g} * {f} * ({k1} + 1) / ({f} + {k1})"
    return f"  {term.score:.4g} {_shorten(term.term, _LONGEST_WORD)} in {places} [{formula}]"


def render_strength(derivation: StrengthDerivation) -> tuple[str, ...]:
    """The arithmetic of a strength, one numbered line for each fact; the last line has the strength.

    >>> render_strength(StrengthDerivation(value=1.0, exact_name="Router"))
    ('1. the query is the name "Router"', '2. strength 1: exact')
    """
    if derivation.exact_name:
        lines = [f"the query is the name {quote(derivation.exact_name, _LONGEST_NAME)}"]
    else:
        lines = [_render_word(word) for word in derivation.words]
        total = sum(word.weight for word in derivation.words)
        lines.append(f"coverage: sum of weight x quality / sum of weights {total:.4g} = {derivation.coverage:.4g}")
        lines.append(f"nearness: the same for words that stand together = {derivation.nearness:.4g}")
        parts = f"{COVERAGE_SHARE:g} x {derivation.coverage:.4g} + {NEARNESS_SHARE:g} x {derivation.nearness:.4g}"
        lines.append(f"words: {parts} = {derivation.by_words:.4g}")
        if derivation.cosine is not None:
            lines.append(_render_meaning(derivation))
    formula = "words + (1 - words) x meaning = " if derivation.cosine is not None and not derivation.exact_name else ""
    lines.append(f"strength {formula}{derivation.value:.4g}: {in_a_word(derivation.value)}")
    return tuple(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _render_word(word: WordStrength) -> str:
    idf = f"idf {word.idf:.4g}, weight {word.weight:.4g}"
    if word.match is None:
        return f"{quote(word.word, _LONGEST_WORD)} ({idf}): not in the note, quality 0"
    form = f" {quote(word.form, _LONGEST_WORD)}" if word.form else ""
    field = f" {_IN_FIELD[word.field]}" if word.field else ""
    near = ", together with others" if word.is_near else ""
    return f"{quote(word.word, _LONGEST_WORD)} ({idf}): {word.match}{form}{field}, quality {word.quality:.4g}{near}"


def _render_meaning(derivation: StrengthDerivation) -> str:
    numbers = f"cosine {derivation.cosine:.4g}, floor {derivation.floor:.4g}, ceiling {derivation.ceiling:.4g}"
    return f"meaning: {MOST_BY_MEANING:g} x u x u = {derivation.by_meaning:.4g}, u from {numbers}"


def _names(hit: Hit[K]) -> tuple[str, ...]:
    """The name that equals the query; it makes word matches superfluous."""
    if not hit.evidence.exact_name:
        return ()
    whys = (step.why for step in hit.trail if isinstance(step, Scaled | Replaced))
    prefix = next((_EXACT[why] for why in whys if why in _EXACT), "Name is exactly")
    return (f"{prefix} {quote(hit.evidence.exact_name, _LONGEST_NAME)}",)


def _matches(matches: Iterable[FieldMatch]) -> tuple[str, ...]:
    """Clauses with the place of each word that tells most, such as `"mirror" in the title`, at most two.

    A place in a name or a heading tells more than one in the text, but a part of a longer word tells least.
    """
    best: dict[tuple[bool, str], FieldMatch] = {}
    for match in sorted(matches, key=_tells_less):
        best.setdefault((match.is_suggested, match.query), match)
    places: dict[tuple[bool, Field], dict[MatchKind, list[str]]] = {}
    for match in best.values():
        word = match.form if match.kind is MatchKind.NEAR else match.query
        _add(word, places.setdefault((match.is_suggested, match.field), {}).setdefault(match.kind, []))
    return tuple(
        f"{'the suggested ' if is_suggested else ''}{_words(words)} {_IN_FIELD[field]}"
        for (is_suggested, field), words in list(places.items())[:_MOST_PLACES]
    )


def _add(word: str, words: list[str]) -> None:
    """Add a word; of a script without spaces, pairs of letters that overlap are one word."""
    if words and len(word) == 2 and word[0] == words[-1][-1] and word[0] >= _FIRST_DENSE:
        words[-1] += word[1]
    else:
        words.append(word)


def _tells_less(match: FieldMatch) -> tuple[bool, bool, int, int]:
    is_inner = match.kind is MatchKind.INNER
    return match.is_suggested, is_inner, _FIELDS.index(match.field), _KINDS.index(match.kind)


def listed(parts: Sequence[str]) -> str:
    """The parts as an English list, "a, b and c"; no parts: an empty text."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def _words(words: Mapping[MatchKind, Sequence[str]]) -> str:
    """The words in quotes, each kind of match in its phrase; after three words, how many more there are."""
    parts: list[str] = []
    n_left = _MOST_WORDS
    for kind, found in words.items():
        shown = [_quoted(kind, word) for word in found[: max(0, n_left)]]
        n_left -= len(found)
        if shown:
            parts += shown if kind is MatchKind.WORD else [_MATCHED[kind].format(listed(shown))]
    return listed([*parts, f"{-n_left} more"] if n_left < 0 else parts)


def _quoted(kind: MatchKind, word: str) -> str:
    """The word in quotes, but not the text about an expansion, which has its own."""
    return _shorten(word, _LONGEST_NAME) if kind is MatchKind.EXPANSION else quote(word)


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
    printable = text if text.isprintable() else "".join(char if char.isprintable() else " " for char in text)
    line = " ".join(printable.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
