"""Answers that models gave, remembered while the program runs; the ones used longest ago are forgotten first.

An answer is remembered under all that made it: the model, the idea with its version, and the query's text.
"""

import threading
from collections import OrderedDict

from attrs import field, frozen

Key = tuple[str, str, int, str]  # model, idea, version, query


@frozen(eq=False)
class AnswerCache:
    """At most `max_answers` of them; threads may share it."""

    max_answers: int = 512
    _answers: OrderedDict[Key, object] = field(factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._answers)

    def get(self, key: Key) -> object | None:
        """The answer, which is used by that; None where there is none."""
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
            return found

    def put(self, key: Key, answer: object) -> None:
        """Remember an answer, in place of one of the same key."""
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self.max_answers:
                self._answers.popitem(last=False)
