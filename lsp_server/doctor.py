"""What a set-up looks like from inside: the vault, what is passed over, vectors, endpoints and speed, one line each.

Reads the vault, sends nothing anywhere, and never shows a key: only whether there is one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from lsp_server.folders import MARKER, refusal
from lsp_server.settings import key_of
from lsp_server.speed import quantile

if TYPE_CHECKING:
    from search.engine import Engine
    from search.ports import Progress
    from search.providers.endpoint import Endpoint
    from search.semantic.status import SemanticStatus
    from search.settings import Settings

N_QUERIES = 12  # titles of notes, asked for by words
N_REASONS = 8


class Verdict(StrEnum):
    """How well a thing is."""

    OK = "ok"
    NOTE = "note"  # nothing is wrong, but one may want to know
    BAD = "bad"


@frozen
class Finding:
    """One thing that was looked at."""

    verdict: Verdict
    what: str
    told: str


def examine_folder(root: Path) -> Finding:
    """Whether there is a vault at all."""
    if reason := refusal(root, is_consented=True):
        return Finding(Verdict.BAD, "vault", f"{root}: {reason}")
    if not (root / MARKER).is_dir():
        return Finding(Verdict.NOTE, "vault", f"{root}, a folder without {MARKER}")
    return Finding(Verdict.OK, "vault", f"{root}, an Obsidian vault")


def examine(engine: "Engine", progress: "Progress") -> Iterator[Finding]:
    """The notes, what is passed over, the vectors and the speed; reads the vault.

    Raises:
        VaultError: the vault cannot be read.
    """
    engine.refresh(progress=progress)
    standing = engine.status()
    verdict = Verdict.OK if standing.n_notes else Verdict.BAD
    yield Finding(verdict, "notes", f"{standing.n_notes:,} read, {standing.n_words:,} distinct words")
    yield from _passed_over(standing.skipped)
    for notice in standing.notices:
        if notice.subject not in standing.skipped:
            yield Finding(Verdict.NOTE, "notice", notice.message)
    yield from _vectors(engine)
    yield _speed(engine)


def examine_endpoint(name: str, endpoint: "Endpoint") -> Iterator[Finding]:
    """Whether an endpoint is listening, and whether there is a key where it wants one."""
    from search.providers.health_check import check_health  # noqa: PLC0415 - the search core takes a while

    yield from _key(name, endpoint)
    why = check_health(endpoint)
    told = f"{endpoint.model} at {endpoint.base_url}"
    yield Finding(Verdict.BAD if why else Verdict.OK, name, f"{told}: {why}" if why else f"{told}, listening")


def examine_settings(settings: "Settings") -> Iterator[Finding]:
    """All endpoints that the settings name."""
    named = {"embedding": settings.embedding, "chat": settings.chat, "rerank": settings.rerank}
    for name, endpoint in named.items():
        if endpoint is not None:
            yield from examine_endpoint(name, endpoint)
    if not any(named.values()):
        yield Finding(Verdict.OK, "endpoints", "none: nothing leaves this computer")


def _key(name: str, endpoint: "Endpoint") -> Iterator[Finding]:
    if not endpoint.key_variable:
        yield Finding(Verdict.NOTE, name, "no key is sent: none was named")
    elif key_of(endpoint):
        yield Finding(Verdict.OK, name, f"a key is in {endpoint.key_variable}")
    else:
        yield Finding(Verdict.BAD, name, f"no key: {endpoint.key_variable} is not set")


def _passed_over(skipped: Mapping[str, str]) -> Iterator[Finding]:
    """Reasons with how many files they concern and the first of these, the most frequent first."""
    if not skipped:
        yield Finding(Verdict.OK, "passed over", "no file")
        return
    reasons = Counter(skipped.values())
    first = {reason: path for path, reason in sorted(skipped.items(), reverse=True)}
    for reason, n_files in reasons.most_common(N_REASONS):
        verdict = Verdict.BAD if "cannot be read" in reason else Verdict.NOTE
        files = first[reason] if n_files == 1 else f"{n_files:,} files, the first {first[reason]}"
        yield Finding(verdict, "passed over", f"{files}: {reason}")
    if len(reasons) > N_REASONS:
        yield Finding(Verdict.NOTE, "passed over", f"for {len(reasons) - N_REASONS} more reasons")


def _vectors(engine: "Engine") -> Iterator[Finding]:
    if engine.semantic is None:
        yield Finding(Verdict.NOTE, "vectors", "search by meaning is off")
        return
    engine.semantic.look()
    standing: SemanticStatus = engine.semantic.status()
    if standing.problem:
        yield Finding(Verdict.BAD, "vectors", f"{standing.model}: {standing.problem}")
        return
    told = (
        f"{standing.model}: {standing.n_vectors:,} vectors, {standing.n_missing:,} of {len(engine.library().notes):,} "
        f"notes without; {standing.n_bytes:,} bytes in {standing.folder}"
    )
    yield Finding(Verdict.OK if not standing.n_missing else Verdict.NOTE, "vectors", told)
    if standing.unstored:
        yield Finding(Verdict.NOTE, "vectors", f"nothing is stored in {standing.folder}: {standing.unstored}")
    for notice in engine.semantic.upkeep.notices:
        yield Finding(Verdict.NOTE, "vectors", notice.message)


def _speed(engine: "Engine") -> Finding:
    """How long queries by words take: the titles of some notes are asked for."""
    from search.query import Mode, Query  # noqa: PLC0415 - as above

    notes = sorted(engine.library().notes.values(), key=lambda note: note.id)
    took_ms = []
    for note in notes[:: max(1, len(notes) // N_QUERIES)][:N_QUERIES]:
        timings = engine.search(Query(text=note.title, mode=Mode.KEYWORD)).timings_ms
        took_ms.append(sum(timings.values()))
    if not took_ms:
        return Finding(Verdict.NOTE, "speed", "there is nothing to be found")
    p50, p95 = (quantile(took_ms, share) for share in (0.5, 0.95))
    return Finding(Verdict.OK, "speed", f"of {len(took_ms)} queries by words: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
