"""No pattern takes time that grows faster than its text: each is tried on texts made from its own structure.

The patterns are found by walking all modules, and the texts by `kit.adversarial`, so that a new pattern is tried too.
A pattern that is made while the program runs must be named here, with an example.
"""

import ast
import importlib
import pkgutil
import re
import time
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import regex

from tests.kit.adversarial import attacks_on

ROOT = Path(__file__).parents[2]
PACKAGES = ("search", "expansion", "lsp_server")
METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
SIZES = (200, 2_000, 12_500, 50_000)  # characters
QUICK_S = 4e-7  # a character: 20 ms for 50,000. A slower text is measured with four times its length
GROWTH = 2.3**2  # how much longer a text of four times the length may take: 4 grows with it, 16 with its square
N_TRIES = 5  # to measure that; what is slow is slow in each, while other programs disturb only some

BOUNDED = {  # the pattern, the characters that it ever sees, and why
    "expansion.moment_format._TOKENS": (200, "a format has 200 characters (`daily._MAX_FORMAT`)"),
    "expansion.reply._BABBLE": (240, "a suggestion has 240 characters (`reply._MAX_LINE`)"),
    "search.providers.failure._SIZE": (300, "a message has 300 characters (`failure._MAX_MESSAGE`)"),
    "search.providers.failure._WANTS_PAYMENT": (300, "the same message"),
    "search.vectors.pieces._ENDS_SENTENCE": (32, "the end of a line"),
}
MADE = {  # where a pattern is made from something else, how it is applied, and what it looks like
    "search/cache/folder.py": [("sub", r"[^\w-]+")],
    "search/matching/corrections.py": [
        ("search", r"(?<![^\s(])oak\s+tree(?![^\s),.;:!?])"),
        ("search", r"(?<!\w)oak[\W_]+tree(?!\w)"),
    ],
    "search/providers/remote_chat.py": [("search", r"\btemperature\b")],
    "search/providers/failure.py": [("sub", "sk-key"), ("sub", "//[^/@]*@"), ("split", "[?#]")],
    "search/providers/endpoint.py": [("search", "[\0\ud800-\udfff]")],
    "search/navigation/fuzzy.py": [
        ("finditer", "\noak"),
        ("finditer", "oak"),
        ("finditer", "tree"),
        ("finditer", "\n[^o\n]*o[^a\n]*a[^k\n]*k"),
    ],
    "search/vault/hidden.py": [  # within 1,000 characters the last one
        ("search", r"</script[ \t]*>"),
        ("search", r"\n[ \t>]*+````*+[ \t]*+(?=\n|$)"),
        ("search", r"(?<!`)``(?!`)"),
    ],
    "search/vault/patterns.py": [
        ("search", r"(?:^|/)a[^/]*b(?:/|$|\.(?:md|markdown)$)"),
        ("search", r"^(?:.*/)?b(?:/|$|\.(?:md|markdown)$)"),
    ],
    "search/syntax/patterns.py": [],
    "search/filters/lost.py": [("search", r"(?<!\w)(?:oak|tree)(?!\w)")],
    "search/filters/dashes.py": [
        ("search", r"(?<!\w)tar[^\S\n]+-xvf(?!\w)"),
        ("search", r"(?<!\w)tar(?!\w)[^\n]{0,200}?-xvf(?!\w)"),
    ],
    "expansion/date_words.py": [("fullmatch", r"(\d{1,2})\.?"), ("fullmatch", r"(\d{1,2})(?:st|nd|\.)?")],
    "expansion/prompt.py": [("sub", r"[\x00-\x1f\x7f]")],
    "expansion/dated_notes.py": [("search", "MMM|dd")],
    "expansion/acronyms.py": [
        ("finditer", r"\(PRs?\)"),
        ("split", r"[\n.;:!?()\[\]|]"),
        ("finditer", r"(?<!\w)PRs? \(([^()\n]{3,80})\)"),
        ("finditer", r"[^\W_]+"),
    ],
    "expansion/reply.py": [("findall", r"\w+")],
    "lsp_server/features/hover_card.py": [("match", r"\s*`{3,}\s*$"), ("findall", "`+")],
    "lsp_server/wire/decode.py": [("findall", r"([^.\[\]]+)|\[(\d+)\]")],
}
SEVERAL_FORMS = {  # calls in files that have not one example for each
    "search/filters/dashes.py": 1,  # next to each other, or near
    "search/syntax/patterns.py": 1,  # the user's own, with a time limit
}


