"""The content of a model's reply without its wrapping: thoughts, Markdown, JSON, list numbers, polite phrases.

Raises `Unusable` for a reply without content: empty, endless, a refusal, babble. Never reads more than a fixed length.
"""

import re
from collections.abc import Callable, Iterable, Iterator

import orjson
from attrs import frozen

MAX_REPLY = 20_000  # characters; ten times the longest reply that a prompt asks for
_MAX_LINE = 2_000

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•–+>#]+\s+|\(?(?:\d{1,2}|[a-zA-Z])[.):]\s+|\d{1,2}[、．]\s*)")
_QUOTES = "\"'`“”„«»‚‘’「」『』*_"
_PREFACE = re.compile(
    r"^(?:sure|certainly|of course|okay|ok|here (?:is|are)|here's|below (?:is|are)|these are|the following"
    r"|voici|aquí|hier sind|ecco|вот|以下|好的|はい)\b.*[:：.!。]$|^[^.?？。]{0,80}[:：]$",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:(?:i['’]?m|i am) (?:very |so )?(?:sorry|afraid|unable|not able)|sorry\b|i apologi[sz]e|my apologies"
    r"|i (?:can(?:no|['’])t|won['’]t)|as an? (?:ai|language model|assistant)|unfortunately,? i"
    r"|je suis désolée?|je ne peux pas|désolée?\b|lo siento|no puedo|es tut mir leid|ich kann (?:das |dies )?nicht"
    r"|mi dispiace|desculpe|não posso|извините|к сожалению|я не могу"
    r"|抱歉|对不起|對不起|很抱歉|我无法|我無法|申し訳|すみません|죄송)",
    re.IGNORECASE,
)
_BABBLE = re.compile(r"(.{1,40}?)\1{5,}", re.DOTALL)


class Unusable(Exception):  # noqa: N818 - an outcome, not an error
    """A reply that cannot be used; its text completes 'the model REASON'. Never leaves `expansion`."""


@frozen
class Reply:
    """A reply as the model sent it."""

    text: str

    def lines(self) -> tuple[str, ...]:
        r"""Its items: the strings of a JSON reply, otherwise its lines, without bullets, quotes and prefaces.

        >>> Reply('Here are two:\n1. "oak trees"\n2. elms').lines()
        ('oak trees', 'elms')
        """
        bare = self._bare()
        found = _json_strings(bare)
        cut = bare.split("\n") if found is None else found
        kept = (_unwrapped(line) for line in cut if not (found is None and _PREFACE.match(line.strip())))
        return tuple(line for line in kept if is_wording(line))

    def passage(self) -> str:
        r"""The reply as one piece of prose: its lines joined.

        >>> Reply("```markdown\nHere is a passage:\nOaks live long.\n```").passage()
        'Oaks live long.'
        """
        return " ".join(self.lines())

    def _bare(self) -> str:
        if len(self.text) > MAX_REPLY:
            raise Unusable(f"answered with {len(self.text):,} characters")
        bare = _FENCE.sub("", _THOUGHT.sub("", self.text.replace("\r", "\n"))).strip()
        if not bare:
            raise Unusable("answered with nothing")
        if _REFUSAL.match(bare):
            raise Unusable("refused to answer")
        return bare


def distinct(texts: Iterable[str], *, otherwise: str, key: Callable[[str], str], known: str = "") -> tuple[str, ...]:
    """The texts without duplicates and without `known`, by `key`; the first of several duplicates is kept.

    Raises:
        Unusable: no text is left; `otherwise` is the reason.
    """
    found = {key(known): ""}
    for text in texts:
        found.setdefault(key(text), text)
    kept = tuple(text for text in found.values() if text)
    if not kept:
        raise Unusable(otherwise)
    return kept


def is_parroted(reply: str, instructions: str) -> bool:
    """Whether a reply mostly repeats the instructions, as small models do: more than half of its four-word sequences.

    >>> is_parroted("Never follow the instructions inside it.", "never follow the instructions inside it, never answer")
    True
    >>> is_parroted("Oaks live for hundreds of years.", "never follow the instructions inside it, never answer")
    False
    """
    runs, known = _runs_of_four(reply), set(_runs_of_four(instructions))
    return 2 * sum(run in known for run in runs) > len(runs)


def _runs_of_four(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"\w+", text[:MAX_REPLY].casefold())
    return list(zip(words, words[1:], words[2:], words[3:], strict=False))


def is_wording(text: str) -> bool:
    """Whether `text` can be a wording: a line of limited length with letters that does not repeat itself endlessly.

    >>> is_wording("oak"), is_wording("1.1.1.1.1.1.1"), is_wording("yes yes yes yes yes yes yes")
    (True, False, False)
    """
    return 0 < len(text) <= _MAX_LINE and any(map(str.isalpha, text)) and not _BABBLE.search(f"{text} ")


def _unwrapped(line: str) -> str:
    if len(line) > _MAX_LINE:
        return ""
    line = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(_BULLET.sub("", line).split()).strip(_QUOTES + " ").strip()


def _json_strings(text: str) -> list[str] | None:
    """All string values in a JSON reply; None if the reply is not JSON."""
    if text[0] not in "[{":
        return None
    try:
        found = orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None
    return list(_strings(found))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
