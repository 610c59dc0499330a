"""What a user wants from a search, judged by the query's words: one of seven intents, which are data (designs/2).

    score of an intent = 2 * primary words + 1 * secondary words of the query;   it must reach the threshold (3.0)

Each word of the query counts once per intent, with its highest value. If no intent reaches the threshold, the intent is
`understand` with `is_sure` False: it changes no score and is not shown.
"""

from collections.abc import Mapping

from attrs import field, frozen

from expansion.tables import TomlTable
from search.analysis.fold import fold
from search.analysis.tokens import runs
from search.errors import ConfigError

FALLBACK = "understand"
_PRIMARY, _SECONDARY = 2.0, 1.0
_MAX_WORDS = 64  # of a query; further words are ignored

_Patterns = Mapping[str, tuple[tuple[tuple[str, ...], float], ...]]  # first word -> (words, points)

_SOURCES = ("lexical", "semantic", "activation")  # the sources whose weights an intent may change


@frozen(kw_only=True)
class Intent:
    """One intent. `kinds` holds factors for the scores of notes by kind, `weights` factors for the sources' weights."""

    name: str
    kinds: Mapping[str, float] = field(factory=dict)
    weights: Mapping[str, float] = field(factory=dict)
    exact: _Patterns = field(factory=dict)
    begins: tuple[tuple[str, float], ...] = ()  # beginnings of words, each with its points


@frozen(kw_only=True)
class Intents:
    """All intents. Of several with the same score the first wins."""

    intents: tuple[Intent, ...] = ()
    threshold: float = 3.0


@frozen(kw_only=True)
class DetectedIntent:
    """The intent of a query, its score and the words that matched. `is_sure` is False for the fallback."""

    intent: Intent
    score: float = 0.0
    words: tuple[str, ...] = ()
    is_sure: bool = False

    @property
    def clause(self) -> str:
        """The reason, as shown to users."""
        return f"{self.intent.name} ({', '.join(self.words)})"


def read_intents(table: TomlTable) -> Intents:
    """The intents of a table.

    Raises:
        ConfigError: a value has the wrong type or is out of range, or a key is unknown.
    """
    threshold = table.values.get("threshold", 3.0)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 1.0 <= threshold <= 100.0:
        raise ConfigError(f"{table.path}.threshold", threshold, "a number, 1..100")
    names = [name for name in table.values if name != "threshold"]
    return Intents(intents=tuple(_intent(name, table.at(name)) for name in names), threshold=float(threshold))


def detect_intent(text: str, intents: Intents) -> DetectedIntent:
    """The intent with the highest score for `text`; the fallback if no intent reaches the threshold.

    >>> from expansion.lexicon import lexicon
    >>> found = detect_intent("fix login crash after update", lexicon().intents)
    >>> found.intent.name, found.score
    ('fix_bug', 5.0)
    """
    words = [fold(run) for run in runs(text)[:_MAX_WORDS]]
    best: DetectedIntent | None = None
    for intent in intents.intents:
        points = _points(words, intent)
        score = sum(points.values())
        if score >= intents.threshold and (best is None or score > best.score):
            best = DetectedIntent(intent=intent, score=score, words=tuple(points), is_sure=True)
    if best is not None:
        return best
    fallback = next((intent for intent in intents.intents if intent.name == FALLBACK), Intent(name=FALLBACK))
    return DetectedIntent(intent=fallback)


def _points(words: list[str], intent: Intent) -> dict[str, float]:
    """The words and phrases of the query that match an intent, with their points."""
    points: dict[str, float] = {}
    for at, word in enumerate(words):
        found = [
            (worth, " ".join(pattern))
            for pattern, worth in intent.exact.get(word, ())
            if tuple(words[at : at + len(pattern)]) == pattern
        ]
        found += [(worth, word) for begin, worth in intent.begins if word.startswith(begin)]
        if found:
            best, said = max(found)
            points[said] = max(best, points.get(said, 0.0))
    return points


def _intent(name: str, table: TomlTable) -> Intent:
    exact: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    begins: list[tuple[str, float]] = []
    table.only("primary", "secondary", "kinds", "weights")
    if "weights" in table.values:
        table.at("weights").only(*_SOURCES)
    for key, points in (("primary", _PRIMARY), ("secondary", _SECONDARY)):
        for text in table.texts(key):
            words = tuple(fold(run) for run in runs(text.removesuffix("*")))
            if not words:
                raise ConfigError(f"{table.path}.{key}", text, "words, with a * at the end for any ending")
            if text.endswith("*"):
                begins.append((words[-1], points))
            else:
                exact.setdefault(words[0], []).append((words, points))
    return Intent(
        name=name,
        kinds=table.numbers("kinds", low=1.0, high=2.0),
        weights=table.numbers("weights", low=0.1, high=10.0),
        exact={word: tuple(patterns) for word, patterns in exact.items()},
        begins=tuple(begins),
    )
