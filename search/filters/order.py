"""Rewrite a filter into a form that is cheap to evaluate, and order its parts by cost."""

from collections.abc import Callable, Iterator

from attrs import evolve

from search.analysis.fold import fold
from search.filters.fields import Leaf
from search.query import (
    UNRANKED,
    And,
    HasProperty,
    LinkedName,
    Node,
    Not,
    Operator,
    Or,
    Phrase,
    PropertyIs,
    Regex,
    Restricted,
    Word,
)

FIELDS = frozenset({Operator.TAG, Operator.FOLDER, Operator.FILE, Operator.PATH, Operator.TYPE})
CASES = frozenset({Operator.MATCH_CASE, Operator.IGNORE_CASE})


def pushed_down(node: Node) -> Node:
    """The same filter with `tag:`, `folder:`, `file:`, `path:`, `type:` and properties pushed down to the leaves."""
    match node:
        case Restricted(operator, inner) if operator in FIELDS:
            return _on_leaves(pushed_down(inner), lambda leaf: Restricted(operator, leaf))
        case PropertyIs(name, inner) if not isinstance(inner, Leaf):
            return And((HasProperty(name), _on_leaves(pushed_down(inner), lambda leaf: PropertyIs(name, leaf))))
        case _:
            return _with_parts(node, pushed_down)


def _on_leaves(node: Node, change: Callable[[Leaf], Node]) -> Node:
    match node:
        case Word() | Phrase() | Regex():
            return change(node)
        case Restricted(operator) if operator not in CASES:
            return node  # another field inside, `file:(tag:x)`: the inner field alone decides
        case _:
            return _with_parts(node, lambda inner: _on_leaves(inner, change))


def _with_parts(node: Node, change: Callable[[Node], Node]) -> Node:
    match node:
        case And(nodes) | Or(nodes):
            return evolve(node, nodes=tuple(map(change, nodes)))
        case Not(inner) | Restricted(_, inner):
            return evolve(node, node=change(inner))
        case _:
            return node


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes that `node` combines or restricts; () for a leaf; a property is a leaf."""
    match node:
        case And(nodes) | Or(nodes):
            return nodes
        case Not(inner) | Restricted(_, inner):
            return (inner,)
        case _:
            return ()


def names_files(node: Node | None) -> bool:
    """Whether a filter asks for files by their names, paths or types, or by a link to one."""
    match node:
        case None | Not():
            return False
        case Restricted(operator) if operator in {Operator.FILE, Operator.PATH, Operator.TYPE}:
            return True
        case LinkedName():
            return True
        case _:
            return any(map(names_files, parts_of(node)))


def cost(node: Node) -> int:
    """What must be searched. 0: the note's fields alone; 1: words; 2: parts of the text; 3: regular expressions."""
    match node:
        case Word() | Phrase():
            return 1
        case Regex():
            return 3
        case Restricted(operator) if operator in FIELDS:
            return 0
        case Restricted(operator, inner) if operator not in CASES:
            return max(2, cost(inner))
        case _:
            return max(map(cost, parts_of(node)), default=0)


def has_alternatives(node: Node | None) -> bool:
    """Whether the filter has an OR with text that is ranked, as in `tag:a OR energy`.

    A note may then be an answer without any of the query's words, because it passes another branch.
    """
    match node:
        case Or(nodes):
            return any(True for inner in nodes for _ in ranked_leaves(inner))
        case And(nodes):
            return any(map(has_alternatives, nodes))
        case Restricted(operator, inner) if operator not in UNRANKED:
            return has_alternatives(inner)
        case _:
            return False


def ranked_leaves(node: Node | None) -> Iterator[Word | Phrase]:
    """The words and phrases of the filter that are ranked too, in any branch of an OR."""
    match node:
        case Word() | Phrase():
            yield node
        case And(nodes) | Or(nodes):
            for inner in nodes:
                yield from ranked_leaves(inner)
        case Restricted(operator, inner) if operator not in UNRANKED:
            yield from ranked_leaves(inner)


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
