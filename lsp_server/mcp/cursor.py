"""Cursors: where the next page of an answer begins. A cursor is valid only for the query that it was made for."""

import hashlib

from search.errors import VaultseekError, shorten

_N_DIGITS = 8


def cursor_at(place: int, *query: object) -> str:
    """The cursor for the results from `place` (from 0) on; `query` has all that decides which results there are."""
    return f"{place}-{_mark(query)}"


def page_start(cursor: str, *query: object) -> int:
    """The place (from 0) of the page's first result; 0 without a cursor.

    Raises:
        VaultseekError: the cursor was not made for this query.
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
