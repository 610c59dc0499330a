"""The section of a note that a model names by its heading."""

from typing import TYPE_CHECKING

from lsp_server.mcp.quoting import escaped_line, one_line
from search.errors import VaultseekError, did_you_mean, shorten

if TYPE_CHECKING:
    from search.vault.note import Note

_N_HEADINGS = 8  # to list, if none is similar
_N_COMPARED = 2_000  # headings of a generated note; more would delay the answer


def require_section(note: "Note", heading: str) -> tuple[int, int]:
    """The lines of the section, half-open, from 0.

    Raises:
        VaultseekError: the note has no such heading; the message names the most similar one, else the first ones.
    """
    from search.graph.headings import section_named  # noqa: PLC0415 - the first call loads the search core

    section = section_named(note, heading)
    if section is None:
        names = list(dict.fromkeys(found.text for found in note.headings))
        listed = f"; it has {', '.join(map(shorten, names[:_N_HEADINGS]))}" if names else "; it has no headings"
        near = did_you_mean(heading, names[:_N_COMPARED]) or listed
        raise VaultseekError(f"heading: {escaped_line(note.id)} has no heading {shorten(heading)}{one_line(near)}")
    return section
