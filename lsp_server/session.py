"""One client's state: its open folders, its open texts and its settings.

Each open folder is a vault with an engine of its own, or stands for the vault around it.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from lsp_server.config.engine_factory import engine_of
from lsp_server.config.options import ServerOptions
from lsp_server.config.settings import Resolved, resolve
from lsp_server.config.vault_discovery import vault_around
from lsp_server.documents import Documents
from lsp_server.open_vault import MakeEngine, OpenVault
from lsp_server.wire.uris import to_path
from search.errors import ConfigError
from search.ids import NoteId
from search.notice import Notice, NoticeKind

if TYPE_CHECKING:
    from search.settings import Settings

NO_FOLDER = "No folder is open. Open a vault's folder, or add one to vaultseek.vaults."

N_HINTS = 500
"""Changed files of one message that are looked at: some milliseconds, in which no request can be read."""


class Session:
    """One client's folders, open texts and settings."""

    def __init__(
        self,
        make_engine: MakeEngine = engine_of,
        run_later: Callable[[Callable[[], None]], None] = lambda work: work(),
    ) -> None:
        """`run_later` runs work that no request waits for, such as closing a vault; a server uses a thread."""
        self._make_engine = make_engine
        self._run_later = run_later
        self._lock = Lock()
        self.documents = Documents()
        self.options = ServerOptions()
        self.initial_options: object = None  # as sent with initialize
        self.settings: Settings | None = None  # None until a client sends settings or a request needs them
        self.is_configured = False  # whether the client's settings are in use, perhaps those of `initialize`
        self._of_folders: dict[Path, Resolved] = {}  # folder -> its own settings, where they differ
        self._opened: dict[Path, Path] = {}  # workspace folders -> the vaults that they stand for
        self._vaults: dict[Path, OpenVault] = {}

    @property
    def vaults(self) -> tuple[OpenVault, ...]:
        """The workspace's folders in their order, then those that the settings name."""
        return tuple(self._vaults.values())

    @property
    def scopes(self) -> dict[Path, Path]:
        """Each vault's root -> the folder that the client knows: the first one opened inside it, else the root."""
        known_by = {root: folder for folder, root in reversed(self._opened.items())}
        return {root: known_by.get(root, root) for root in self._vaults}

    def vault_named(self, uri: str) -> OpenVault | None:
        """The vault with this URI, however it is spelled, or the vault of an open folder with this URI."""
        path = to_path(uri)
        return None if path is None else self._vaults.get(self._opened.get(Path(path), Path(path)))

    def vault_if_known(self, uri: str | None) -> OpenVault | None:
        """The vault that a request will use; None if that cannot be known without looking at the disk.

        It cannot be known if several folders are open and the request names none of them.
        """
        if uri is not None:
            return self.vault_named(uri)
        return self.vaults[0] if len(self.vaults) == 1 else None

    def change_folders(self, *, added: Iterable[str], removed: Iterable[str]) -> None:
        """Open and close workspace folders by URI; URIs that name no file are ignored."""
        for path in _paths(removed):
            self._opened.pop(path, None)
        for path in _paths(added):
            self._opened[path] = path
        self._update_vaults()

    def configure(
        self, options: ServerOptions, settings: "Settings", of_folders: Mapping[Path, Resolved] | None = None
    ) -> None:
        """Use new settings, for some folders their own; an engine is replaced only if its settings changed."""
        self.options, self.settings, self.is_configured = options, settings, True
        self._of_folders = dict(of_folders or {})
        self._update_vaults()
        for vault in self.vaults:
            if vault.engine_if_any is not None:
                self._run_later(vault.renew)

    def options_of(self, vault: OpenVault) -> ServerOptions:
        """The server options for a vault."""
        own = self._of_folders.get(vault.root)
        return self.options if own is None else own.server

    def _settings_of(self, root: Path) -> "Settings":
        own = self._of_folders.get(root)
        if own is not None:
            return own.search
        with self._lock:
            if self.settings is None:  # a request came before the client's configuration
                self.settings = resolve(self.initial_options).search
            return self.settings

    def _update_vaults(self) -> None:
        """Open and close vaults as the open folders and the options require."""
        named = [Path(name) for name in self.options.vaults]
        self._opened = {path: path if path in named else vault_around(path) for path in self._opened}
        old = self._vaults
        self._vaults = {}
        for path in dict.fromkeys((*self._opened.values(), *named)):
            vault = old.pop(path, None)
            if vault is None or vault.is_consented != (path in named):
                if vault is not None:
                    self._run_later(vault.close)
                vault = OpenVault(path, path in named, self._make_engine, self._settings_of)
            self._vaults[path] = vault
        for vault in old.values():
            self._run_later(vault.close)

    def choose(self, uri: str | None) -> OpenVault | None:
        """The vault for a request; None when no folder may be searched, see `refusals`.

        Raises:
            ConfigError: `uri` names no open folder, or it is missing and several folders are open.
        """
        if uri is not None:
            chosen = self.vault_named(uri)
            if chosen is None:
                raise ConfigError("params.vault", uri, "the URI of an open folder or of one named in vaultseek.vaults")
            return None if chosen.refusal() else chosen
        usable = [vault for vault in self.vaults if not vault.refusal()]
        if len(usable) > 1:
            raise ConfigError("params.vault", None, "the URI of one of the folders, as several are open")
        return usable[0] if usable else None

    def mark_requested(self, uri: str | None) -> None:
        """Note that a request for this vault, or for any open one, has arrived: they are not idle any more."""
        chosen = None if uri is None else self.vault_named(uri)
        for vault in self.vaults if uri is None else (chosen,):
            if vault is not None:
                vault.is_requested.set()

    def find_note(self, uri: str, vault_uri: str | None = None) -> tuple[OpenVault, NoteId] | None:
        """The innermost vault that contains a URI, and the note's id; None if the URI names no note of an open folder.

        With a `vault_uri` only that vault counts.
        """
        path = to_path(uri)
        if path is None:
            return None
        vaults = self.vaults if vault_uri is None else (self.vault_named(vault_uri),)
        found = [(vault, note) for vault in vaults if vault and (note := vault.note_of(Path(path))) is not None]
        return max(found, key=lambda pair: len(pair[0].root.parts), default=None)

    def refusals(self) -> tuple[Notice, ...]:
        """Why no folder can be searched, one notice per folder."""
        if not self.vaults:
            return (Notice(NoticeKind.NOTE, "no-vault", NO_FOLDER),)
        return tuple(
            Notice(NoticeKind.SKIPPED, "no-vault", f"The folder is not searched: {reason}.", vault.uri)
            for vault in self.vaults
            if (reason := vault.refusal())
        )

    def mark_changed(self, uris: Iterable[str]) -> None:
        """Note that files or folders may have changed; their vaults look at them at the next request.

        Of more than `N_HINTS` the rest is not named: each vault compares all its files, which any hint makes it do.
        """
        rest = iter(uris)
        named = list(islice(rest, N_HINTS))
        if next(rest, None) is not None:
            for vault in self.vaults:
                vault.has_more_hints = True
        for path in _paths(named):
            for vault in self.vaults:
                note = vault.note_of(path) or vault.folder_of(path)
                if note is not None:
                    vault.hints.add(NoteId(note))

    def close(self) -> None:
        """Close all engines."""
        for vault in self.vaults:
            vault.close()


def _paths(uris: Iterable[str]) -> list[Path]:
    return [Path(path) for uri in uris if (path := to_path(uri)) is not None]
