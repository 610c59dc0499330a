"""A cache of the models' answers for as long as the program runs. It drops the least recently used answer first.

The key holds everything that an answer depends on: the model, the prompt with its version, and the query.
"""

import threading
from collections import OrderedDict

from attrs import field, frozen

Key = tuple[str, str, int, str]  # model, prompt, version, query


@frozen(eq=False)
class AnswerCache:
    """At most `max_answers` answers. Threads may share it."""

    max_answers: int = 512
    _answers: OrderedDict[Key, object] = field(factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)

    def __len__(self) -> int:
        """The number of cached answers."""
        return len(self._answers)

    def get(self, key: Key) -> object | None:
        """The answer under this key, None if there is none. It counts as the most recently used from now on."""
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
            return found

    def put(self, key: Key, answer: object) -> None:
        """Keep an answer; it replaces one under the same key."""
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self.max_answers:
                self._answers.popitem(last=False)
