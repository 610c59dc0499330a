"""`vaultseek doctor`: checks the installation, the vault and its settings; prints one line for each finding.

The checks read the vault, send nothing, and never show a key: only whether there is one.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsp_server.cli import arguments
from lsp_server.cli.exit_codes import FOUND, NOTHING
from lsp_server.cli.request import open_terminal, root_of, settings_of
from lsp_server.config.vault_discovery import MARKER, refusal
from lsp_server.latency import quantile

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands
    from lsp_server.cli.terminal import Terminal
    from search.engine import Engine
    from search.ports import Progress
    from search.providers.endpoint import Endpoint
    from search.settings import Settings

N_QUERIES = 12  # keyword searches for titles of notes
N_REASONS = 8  # for skipped files; further reasons are only counted


class Verdict(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    NOTE = "note"  # nothing is wrong, but the user may want to know
    BAD = "bad"


class Finding(NamedTuple):
    """The result of one check."""

    verdict: Verdict
    subject: str
    text: str

    @property
    def is_bad(self) -> bool:
        """Whether the user must act on it."""
        return self.verdict is Verdict.BAD


def add_command(commands: "Commands") -> None:
    """Add the command."""
    doctor = arguments.add_command(
        commands,
        "doctor",
        "check a vault and its settings",
        "Check the installation, the vault, skipped files, vectors, endpoints and speed. Sends no data.",
    )
    arguments.add_color(doctor)
    arguments.add_mode(doctor)
    doctor.set_defaults(run=run_doctor)


def run_doctor(options: argparse.Namespace) -> int:
    """Print all findings; the exit code is 1 if one of them is bad."""
    root = root_of(options)
    is_bad = False
    with open_terminal(options) as terminal:
        for finding in _findings(root, options, terminal):
            style = "match" if finding.is_bad else "why"
            terminal.show_beside(
                (f"{finding.verdict:<5}", style), (f"{finding.subject:<12} ", "title"), text=finding.text
            )
            is_bad = is_bad or finding.is_bad
    return NOTHING if is_bad else FOUND


def _findings(root: Path, options: argparse.Namespace, terminal: "Terminal") -> Iterator[Finding]:
    from lsp_server.config.engine_factory import engine_of  # noqa: PLC0415 `serve` starts without the search core

    folder = check_folder(root)
    yield folder
    if folder.is_bad:
        return
    yield check_installation()
    settings, problems = settings_of(options)
    yield from check_settings(settings, problems)
    engine = engine_of(root, settings)
    try:
        yield from check_engine(engine, terminal.progress)
        yield from check_watching(root)
    finally:
        engine.close()


def check_folder(root: Path) -> Finding:
    """Whether the folder can be searched."""
    if reason := refusal(root, is_consented=True):
        return Finding(Verdict.BAD, "vault", f"{root}: {reason}")
    if not (root / MARKER).is_dir():
        return Finding(Verdict.NOTE, "vault", f"{root}, a folder without {MARKER}")
    return Finding(Verdict.OK, "vault", f"{root}, an Obsidian vault")


def check_installation() -> Finding:
    """How Vaultseek was installed, and how to update it."""
    from lsp_server.cli.installation import installation  # noqa: PLC0415 reading package metadata takes 30 ms

    found = installation()
    return Finding(Verdict.OK if found.is_known else Verdict.NOTE, "installed", found.text)


def check_settings(settings: "Settings", problems: Iterable[str]) -> Iterator[Finding]:
    """The problems of the settings, and all their endpoints."""
    yield from (Finding(Verdict.BAD, "settings", problem) for problem in problems)
    named = {"embedding": settings.embedding, "chat": settings.chat, "rerank": settings.rerank}
    for name, endpoint in named.items():
        if endpoint is not None:
            yield from check_endpoint(name, endpoint)
    if not any(named.values()):
        yield Finding(Verdict.OK, "endpoints", "none: no data leaves this computer")


def check_endpoint(name: str, endpoint: "Endpoint") -> Iterator[Finding]:
    """Whether an endpoint's key is set and whether something listens at its address."""
    from search.providers.health_check import check_health  # noqa: PLC0415 the search core takes long to import

    yield _key(name, endpoint)
    why = check_health(endpoint)
    text = f"{endpoint.model} at {endpoint.base_url}"
    yield Finding(Verdict.BAD if why else Verdict.OK, name, f"{text}: {why}" if why else f"{text}, listening")


def check_engine(engine: "Engine", progress: "Progress") -> Iterator[Finding]:
    """The notes, the skipped files, the vectors and the speed; reads the vault.

    Raises:
        VaultError: the vault cannot be read.
    """
    engine.refresh(progress=progress)
    status = engine.status()
    verdict = Verdict.OK if status.n_notes else Verdict.BAD
    files = f"; {status.n_files:,} files by name only" if status.n_files else ""
    yield Finding(verdict, "notes", f"{status.n_notes:,} read, {status.n_words:,} distinct words{files}")
    yield from _skipped(status.skipped)
    for notice in status.notices:
        if notice.subject not in status.skipped:
            yield Finding(Verdict.NOTE, "notice", notice.message)
        if notice.code == "attachments-extra":
            from lsp_server.cli.installation import command_that_adds  # noqa: PLC0415 reading metadata takes 30 ms

            command = command_that_adds("pypdfium2")
            text = f"`{command}` adds it" if command else "add it to the Python that runs Vaultseek"
            yield Finding(Verdict.NOTE, "pypdfium2", text)
    yield from _snapshot(engine)
    yield from _vectors(engine)
    yield _speed(engine)


