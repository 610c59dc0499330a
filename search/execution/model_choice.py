"""Chooses the model for a vault by the languages of its notes, where the settings leave that open.

The multilingual model is three times slower, so it is chosen only where it is installed and the English model cannot
read most of the notes. A sample of notes decides, once: the choice is kept in a file next to the vectors, because a
vault whose languages balance must not change its model, and with it all its vectors, again and again. A vault with few
notes is judged at each opening, as its vectors are made in a moment.

Never raises: what cannot be read or written is left out.
"""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from search.cache.private_files import replace_file
from search.errors import VaultError
from search.ids import is_by_name
from search.index.note_languages import language_of
from search.providers.e5 import is_e5_installed
from search.providers.minilm import TRAITS
from search.providers.scripts import FOREIGN_LIMIT, foreign_share
from search.settings import MODELS
from search.vault.settings import VaultSettings
from search.vault.vault import Vault

AUTO, ENGLISH, MULTILINGUAL = MODELS
_N_SAMPLED = 100  # notes, about a tenth of a second
_N_CHARS = 4000  # of each
_ENOUGH = 20  # sampled notes with a clear language, from which the choice is kept


def choose_model(root: Path, settings: VaultSettings, record: Path, *, keeps: bool = True) -> str:
    """The model that suits most notes of a vault: `MULTILINGUAL` if it is installed and most are not English.

    The notes that are not English must outnumber those that are, and be more than a third of all, as many short notes
    and lists have no clear language. `record` is the file with the choice, which is
    written only if it `keeps`.
    """
    if not is_e5_installed():
        return ENGLISH
    with suppress(OSError, UnicodeDecodeError):
        kept = record.read_text("utf-8").strip()
        if kept in {ENGLISH, MULTILINGUAL}:
            return kept
    is_readable = [_can_read(text) for text in _sampled_texts(root, settings)]
    n_english, n_foreign = is_readable.count(True), is_readable.count(False)
    chosen = MULTILINGUAL if n_foreign > max(n_english, len(is_readable) / 3) else ENGLISH
    if keeps and n_english + n_foreign >= _ENOUGH:
        with suppress(OSError):
            replace_file(record, [chosen.encode()])
    return chosen


def _sampled_texts(root: Path, settings: VaultSettings) -> Iterable[str]:
    """The texts of notes from all over the vault."""
    try:
        vault = Vault(root, settings)
        notes = sorted(note for note in vault.sweep().to_read if not is_by_name(note))
    except VaultError:  # the engine will report it
        return []
    return [parsed.body for parsed in vault.read(notes[:: -(-len(notes) // _N_SAMPLED) or 1])]


def _can_read(text: str) -> bool | None:
    """Whether the English model can read a text; None if its language is unclear."""
    text = text[:_N_CHARS]
    if foreign_share(text, TRAITS.scripts) > FOREIGN_LIMIT:
        return False
    language = language_of(text)
    return language in (TRAITS.languages or ()) if language else None
