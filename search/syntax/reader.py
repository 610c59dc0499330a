"""Reads what a person typed as Obsidian's search language, and as plain words wherever it is none.

One pass from left to right with a stack of open brackets, no recursion and no going back, so time grows with the
length alone. Syntax counts only where a piece begins: `pre-edit`, `f(x)` and `10:30` are words. A character that turns
out to be no syntax (a bracket never closed, a quote without its partner) is dropped with what stood before it
(`-`, `tag:`), what follows is read as if it had not been there, and a notice says where.

Decided where Obsidian leaves it open:
- juxtaposition binds closer than OR: `a b OR c` is (a and b) or c;
- typographic double quotes are quotes; the full-width colon and brackets of CJK input methods are letters of a word,
  since Chinese and Japanese prose is full of them, and so are single quotes, which are apostrophes;
- a regex begins right after its slash and a blank, a bracket or the end follows it, else `/path/to` would be one;
- a property's name has a letter and its bracket stands alone: `[1]`, `- [x]`, `[[note]]`, `[a](url)` are text;
- `-` before another `-` or before nothing but punctuation is text: `--force`, `->`;
- what is excluded as `-#tag` and `-[[note]]` are that tag and that note, not the words of their names.

Never raises, whatever the text.
"""

import re
from collections.abc import Sequence

from attrs import Factory, define, evolve, frozen

