r"""The link index: which note a link leads to, and which notes link to a note. Updated note by note.

The trick: the target of `[[a/b/todo]]` depends only on the notes named "todo" and on the note with the link. So the
index keeps two lists for each name, the notes that have it and the notes that link to it, and resolves links on demand.
A change affects only the names that it mentions.

Links are resolved as in Obsidian. A path from the vault's root wins. Else, among the notes whose path ends with the
link's text, by whole folder names, those below the folder of the note with the link come first; among several, the one
in the fewest folders, then the one nearest to that note. `./x` and `../x` start at that folder, `/x` at the root. The
extension may be left out. Case and Unicode composition do not count, accents do. Aliases and titles are no targets.

A link that leads nowhere as it is written is read once more in other spellings: `\` as `/`, percent escapes decoded,
and typographic quotes, dashes and spaces as typed ones.

Links also lead to files that are found by name only, such as images, and these have backlinks. But they are no
neighbours of a note: that two notes show the same picture does not connect them.

Never resolves a link to a note that does not exist, and never counts a link of a note to itself. Not thread-safe: guard
an index that threads share, for reads too, as they fill a cache.
"""

from collections.abc import Callable, Iterable
from unicodedata import normalize

from search.cache.plain_values import pack, unpack
from search.graph.heading_text import as_typed
from search.ids import MARKDOWN_EXTENSIONS, NoteId, is_by_name
from search.vault.inline import decode_percent
from search.vault.note import LinkKind, Note

_PLAIN = ("plain",)
_NO_TARGETS = pack(())
_EMBED = LinkKind.EMBED  # an enum's members are slow to look up