def _key(name: str, endpoint: "Endpoint") -> Finding:
    from lsp_server.config.environment import key_of  # noqa: PLC0415 building the parser must import no other package

    if not endpoint.key_variable:
        return Finding(Verdict.NOTE, name, "no key is sent: no key variable is set")
    if key_of(endpoint):
        return Finding(Verdict.OK, name, f"{endpoint.key_variable} contains a key")
    return Finding(Verdict.BAD, name, f"no key: {endpoint.key_variable} is not set")


def _skipped(skipped: Mapping[str, str]) -> Iterator[Finding]:
    """Each reason with the number of files and the first of them, most frequent first."""
    if not skipped:
        yield Finding(Verdict.OK, "skipped", "no file")
        return
    reasons = Counter(skipped.values())
    first = {reason: path for path, reason in sorted(skipped.items(), reverse=True)}
    for reason, n_files in reasons.most_common(N_REASONS):
        verdict = Verdict.BAD if "cannot be read" in reason else Verdict.NOTE
        files = first[reason] if n_files == 1 else f"{n_files:,} files, the first {first[reason]}"
        yield Finding(verdict, "skipped", f"{files}: {reason}")
    if len(reasons) > N_REASONS:
        yield Finding(Verdict.NOTE, "skipped", f"more files, for {len(reasons) - N_REASONS} other reasons")


def check_watching(root: Path) -> Iterator[Finding]:
    """A note if a server cannot watch the vault's folders."""
    from search.vault.watch import remote_file_system  # noqa: PLC0415 building the parser must import no other package

    if kind := remote_file_system(str(root.absolute())):
        text = f"a server looks through the vault each second: {kind} does not tell all changes"
        yield Finding(Verdict.NOTE, "changes", text)


def _snapshot(engine: "Engine") -> Iterator[Finding]:
    """What is kept of this vault for the next start."""
    path = engine.indexer.snapshot
    if path is None:
        yield Finding(Verdict.NOTE, "snapshot", "none is kept")
        return
    engine.save_snapshot()
    if problem := engine.indexer.snapshot_problem:
        yield Finding(Verdict.NOTE, "snapshot", f"{path} cannot be written: {problem}")
    elif problem := engine.indexer.vault.attachments.store.problem:
        yield Finding(Verdict.NOTE, "snapshot", f"the text of PDF and office files cannot be kept: {problem}")
    elif path.is_file():
        yield Finding(Verdict.OK, "snapshot", f"{path.stat().st_size:,} bytes in {path}")


def _vectors(engine: "Engine") -> Iterator[Finding]:
    if engine.semantic is None:
        yield Finding(Verdict.NOTE, "vectors", "semantic search is off")
        return
    engine.semantic.open_store()
    status = engine.semantic.status()
    if status.problem:
        yield Finding(Verdict.BAD, "vectors", f"{status.model}: {status.problem}")
        return
    from search.semantic.status import coverage  # noqa: PLC0415 the search core takes long to import

    n_notes, n_missing = engine.status().n_notes - status.n_foreign, status.n_missing
    n_missing_gists = status.n_missing_gists
    have = coverage(n_notes=n_notes, n_missing=n_missing, n_missing_gists=n_missing_gists)
    text = f"{status.model}: {status.n_vectors:,} vectors; {have}; {status.n_bytes:,} bytes in {status.folder}"
    yield Finding(Verdict.NOTE if n_missing or n_missing_gists else Verdict.OK, "vectors", text)
    if status.n_foreign:
        yield Finding(Verdict.NOTE, "languages", status.foreign_notes)
    if status.read_only_reason:
        yield Finding(Verdict.NOTE, "vectors", f"nothing is stored in {status.folder}: {status.read_only_reason}")
    for notice in engine.semantic.maintenance.notices:
        yield Finding(Verdict.NOTE, "vectors", notice.message)


def _speed(engine: "Engine") -> Finding:
    """The duration of keyword searches for the titles of some notes."""
    from search.ids import is_by_name  # noqa: PLC0415 building the parser must import no other package
    from search.query import Mode, Query  # noqa: PLC0415 the search core takes long to import

    every = sorted(engine.library().notes.values(), key=lambda note: note.id)
    notes = [note for note in every if not is_by_name(note.id)]
    took_ms = []
    for note in notes[:: max(1, len(notes) // N_QUERIES)][:N_QUERIES]:
        timings = engine.search(Query(text=note.title, mode=Mode.KEYWORD)).timings_ms
        took_ms.append(sum(timings.values()))
    if not took_ms:
        return Finding(Verdict.NOTE, "speed", "there is nothing to search")
    p50, p95 = (quantile(took_ms, share) for share in (0.5, 0.95))
    return Finding(Verdict.OK, "speed", f"{len(took_ms)} keyword searches: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
