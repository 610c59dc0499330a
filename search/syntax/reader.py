"""Reads a query's text into nodes, in Obsidian's search language; text that is no syntax becomes plain words.

One pass from left to right with a stack of open brackets, without recursion or backtracking, so time is linear in the
length. Syntax counts only at the beginning of a term: `pre-edit`, `f(x)` and `10:30` are words. A bracket that is never
closed, or a quote without its partner, is dropped together with its prefix (`-`, `tag:`); the text after it is read as
if it were not there, and a notice says where it was.

Where Obsidian's language is ambiguous:
- terms next to each other bind more tightly than OR: `a b OR c` is (a and b) or c;
- typographic double quotes are quotes. The full-width colon and brackets of CJK input methods are part of a word,
  because they are common in Chinese and Japanese prose, and so are single quotes, because they are apostrophes;
- a regex has no space after its first slash, and a space, a bracket or the end after its last: `/path/to` is a word;
- a property's name has a letter and its bracket stands alone: `[1]`, `- [x]`, `[[note]]`, `[a](url)` are text. There
  may be several names, `[status OR state:done]`;
- `-` before another `-` or before nothing but punctuation is text: `--force`, `->`. So is a `-` that the caller says is
  text, because notes contain it: `tar -xvf`;
- `type:` is an operator only in front of a type of file, since notes contain `type: guide` as a property;
- `-#tag` and `-[[note]]` exclude that tag and that note, and not the words of their names.

Never raises.
"""

import re
from collections.abc import Sequence

from attrs import Factory, define, evolve, frozen