class LinkIndex:
    """The links between all notes of a vault. Empty at first; `update` each note, `remove` deleted ones.

    With six links in a note, each note costs 15 microseconds to add and 0.5 kB of memory.
    """

    def __init__(self) -> None:
        self._targets: dict[NoteId, bytes] = {}  # note -> its distinct targets, as written, packed
        self._at_path: dict[str, tuple[NoteId, ...]] = {}  # folded path -> notes, sorted; several differ in case
        self._named: dict[str, tuple[NoteId, ...]] = {}  # name -> notes with this name, unordered
        # name -> distinct notes with a link to a note of this name; most names have one, whose list would take 90 bytes
        self._linking: dict[str, NoteId | list[NoteId]] = {}
        self._types: dict[NoteId, dict[str, tuple[str, ...]]] = {}  # note -> target -> types, unless plain only
        self._outlinks: dict[NoteId, tuple[NoteId, ...]] = {}  # cache: note -> the notes that it links to
        self._n_by_name = 0  # files without links of their own
        self._citers: dict[str, dict[NoteId, frozenset[NoteId]]] = {}  # cache: name -> note -> notes that link to it

    def __len__(self) -> int:
        """The number of notes, without files that are found by name only."""
        return len(self._targets) - self._n_by_name

    def __contains__(self, id_: object) -> bool:
        return id_ in self._targets

    def update(self, note: Note) -> None:
        """Add a new note, or replace the links of a known one."""
        if note.id not in self._targets:
            self._add(note.id)
        self._type(note)
        old = self._targets_of(note.id)
        new = tuple(dict.fromkeys(link.target for link in note.links if link.target))
        if new == old:
            return
        self._targets[note.id] = pack(new)
        self._outlinks.pop(note.id, None)
        old_names, new_names = _names(old), _names(new)
        for name in new_names - old_names:
            self._link(name, note.id)
        for name in old_names - new_names:
            self._unlink(name, note.id)
        # Names in both as well: the link may lead elsewhere now (`[[a/x]]` became `[[b/x]]`).
        for name in old_names | new_names if self._citers else ():
            self._citers.pop(name, None)

    def remove(self, id_: NoteId) -> None:
        """Remove a note and its links. Links to it stay, and lead elsewhere or nowhere; unknown ids are ignored."""
        if id_ not in self._targets:
            return
        self._outlinks.clear()
        self._n_by_name -= is_by_name(id_)
        self._types.pop(id_, None)
        for name in _names(unpack(self._targets.pop(id_))):
            self._unlink(name, id_)
            self._citers.pop(name, None)
        _drop(self._at_path, _fold(id_), id_)
        _drop(self._named, _name_of(id_), id_)
        self._citers.pop(_name_of(id_), None)

    def saved(self) -> bytes:
        """The index for a snapshot; `restore` reads it."""
        return pack((self._targets, self._at_path, self._named, self._linking, self._types))

    def restore(self, saved: bytes) -> None:
        """Replace an empty index by a saved one."""
        self._targets, self._at_path, self._named, self._linking, self._types = unpack(saved)
        self._n_by_name = sum(map(is_by_name, self._targets))

    def resolve(self, source: NoteId, target: str) -> NoteId | None:
        """The note that a link to `target` in the note `source` leads to; None if there is no such note.

        `target` is a `Link.target`: without `#heading`, with percent escapes decoded. An empty one means `source`.
        """
        if not target:
            return source if source in self._targets else None
        found = self._find(source, target, _fold)
        if found is None and _name_of(target) in self._named:
            found = self._find(source, _respelled(target), _typed)
        return found

    def _find(self, source: NoteId, target: str, form: Callable[[str], str]) -> NoteId | None:
        written = _as_path(source, target)
        if written is None:
            return None
        found = self._at(written)
        is_rooted = target.startswith(("/", "./", "../"))
        if found is not None or (is_rooted and form is _fold):
            return found
        return self._ending_in(written, source, form, is_rooted=is_rooted)

    def outlinks(self, id_: NoteId) -> tuple[NoteId, ...]:
        """The notes that this one links to, without itself, each once, in the order of their first links.

        Files that are found by name only are left out.
        """
        known = self._outlinks.get(id_)
        if known is None:
            found = dict.fromkeys(self.resolve(id_, target) for target in self._targets_of(id_))
            known = tuple(
                id_found for id_found in found if id_found is not None and id_found != id_ and not is_by_name(id_found)
            )
            self._outlinks[id_] = known
        return known

    def types(self, source: NoteId, id_: NoteId) -> frozenset[str]:
        """The types (see `Link.type`) of the links from one note to another; empty without a link."""
        name, typed = _name_of(id_), self._types.get(source, {})
        return frozenset(
            type_
            for target in self._targets_of(source)
            if _has_name(target, name) and self.resolve(source, target) == id_
            for type_ in typed.get(target, _PLAIN)
        )

    def _type(self, note: Note) -> None:
        """Store the types of the note's links, except for plain ones: almost all links are plain."""
        typed = {link.target for link in note.links if link.name or link.kind is _EMBED}
        if not typed:
            self._types.pop(note.id, None)
            return
        found: dict[str, dict[str, None]] = {target: {} for target in typed}
        for link in note.links:
            if link.target in typed:
                found[link.target][link.type] = None
        self._types[note.id] = {target: tuple(types) for target, types in found.items()}

    def backlinks(self, id_: NoteId) -> frozenset[NoteId]:
        """The notes that link to this one, without itself; three links from one note count once."""
        if id_ not in self._targets:
            return frozenset()
        name = _name_of(id_)
        if name not in self._citers:
            self._citers[name] = self._resolve_name(name)
        return self._citers[name].get(id_, frozenset())

    def _targets_of(self, id_: NoteId) -> tuple[str, ...]:
        targets: tuple[str, ...] = unpack(self._targets.get(id_, _NO_TARGETS))
        return targets

    def _resolve_name(self, name: str) -> dict[NoteId, frozenset[NoteId]]:
        citers: dict[NoteId, set[NoteId]] = {}
        for source in _listed(self._linking.get(name, [])):
            for target in self._targets_of(source):
                found = self.resolve(source, target) if _has_name(target, name) else None
                if found is not None and found != source:
                    citers.setdefault(found, set()).add(source)
        return {id_: frozenset(sources) for id_, sources in citers.items()}

    def _at(self, written: str) -> NoteId | None:
        """The note at exactly this path, with or without extension; one with the same spelling is preferred."""
        folded = _fold(written)
        for extension in ("", *MARKDOWN_EXTENSIONS):
            ids = self._at_path.get(folded + extension)
            if ids:
                return next((id_ for id_ in ids if id_.startswith(written)), ids[0])
        return None

    def _ending_in(self, written: str, source: NoteId, form: Callable[[str], str], *, is_rooted: bool) -> NoteId | None:
        """Among the notes whose path ends with this: below the folder of `source`, in the fewest folders, the nearest.

        Paths are compared in a `form`; if `is_rooted`, the whole path must be the same.
        """
        ids = self._named.get(_name_of(written), ())
        folded = "/" + form(written)
        paths = {id_: "/" + form(id_) for id_ in ids}
        for extension in ("", *MARKDOWN_EXTENSIONS):
            end = folded + extension
            matching = [id_ for id_, path in paths.items() if path == end or (not is_rooted and path.endswith(end))]
            if len(matching) > 1:
                here = _fold(source.rpartition("/")[0]) + "/"
                matching = [id_ for id_ in matching if _fold(id_).startswith(here)] or matching
                depth = min(id_.count("/") for id_ in matching)
                matching = [id_ for id_ in matching if id_.count("/") == depth]
            if len(matching) == 1:
                return matching[0]
            if matching:
                folders = _fold(source).split("/")[:-1]
                return min(matching, key=lambda id_: (_n_steps(folders, id_), written not in id_, id_))
        return None

    def _add(self, id_: NoteId) -> None:
        self._outlinks.clear()
        self._targets[id_] = _NO_TARGETS
        self._n_by_name += is_by_name(id_)
        path, name = _fold(id_), _name_of(id_)
        self._at_path[path] = tuple(sorted((*self._at_path.get(path, ()), id_)))
        self._named[name] = (*self._named.get(name, ()), id_)
        self._citers.pop(name, None)

    def _link(self, name: str, source: NoteId) -> None:
        sources = self._linking.setdefault(name, source)
        if isinstance(sources, list):
            sources.append(source)
        elif sources != source:
            self._linking[name] = [sources, source]

    def _unlink(self, name: str, source: NoteId) -> None:
        sources = self._linking[name]
        if sources in (source, [source]):
            del self._linking[name]
        elif isinstance(sources, list):
            sources.remove(source)