def _patterns_in(value, name, depth=0):
    if isinstance(value, re.Pattern | regex.Pattern):
        yield name, value
    elif depth < 3 and isinstance(value, dict):
        for key, one in value.items():
            yield from _patterns_in(one, f"{name}[{key!r}]", depth + 1)
    elif depth < 3 and isinstance(value, list | tuple):
        for at, one in enumerate(value):
            yield from _patterns_in(one, f"{name}[{at}]", depth + 1)


@cache
def found():
    """Each compiled pattern of a module: name -> pattern, and the methods by which the module applies it."""
    patterns = {}
    for package in PACKAGES:
        for info in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
            if info.name.endswith("__main__"):
                continue
            module = importlib.import_module(info.name)
            used = {}
            for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
                if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
                    used.setdefault(node.value.id, set()).add(node.attr)
            for variable, value in vars(module).items():
                for name, pattern in _patterns_in(value, f"{info.name}.{variable}"):
                    _, methods = patterns.setdefault(id(pattern), ((name, pattern), set()))
                    methods |= used.get(variable, set())
    return {name: (pattern, methods or {"finditer"}) for (name, pattern), methods in patterns.values()}


def _seconds(pattern, method, text):
    """CPU seconds of a method of a pattern."""
    subject = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
    arguments = (subject[:0], subject) if method in {"sub", "subn"} else (subject,)
    begun = time.thread_time()
    result = getattr(pattern, method)(*arguments)
    if method == "finditer":
        for _ in result:
            pass
    return time.thread_time() - begun


def _compared(pattern, method, text, long_text):
    """The shortest CPU seconds for two texts, tried alternately until the long one takes no more than it may."""
    once, longer = [], []
    for _ in range(N_TRIES):
        once += (_seconds(pattern, method, text) for _ in range(2))
        longer += (_seconds(pattern, method, long_text) for _ in range(2))
        if min(longer) <= GROWTH * min(once):
            break
    return min(once), min(longer)


def slow_attacks(pattern, methods, limit):
    """The texts of at most `limit` characters on which a pattern's time grows too fast, with both times."""
    text = pattern.pattern
    for attack in attacks_on(text.decode("latin-1") if isinstance(text, bytes) else text, pattern.flags):
        for method in sorted(methods):
            for size in (min(size, limit) for size in SIZES):
                if _seconds(pattern, method, attack.text(size)) > QUICK_S * max(size, 10_000):
                    once, longer = _compared(pattern, method, attack.text(size), attack.text(4 * size))
                    if longer > GROWTH * once:
                        yield method, attack, once, longer
                    break


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", sorted(found()))
def test_time_grows_with_the_length_of_the_text(name):
    pattern, methods = found()[name]
    limit, _ = BOUNDED.get(name, (SIZES[-1], ""))
    assert next(slow_attacks(pattern, methods, limit), None) is None


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("method", "pattern"), [one for examples in MADE.values() for one in examples])
def test_patterns_that_are_made_while_the_program_runs_are_as_quick(method, pattern):
    assert next(slow_attacks(re.compile(pattern), {method}, SIZES[-1]), None) is None


def test_every_pattern_that_is_made_while_the_program_runs_has_an_example():
    n_calls = Counter()
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = (node for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef) for node in ast.walk(outer))
        fields = (node for outer in tree.body if isinstance(outer, ast.ClassDef) for node in ast.walk(outer))
        for node in {*inside, *fields}:
            match node:
                case ast.Call(func=ast.Attribute(ast.Name("re" | "regex"), name)) if name in METHODS | {"compile"}:
                    n_calls[path.relative_to(ROOT).as_posix()] += 1
    del n_calls["search/vault/code_page.py"]  # of packaged letters, on 32 kB
    n_examples = {name: len(examples) for name, examples in MADE.items()} | SEVERAL_FORMS
    assert dict(n_calls) == n_examples


def test_bounded_patterns_exist():
    assert set(BOUNDED) <= set(found())


@pytest.mark.parametrize(
    "pattern", [r"(\s*)\[x\]\s*$", r"<!--.*?-->", r"#([\w-]*[a-z][\w-]*)(?!\S)", r"(?:a|b)+c", r"\d+\.?\d*x"]
)
def test_slow_patterns_are_recognized(pattern):
    """The test of the tests. The first and the second are former patterns of front matter and previews."""
    is_linear = pattern == r"(?:a|b)+c"
    slow = next(slow_attacks(re.compile(pattern), {"match"} if is_linear else {"finditer"}, 50_000), None)
    assert (slow is None) is is_linear
