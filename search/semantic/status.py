"""How search by meaning stands, and what it would take to know all notes by it: values for whoever shows them."""

from attrs import frozen


@frozen(kw_only=True)
class Plan:
    """What embedding everything would take."""

    n_notes: int  # in the vault
    n_missing: int  # that have a passage without a vector; not those that were only renamed, or have no text
    n_chunks: int
    n_tokens: int
    seconds: float | None  # None: no chunk was embedded yet that could tell
    model: str
    where: str


@frozen(kw_only=True)
class SemanticStatus:
    """How search by meaning stands. Looked at without loading anything."""

    model: str
    n_notes: int  # that are known to have their vectors
    n_vectors: int
    n_missing: int
    n_bytes: int  # on the disk
    folder: str
    is_filling: bool
    seconds_left: float | None
    problem: str = ""  # why it does not work
    unstored: str = ""  # why nothing is stored now: another process writes, or nobody may
