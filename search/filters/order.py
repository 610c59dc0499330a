"""Rewrite a filter into a form that is cheap to evaluate, and order its parts by cost."""

from collections.abc import Callable

from search.analysis.fold import fold
from search.filters.fields import Leaf
from search.query import And, HasProperty, Node, Not, Operator, Or, Phrase, PropertyIs, Regex, Restricted, Word

FIELDS = frozenset({Operator.TAG, Operator.FOLDER, Operator.FILE, Operator.PATH})
CASES = frozenset({Operator.MATCH_CASE, Operator.IGNORE_CASE})


def pushed_down(node: Node) -> Node:  # noqa: PLR0911 - one per case
    """The same filter with `tag:`, `folder:`, `file:`, `path:` and properties pushed down to the leaves."""
    match node:
        case And(nodes):
            return And(tuple(pushed_down(inner) for inner in nodes))
        case Or(nodes):
            return Or(tuple(pushed_down(inner) for inner in nodes))
        case Not(inner):
            return Not(pushed_down(inner))
        case Restricted(operator, inner) if operator in FIELDS:
            return _on_leaves(pushed_down(inner), lambda leaf: Restricted(operator, leaf))
        case Restricted(operator, inner):
            return Restricted(operator, pushed_down(inner))
        case PropertyIs(name, inner) if not isinstance(inner, Leaf):
            return And((HasProperty(name), _on_leaves(pushed_down(inner), lambda leaf: PropertyIs(name, leaf))))
        case _:
            return node


def _on_leaves(node: Node, change: Callable[[Leaf], Node]) -> Node:
    match node:
        case Word() | Phrase() | Regex():
            return change(node)
        case And(nodes):
            return And(tuple(_on_leaves(inner, change) for inner in nodes))
        case Or(nodes):
            return Or(tuple(_on_leaves(inner, change) for inner in nodes))
        case Not(inner):
            return Not(_on_leaves(inner, change))
        case Restricted(operator, inner) if operator in CASES:
            return Restricted(operator, _on_leaves(inner, change))
        case _:  # another field inside, `file:(tag:x)`: the inner field alone decides
            return node


def cost(node: Node) -> int:  # noqa: PLR0911 - one per case
    """What evaluation needs. 0: the note's fields alone; 1: words; 2: parts of the text; 3: regular expressions."""
    match node:
        case Word() | Phrase():
            return 1
        case Regex():
            return 3
        case And(nodes) | Or(nodes):
            return max((cost(inner) for inner in nodes), default=0)
        case Not(inner):
            return cost(inner)
        case Restricted(operator, inner) if operator in CASES:
            return cost(inner)
        case Restricted(operator, inner) if operator not in FIELDS:
            return max(2, cost(inner))
        case _:
            return 0


def needed_text(node: Node) -> str | None:
    """A folded text that every match of `node` contains; None if no single text is known."""
    match node:
        case Word(text) | Phrase(text):
            return fold(text)
        case And(nodes):
            return next(filter(None, map(needed_text, nodes)), None)
        case Restricted(operator, inner) if operator not in FIELDS:
            return needed_text(inner)
        case _:
            return None
