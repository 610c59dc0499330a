"""The passage of a note that a model reads instead of the whole note: the text around the best match, after the title.

Never longer than requested, and never empty for a note with a title.
"""

from search.vault.lines import split_lines
from search.vault.note import Note

MAX_SCANNED = 1_000_000  # characters: a huge generated note must not delay an answer


def passage(note: Note, text: str, line: int, *, n_characters: int) -> str:
    """The title, the headings above `line` (from 0) and text that includes that line, at most `n_characters`.

    The text begins with the section of that line, or later if the line would not fit otherwise.
    """
    lines = split_lines(text[:MAX_SCANNED])
    section = next((s for s in reversed(note.sections) if s.start_line <= line), None)
    headings = section.heading_path if section else ()
    head = "\n".join(dict.fromkeys(filter(None, (note.title, " > ".join(headings)))))[: n_characters // 2]
    room = n_characters - len(head) - 1
    first = section.start_line if section else note.body_line
    start = min(line, len(lines) - 1)
    used = len(lines[start])
    while start > first and used + len(lines[start - 1]) + 1 <= room:
        start -= 1
        used += len(lines[start]) + 1
    return f"{head}\n{chr(10).join(lines[start:])[:room]}".strip()