from search.notice import Notice, NoticeKind
from search.query import (
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
from search.syntax.hints import hint
from search.syntax.patterns import PatternError, compile_pattern

MAX_PIECES = 64  # words, phrases and patterns; each costs a look at the vault
MAX_DEPTH = 20  # nested brackets: evaluation recurses, and nobody types more
_MAX_OPERATORS = 4  # before one value, `match-case:line:x`
_MAX_COMPLAINTS = 8

_SPACE = re.compile(r"\s*")
_NAMES = "|".join(sorted(Operator, key=len, reverse=True))
_OPERATOR = re.compile(rf"({_NAMES}):")
_STRAIGHT = re.compile(r'"((?:\\"|[^"])*)"')
_CURLY = re.compile(r'[“”„]([^“”„"]*)[“”„"]')
_REGEX = re.compile(r"/(?!\s)((?:\\.|[^/\\\n])++)/(?=[\s)\]]|$)")
_PROPERTY = re.compile(r'\[(?:"([^"\[\]]+)"|([^\[\]:"“”„\n]+))\s*([:\]])')
_LINK = re.compile(r"\[\[(?!\s*[|#^\]])([^\[\]|#^\n]++)[^\[\]\n]*+\]\](?=[\s)\]]|$)")
_TAG = re.compile(r"#[\w/-]*[^\W\d_][\w/-]*")
_COMPARISON = re.compile(r"[<>](?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d{4}-\d{2}\S*)")
UNSAFE = re.compile("[\0\ud800-\udfff]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]*$")


@frozen
class Item:
    """A piece of a group; without a node it is an OR, as long as it has something to join."""

    start: int
    end: int
    node: Node | None
    is_bare: bool = False  # a plain word outside every bracket and operator: ranked, not required


@frozen
class _Prefix:
    """What stands before a value: `-`, then operators from the outermost to the innermost."""

    start: int
    is_negated: bool = False
    operators: tuple[Operator, ...] = ()

    def around(self, node: Node) -> Node:
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
    """Where the reading stands. `text` is not blank; `is_cut` closes at its end what is still open."""

    text: str
    is_cut: bool
    at: int = 0
    n_pieces: int = 0
    n_too_deep: int = 0  # brackets passed over, whose partners are to be passed over too
    frames: list[_Frame] = Factory(lambda: [_Frame(_Prefix(0), 0)])
    notices: list[Notice] = Factory(list)

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
        return self._mend()

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
        message = f"The query has more than {MAX_PIECES} words; what follows column {at} was left out."
        self.notices.append(Notice(NoticeKind.TRUNCATED, "query-truncated", message, f"{at}:{len(self.text)}"))

    def _complain(self, start: int, end: int, reason: str) -> None:
        if sum(notice.code == "query-syntax" for notice in self.notices) < _MAX_COMPLAINTS:
            piece = self.text[start:end] if end - start <= 40 else self.text[start : start + 39] + "…"
            message = f"‘{piece}’ at column {start + 1} {reason}"
            self.notices.append(
                Notice(
                    NoticeKind.CORRECTED,
                    "query-syntax",
                    message if message[-1] == "?" else message + ".",
                    f"{start}:{end}",
                )
            )

    def _add(self, start: int, end: int, node: Node | None, *, is_bare: bool = False) -> None:
        self.frames[-1].items.append(Item(start, end, node, is_bare))
        self.at = end

    # Pieces

    def _read_piece(self, start: int) -> None:
        prefix, at = self._read_prefix(start)
        char = self.text[at : at + 1]
        if not char or char.isspace() or self._closes(at):
            if prefix.operators:
                self._complain(start, at, "has nothing after it and is read as a word")
            self._read_word(_Prefix(start), start)
        elif char == "(" and len(self.frames) > MAX_DEPTH:
            self._complain(start, at + 1, f"is nested more than {MAX_DEPTH} deep and is passed over")
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
        is_negated = self.text[at] == "-" and not self.text.startswith("--", at)
        at += is_negated
        operators: list[Operator] = []
        while len(operators) < _MAX_OPERATORS and (match := _OPERATOR.match(self.text, at)):
            operators.append(Operator(match[1]))
            at = match.end()
        return _Prefix(start, is_negated, tuple(operators)), at

    def _read_phrase(self, prefix: _Prefix, at: int) -> None:
        match = (_STRAIGHT if self.text[at] == '"' else _CURLY).match(self.text, at)
        if match is None:
            self._complain(prefix.start, at + 1, "opens a phrase that is never closed; what follows is read as words")
            self.at = at + 1
            return
        self.n_pieces += 1
        phrase = Phrase(match[1].replace('\\"', '"'))
        if phrase.text.strip() or prefix.operators or self.frames[-1].name is not None:
            self._add(prefix.start, match.end(), prefix.around(phrase))
        else:
            self.at = match.end()

    def _read_regex(self, prefix: _Prefix, at: int) -> bool:
        match = _REGEX.match(self.text, at)
        if match is None:
            return False
        try:
            compile_pattern(match[1])
        except PatternError as error:
            self._complain(at, match.end(), f"is no regular expression ({error}) and is read as words")
            return False
        self.n_pieces += 1
        self._add(prefix.start, match.end(), prefix.around(Regex(match[1])))
        return True

    def _read_link(self, prefix: _Prefix, at: int) -> bool:
        match = _LINK.match(self.text, at)
        if match is None or not self._excludes_notes(prefix):
            return False
        self.n_pieces += 1
        self._add(prefix.start, match.end(), prefix.around(LinkedName(match[1].strip())))
        return True

    def _excludes_notes(self, prefix: _Prefix) -> bool:
        """Whether the piece behind `prefix` says which notes are left out, not what a part of them must not hold."""
        around = [*(frame.prefix for frame in self.frames), prefix]
        is_whole = all(frame.name is None for frame in self.frames) and not any(one.operators for one in around)
        return is_whole and any(one.is_negated for one in around)

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
        self._add(prefix.start, match.end(), prefix.around(HasProperty(name)))
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
        if not prefix.operators and (said := self._remark(word, at)):
            self._complain(at, end, said)
        is_tag = _TAG.fullmatch(word) and self._excludes_notes(prefix)
        node = Restricted(Operator.TAG, Word(word)) if is_tag else Word(word)
        self._add(prefix.start, end, prefix.around(node), is_bare=is_plain and not is_tag)

    def _remark(self, word: str, at: int) -> str | None:
        if word[0] == "[" and "]" not in self.text[at:] and not self.is_cut:
            return "is never closed and is read as a word"
        is_value = any(frame.name is not None for frame in self.frames)
        if is_value and word[0] in "<>" and not _COMPARISON.fullmatch(word):
            return "has no number and no date such as 2024-01-05 to compare with and is read as text"
        return hint(word)

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
        """Close the innermost bracket, at the bracket or at the end of a query that was cut."""
        frame = self.frames.pop()
        start, end = frame.prefix.start, min(self.at + 1, len(self.text))
        node = self._joined(frame.items)
        if frame.name is not None:
            node = PropertyIs(frame.name, node) if node else HasProperty(frame.name)
        self.at = end
        if node is None:
            self._complain(start, end, "is empty and is passed over")
        else:
            self._add(start, end, frame.prefix.around(node))

    def _mend(self) -> list[Item]:
        """The items of every bracket that was never closed, as if it had not been opened."""
        for frame in self.frames[1:]:
            end = frame.opened + 1
            self._complain(frame.prefix.start, end, "is never closed; what follows is read as if it were not there")
        return [item for frame in self.frames for item in frame.items]

    def _joined(self, items: Sequence[Item]) -> Node | None:
        """The branches between ORs, or the items side by side where there is no OR."""
        branches = self.branches(items)
        nodes = [all_of([item.node for item in branch if item.node]) for branch in branches]
        return None if not items else nodes[0] if len(nodes) == 1 else Or(tuple(nodes))

    def branches(self, items: Sequence[Item]) -> list[list[Item]]:
        """The items between ORs; an OR with nothing on one side is a word."""
        branches: list[list[Item]] = [[]]
        for number, item in enumerate(items):
            if item.node is not None:
                branches[-1].append(item)
            elif 0 < number < len(items) - 1 and items[number - 1].node and items[number + 1].node:
                branches.append([])
            else:
                self._complain(item.start, item.end, "has nothing to join on one side and is read as a word")
                branches[-1].append(evolve(item, node=Word("OR"), is_bare=True))
        return branches


def all_of(nodes: Sequence[Node]) -> Node:
    """The nodes side by side."""
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))
