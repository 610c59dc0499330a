"""Cursors: where the next page of an answer begins. A cursor fits the query that it was given for, and no other."""

import hashlib

from search.errors import VaultseekError, shorten

_N_DIGITS = 8


def cursor_at(place: int, *query: object) -> str:
    """The cursor for the results from `place` (counted from 0) on."""
    return f"{place}-{_mark(query)}"


def place_of(cursor: str, *query: object) -> int:
    """Where the page begins; 0 without a cursor.

    Raises:
        VaultseekError: the cursor is not one of this query.
    """
    if not cursor:
        return 0
    place, _, mark = cursor.partition("-")
    if not (place.isascii() and place.isdigit() and len(place) < _N_DIGITS and mark == _mark(query)):
        raise VaultseekError(
            f"cursor: {shorten(cursor)} belongs to another query; search again without it, and with a cursor change no "
            "other argument"
        )
    return int(place)


def _mark(query: tuple[object, ...]) -> str:
    return hashlib.blake2s(repr(query).encode("utf-8", "replace"), digest_size=_N_DIGITS // 2).hexdigest()
