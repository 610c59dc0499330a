"""SQLite FTS5 with its `snippet()`, in memory: any word of the query, English stems, the title counting three times."""

import re
import sqlite3

from common import N_SHOWN, Answer, notes, report

_FOUND = (
    "SELECT path, snippet(notes, 2, '[', ']', '…', 24) FROM notes WHERE notes MATCH ? "
    "ORDER BY bm25(notes, 0, 3.0, 1.0) LIMIT ?"
)


def prepare() -> Answer:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, title, body, tokenize='porter unicode61')")
    database.executemany("INSERT INTO notes VALUES (?, ?, ?)", notes())

    def answer(query: str) -> object:
        wanted = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        return database.execute(_FOUND, (wanted, N_SHOWN)).fetchall() if wanted else []

    return answer


report(prepare)