from search.ids import FILE_TYPES, MARKDOWN
from search.notice import Notice, NoticeKind
from search.query import (
    And,
    Exclusion,
    HasProperty,
    LinkedName,
    Named,
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
from search.syntax.hints import syntax_hint
from search.syntax.patterns import PatternError, compile_pattern

MAX_PIECES = 64  # words, phrases and patterns; each of them is looked up in the vault
MAX_DEPTH = 20  # nested brackets: evaluation is recursive, and no one types more
_MAX_OPERATORS = 4  # before one value, as in `match-case:line:x`
_MAX_COLUMNS = 3  # of further places that a notice names

_SPACE = re.compile(r"\s*")
_NAMES = "|".join(sorted(set(Operator) - {Operator.TYPE}, key=len, reverse=True))
_TYPES = "|".join((MARKDOWN, *FILE_TYPES))
_OPERATOR = re.compile(rf"({_NAMES}|type(?=:(?:{_TYPES})(?:[\s)\]]|$))):")
_STRAIGHT = re.compile(r'"((?:\\"|[^"])*)"')
_CURLY = re.compile(r'[“”„]([^“”„"]*)[“”„"]')
_REGEX = re.compile(r"/(?!\s)((?:\\.|[^/\\\n])++)/(?=[\s)\]]|$)")
_PROPERTY = re.compile(r'\[(?:"([^"\[\]]+)"|([^\[\]:"“”„\n]+))\s*([:\]])')
_LINK = re.compile(r"\[\[(?!\s*[|#^\]])([^\[\]|#^\n]++)[^\[\]\n]*+\]\](?=[\s)\]]|$)")
_TAG = re.compile(r"#(?=\d*[^\W\d]|\d+[/-])[\w/-]+")
_COMPARISON = re.compile(r"[<>](?:[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d+)?|\d{4}-\d{2}\S*)")
UNSAFE = re.compile("[\0\ud800-\udfff]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]*$")


@frozen
class Item:
    """An element of a group of terms; without a node it is an OR, or the word OR if it has nothing to join."""

    start: int
    end: int
    node: Node | None
    is_bare: bool = False  # a plain word without a prefix: ranked, not required


@frozen
class _Prefix:
    """The prefix of a value: `-`, then operators from the outermost to the innermost."""

    start: int
    is_negated: bool = False
    operators: tuple[Operator, ...] = ()

    def apply(self, node: Node) -> Node:
        for operator in reversed(self.operators):
            node = Restricted(operator, node)
        return Not(node) if self.is_negated else node


@define
class _Frame:
    """An open bracket: `(`, or `[name:` where `name` is set."""

    prefix: _Prefix
    opened: int
    name: str | None = None
    items: list[Item] = Factory(list)


@define
class Reader:
    """The state of reading one text, which is not blank. If `is_cut`, brackets still open at the end are closed.

    `text_dashes`: where a `-` at the beginning of a word is text and excludes nothing.
    """

    text: str
    is_cut: bool
    text_dashes: frozenset[int] = frozenset()
    at: int = 0
    n_pieces: int = 0
    n_too_deep: int = 0  # opening brackets ignored as too deep; as many closing ones are ignored too
    frames: list[_Frame] = Factory(lambda: [_Frame(_Prefix(0), 0)])
    notices: list[Notice] = Factory(list)
    exclusions: list[Exclusion] = Factory(list)
    _places: dict[str, list[tuple[int, int]]] = Factory(dict)  # of broken syntax, by what is wrong with it

    def read(self) -> list[Item]:
        """The items of the top level."""
        while (at := self._skip_space()) < len(self.text):
            if self.n_too_deep and self.text[at] == ")":
                self.n_too_deep -= 1
                self.at = at + 1
            elif self._closes(at):
                self._close()
            elif self.n_pieces == MAX_PIECES:
                self._cut(at)
                break
            else:
                self._read_piece(at)
        if self.is_cut:
            while len(self.frames) > 1:
                self._close()
        return self._unclosed_items()

    def _skip_space(self) -> int:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def _closes(self, at: int) -> bool:
        if len(self.frames) == 1:
            return False
        return self.text[at] == (")" if self.frames[-1].name is None else "]")

    def _cut(self, at: int) -> None:
        self.is_cut = True
        message = f"The query has more than {MAX_PIECES} words; the text after column {at} was left out."
        self.notices.append(Notice(NoticeKind.TRUNCATED, "query-truncated", message, f"{at}:{len(self.text)}"))

    def _add_notice(self, start: int, end: int, reason: str) -> None:
        self._places.setdefault(reason, []).append((start, end))

    def syntax_notices(self) -> list[Notice]:
        """A notice for each way in which the syntax is broken, about its first place and with the columns of others."""
        return [self._syntax_notice(reason, places) for reason, places in self._places.items()]

    def _syntax_notice(self, reason: str, places: Sequence[tuple[int, int]]) -> Notice:
        start, end = places[0]
        piece = self.text[start:end] if end - start <= 40 else self.text[start : start + 39] + "…"
        message = f"‘{piece}’ at column {start + 1} {reason}" + ("" if reason[-1] == "?" else ".")
        others = [str(start + 1) for start, _ in places[1:]]
        if others:
            shown = others[:_MAX_COLUMNS] + ([f"{len(others) - _MAX_COLUMNS} more"] * (len(others) > _MAX_COLUMNS))
            listed = " and ".join((", ".join(shown[:-1]), shown[-1]) if len(shown) > 1 else shown)
            message += f" The same at column{'s' if len(others) > 1 else ''} {listed}."
        return Notice(NoticeKind.CORRECTED, "query-syntax", message, f"{start}:{end}")

    def _add(self, start: int, end: int, node: Node | None, *, is_bare: bool = False) -> None:
        self.frames[-1].items.append(Item(start, end, node, is_bare))
        self.at = end
        if isinstance(node, Not):
            self._add_exclusion(start, end, node.node)

    def _add_exclusion(self, start: int, end: int, node: Node) -> None:
        """Record an exclusion in place of those inside it; operators, properties, tags and links are never text."""
        self.exclusions = [one for one in self.exclusions if one.start < start]
        if isinstance(node, Word | Phrase | Regex | And | Or):
            is_word = isinstance(node, Word) and self.text[start + 1] != "("
            before = self.text[:start].rsplit(maxsplit=1)[-1:] if is_word else []
            self.exclusions.append(Exclusion(start, end, "".join(before)))

    # Pieces

    def _read_piece(self, start: int) -> None:
        prefix, at = self._read_prefix(start)
        char = self.text[at : at + 1]
        if not char or char.isspace() or self._closes(at):
            if prefix.operators:
                self._add_notice(start, at, "has nothing after it and is read as a word")
            self._read_word(_Prefix(start), start)
        elif char == "(" and len(self.frames) > MAX_DEPTH:
            self._add_notice(start, at + 1, f"is nested more than {MAX_DEPTH} levels deep and is ignored")
            self.n_too_deep += 1
            self.at = at + 1
        elif char == "(":
            self.frames.append(_Frame(prefix, at))
            self.at = at + 1
        elif char in '"“”„':
            self._read_phrase(prefix, at)
        elif not (char == "[" and (self._read_link(prefix, at) or self._read_property(prefix, at))) and not (
            char == "/" and self._read_regex(prefix, at)
        ):
            self._read_word(prefix, at)

    def _read_prefix(self, start: int) -> tuple[_Prefix, int]:
        at = start
        is_negated = self.text[at] == "-" and not self.text.startswith("--", at) and at not in self.text_dashes
        at += is_negated
        operators: list[Operator] = []
        while len(operators) < _MAX_OPERATORS and (match := _OPERATOR.match(self.text, at)):
            operators.append(Operator(match[1]))
            at = match.end()
        return _Prefix(start, is_negated, tuple(operators)), at

    def _read_phrase(self, prefix: _Prefix, at: int) -> None:
        match = (_STRAIGHT if self.text[at] == '"' else _CURLY).match(self.text, at)
        if match is None:
            self._add_notice(prefix.start, at + 1, "opens a phrase that is never closed; the rest is read as words")
            self.at = at + 1
            return
        self.n_pieces += 1
        phrase = Phrase(match[1].replace('\\"', '"'))
        if phrase.text.strip() or prefix.operators or self.frames[-1].name is not None:
            self._add(prefix.start, match.end(), prefix.apply(phrase))
        else:
            self.at = match.end()

    def _read_regex(self, prefix: _Prefix, at: int) -> bool:
        match = _REGEX.match(self.text, at)
        if match is None:
            return False
        try:
            compile_pattern(match[1])
        except PatternError as error:
            self._add_notice(at, match.end(), f"is not a valid regular expression ({error}) and is read as words")
            return False
        self.n_pieces += 1
        self._add(prefix.start, match.end(), prefix.apply(Regex(match[1])))
        return True

    def _read_link(self, prefix: _Prefix, at: int) -> bool:
        match = _LINK.match(self.text, at)
        if match is None or not self._is_about_notes(prefix):
            return False
        node, words = LinkedName(match[1].strip()), match[0].split()
        if self._is_negated(prefix):
            self.n_pieces += 1
            self._add(prefix.start, match.end(), prefix.apply(node))
        else:
            self.n_pieces += len(words)
            self._add(at, match.end(), Named(all_of([*map(Word, words)]), node), is_bare=True)
        return True

    def _is_about_notes(self, prefix: _Prefix) -> bool:
        """Whether a value with this prefix is about whole notes: not inside an operator or property."""
        is_free = not any(frame.name is not None or frame.prefix.operators for frame in self.frames)
        return is_free and not prefix.operators

    def _is_negated(self, prefix: _Prefix) -> bool:
        return prefix.is_negated or any(frame.prefix.is_negated for frame in self.frames)

    def _read_property(self, prefix: _Prefix, at: int) -> bool:
        match = _PROPERTY.match(self.text, at)
        if match is None or prefix.operators or len(self.frames) > MAX_DEPTH:
            return False
        name = (match[1] or match[2]).strip()
        if not any(char.isalpha() for char in name):
            return False
        if match[3] == ":":
            self.frames.append(_Frame(prefix, at, name))
            self.at = match.end()
            return True
        follows = self.text[match.end() : match.end() + 1]
        if (follows and not follows.isspace() and follows != ")") or (len(name) == 1 and self._follows_bullet(at)):
            return False
        self.n_pieces += 1
        self._add(prefix.start, match.end(), prefix.apply(_any_of([*map(HasProperty, _names(name))])))
        return True

    def _follows_bullet(self, at: int) -> bool:
        items = self.frames[-1].items
        return bool(items) and items[-1].is_bare and self.text[items[-1].start : at].strip() in {"-", "*", "+"}

    def _read_word(self, prefix: _Prefix, at: int) -> None:
        end = self._word_end(at)
        if prefix.is_negated and not prefix.operators and _PUNCTUATION.match(self.text[at:end]):
            prefix, at = _Prefix(prefix.start), prefix.start
            end = max(end, self._word_end(at))
        word = self.text[at:end]
        is_plain = prefix == _Prefix(at)
        self.n_pieces += 1
        if is_plain and word == "OR":
            self._add(at, end, None)
            return
        if not prefix.operators and (reason := self._word_notice(word, at)):
            self._add_notice(at, end, reason)
        node: Node = Word(word)
        if is_tag := _TAG.fullmatch(word) is not None and self._is_about_notes(prefix):
            tagged = Restricted(Operator.TAG, node)
            node = tagged if self._is_negated(prefix) else Named(node, tagged)
        self._add(prefix.start, end, prefix.apply(node), is_bare=is_plain and not (is_tag and self._is_negated(prefix)))

    def _word_notice(self, word: str, at: int) -> str | None:
        if word[0] == "[" and "]" not in self.text[at:] and not self.is_cut:
            return "is never closed and is read as a word"
        is_value = any(frame.name is not None for frame in self.frames)
        if is_value and word[0] in "<>" and not _COMPARISON.fullmatch(word):
            return "is read as text; only a number or a date such as 2024-01-05 can follow < and >"
        return syntax_hint(word)

    def _word_end(self, start: int) -> int:
        depth = 0
        for at in range(start, len(self.text)):
            char = self.text[at]
            if char.isspace() or (depth == 0 and at > start and self._closes(at)):
                return at
            depth = max(0, depth + (char == "(") - (char == ")"))
        return len(self.text)

    # Brackets

    def _close(self) -> None:
        """Close the innermost bracket, at its closing bracket or at the end of a text that was cut."""
        frame = self.frames.pop()
        start, end = frame.prefix.start, min(self.at + 1, len(self.text))
        node = self._joined(frame.items)
        if frame.name is not None:
            value = node
            node = _any_of([PropertyIs(name, value) if value else HasProperty(name) for name in _names(frame.name)])
        self.at = end
        if node is None:
            self._add_notice(start, end, "is empty and is ignored")
        else:
            self._add(start, end, frame.prefix.apply(node))

    def _unclosed_items(self) -> list[Item]:
        """All items of the top level and of the brackets that were never closed, as if these had not been opened."""
        for frame in self.frames[1:]:
            end = frame.opened + 1
            self._add_notice(frame.prefix.start, end, "is never closed and is ignored; the text after it is still read")
        return [item for frame in self.frames for item in frame.items]

    def _joined(self, items: Sequence[Item]) -> Node | None:
        """The Or of the branches between ORs, or the And of all items if there is no OR; None without items."""
        branches = self.branches(items)
        nodes = [all_of([item.node for item in branch if item.node]) for branch in branches]
        return None if not items else nodes[0] if len(nodes) == 1 else Or(tuple(nodes))

    def branches(self, items: Sequence[Item]) -> list[list[Item]]:
        """The items between ORs; an OR with nothing to join on one side becomes a word."""
        branches: list[list[Item]] = [[]]
        for number, item in enumerate(items):
            if item.node is not None:
                branches[-1].append(item)
            elif 0 < number < len(items) - 1 and items[number - 1].node and items[number + 1].node:
                branches.append([])
            else:
                self._add_notice(item.start, item.end, "has nothing to join on one side and is read as a word")
                branches[-1].append(evolve(item, node=Word("OR"), is_bare=True))
        return branches


def all_of(nodes: Sequence[Node]) -> Node:
    """The And of `nodes`, or the only one."""
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


def _any_of(nodes: Sequence[Node]) -> Node:
    """The Or of `nodes`, or the only one."""
    return nodes[0] if len(nodes) == 1 else Or(tuple(nodes))


def _names(name: str) -> list[str]:
    """The names in the first part of a property: `status OR state`, also in brackets."""
    inner = name[1:-1] if name[0] == "(" and name[-1] == ")" else name
    return [part for one in inner.split(" OR ") if (part := one.strip())] or [name]
