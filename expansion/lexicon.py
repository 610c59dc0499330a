"""All word data of query understanding: the packaged tables, extended by files of the user and of the vault.

Such a file is TOML with the tables `[acronyms]`, `[kinds.NAME]`, `[intents.NAME]` and `[dates.LANGUAGE]`, each in the
form of the packaged one (`expansion/data`). It adds new names and lengthens lists.
"""

from collections.abc import Iterable
from functools import reduce

from attrs import frozen

from expansion.acronyms import Acronyms, read_acronyms
from expansion.date_words import DateWords, read_date_words
from expansion.intent import Intents, read_intents
from expansion.kinds import Kinds, read_kinds
from expansion.tables import TomlTable, extended, packaged
from search.errors import ConfigError

TABLES = ("acronyms", "kinds", "intents", "dates")


@frozen(kw_only=True)
class Lexicon:
    """Acronyms, kinds of notes, intents and date words."""

    acronyms: Acronyms
    kinds: Kinds
    intents: Intents
    dates: tuple[DateWords, ...]


def lexicon(files: Iterable[TomlTable] = ()) -> Lexicon:
    """The packaged data, extended by the files in their order.

    Raises:
        ConfigError: a table or a value is not allowed; names its path.
    """
    own = list(files)
    for table in own:
        for name in table.values:
            if name not in TABLES:
                raise ConfigError(f"{table.path}: {name}", name, f"one of the tables {', '.join(TABLES)}")
    whole = {name: reduce(extended, (t.at(name) for t in own if name in t.values), packaged(name)) for name in TABLES}
    return Lexicon(
        acronyms=read_acronyms(whole["acronyms"]),
        kinds=read_kinds(whole["kinds"]),
        intents=read_intents(whole["intents"]),
        dates=read_date_words(whole["dates"]),
    )