def _listed(sources: NoteId | list[NoteId]) -> list[NoteId]:
    return sources if isinstance(sources, list) else [sources]


def _fold(path: str) -> str:
    """A path as links compare it: lower case, composed, a no-break space as a space, as in Obsidian.

    Accents stay, unlike in search, as they distinguish notes.

    >>> _fold("Phe\u0301nome\u0300ne") == _fold("PHÉNOMÈNE")
    True
    """
    return path.lower() if path.isascii() else normalize("NFC", path.lower()).replace("\u00a0", " ")


def _name_of(path: str) -> str:
    r"""The folded last part of a path or link, without extensions of notes.

    All of them are removed: `[[x.md]]` means `x.md` or, if there is none, `x.md.md`, so both must have the same name.
    For the same reason, all spellings of a path have the same name.

    >>> _name_of("a/ToDo.md"), _name_of("v1..2"), _name_of("x.md.md"), _name_of("a\\it’s%20on")
    ('todo', 'v1..2', 'x', "it's on")
    """
    name = _typed(_respelled(path))
    name = name[name.rfind("/") + 1 :]
    while name.endswith(MARKDOWN_EXTENSIONS):
        name = name[: name.rfind(".")]
    return name


def _has_name(path: str, name: str) -> bool:
    """Whether `name` is the name of a path; most plain paths do not even contain it."""
    is_plain = path.isascii() and "%" not in path and "\\" not in path
    return (not is_plain or name in path.lower()) and _name_of(path) == name


def _respelled(path: str) -> str:
    r"""The path with percent escapes decoded and `\` as `/`."""
    return decode_percent(path).replace("\\", "/") if "%" in path or "\\" in path else path


def _typed(path: str) -> str:
    """A folded path with typographic signs as on a keyboard, without invisible characters."""
    typed = path.lower() if path.isascii() else _fold(as_typed(path))
    return path if path == typed else typed  # most names need no second string


def _names(targets: Iterable[str]) -> set[str]:
    return {_name_of(target) for target in targets}


def _as_path(source: NoteId, target: str) -> str | None:
    """The target as a path: from the vault's root for `/x`, `./x`, `../x` and with such parts inside; else as it is.

    None if it leaves the vault or names a folder.
    """
    parts = target.split("/")
    if parts[-1] in {"", ".", ".."}:
        return None  # a folder
    if "." not in parts and ".." not in parts:
        return "/".join(filter(None, parts)) if "" in parts else target
    folders = source.split("/")[:-1] if parts[0] in {".", ".."} else []
    for part in parts:
        if part == "..":
            if not folders:
                return None
            folders.pop()
        elif part not in {"", "."}:
            folders.append(part)
    return "/".join(folders)


def _n_steps(folders: list[str], id_: NoteId) -> int:
    """The number of steps up and down from `folders` (folded) to the folder of `id_`."""
    others = _fold(id_).split("/")[:-1]
    n_common = 0
    for one, other in zip(folders, others, strict=False):
        if one != other:
            break
        n_common += 1
    return len(folders) + len(others) - 2 * n_common


def _drop(ids_by_key: dict[str, tuple[NoteId, ...]], key: str, id_: NoteId) -> None:
    rest = tuple(other for other in ids_by_key[key] if other != id_)
    if rest:
        ids_by_key[key] = rest
    else:
        del ids_by_key[key]
