"""The parts of an office file, which is a zip archive of XML: streamed within limits, without entities.

Sizes are counted while parts are unpacked, since those that an archive states may be false.
"""

import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import NoReturn
from xml.parsers import expat

from search.vault.attachments.extracted import Unreadable
from search.vault.limits import Full

MAX_PARTS = 10_000  # of one archive
MAX_UNPACKED = 256 * 1024 * 1024  # bytes of all parts together; the XML of a novel has some ten million
_CHUNK = 64 * 1024
_DEEPEST = 256  # nested elements
# The first bytes of an OLE file: Office 97 to 2003, or the envelope of an encrypted newer file.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")

Start = Callable[[str, Mapping[str, str]], None]
End = Callable[[str], None]


class Archive:
    """An office file that is open for reading."""

    def __init__(self, data: bytes) -> None:
        """Open it.

        Raises:
            Unreadable: it is encrypted, damaged, of an older format of Office, or no office file.
        """
        if data.startswith(_OLE):
            raise Unreadable("it is encrypted" if _ENCRYPTED in data else "it has the format of Office 97 to 2003")
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OSError) as error:
            raise Unreadable("it is damaged or no office file") from error
        infos = self._zip.infolist()
        if len(infos) > MAX_PARTS:
            raise Unreadable(f"it has {len(infos):,} parts, more than {MAX_PARTS:,}")
        self._parts = {info.filename.lower(): info for info in infos}
        self._n_left = MAX_UNPACKED

    def has(self, part: str) -> bool:
        """Whether there is such a part. Case does not count."""
        return part.lower() in self._parts

    def read(self, part: str) -> bytes:
        """A whole part; b"" if there is none. Raises as `chunks`."""
        return b"".join(self.chunks(part))

    def chunks(self, part: str) -> Iterator[bytes]:
        """The bytes of a part, piece by piece; none if there is no such part.

        Raises:
            Unreadable: the part is encrypted or damaged.
            Full: the parts read so far have more than `MAX_UNPACKED` bytes together.
        """
        info = self._parts.get(part.lower())
        if info is None:
            return
        if info.flag_bits & 1:
            raise Unreadable("it is encrypted")
        try:
            with self._zip.open(info) as file:
                while chunk := file.read(_CHUNK):
                    self._n_left -= len(chunk)
                    if self._n_left < 0:
                        raise Full(f"{MAX_UNPACKED // 1024 // 1024} MB of XML")
                    yield chunk
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, EOFError, OSError) as error:
            raise Unreadable(f"its part {part} is damaged") from error

    def parse(self, part: str, *, start: Start, end: End, text: Callable[[str], None]) -> None:
        """Parse a part that is XML, if there is one. The handlers get all names without their namespaces.

        Raises as `chunks`, and Unreadable for XML that is not well formed, nested too deeply, or declares entities.
        """
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        depth = 0

        def started(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal depth
            depth += 1
            if depth > _DEEPEST:
                raise Unreadable(f"its part {part} is nested too deeply")
            start(_local(name), {_local(key): value for key, value in attributes.items()})

        def ended(name: str) -> None:
            nonlocal depth
            depth -= 1
            end(_local(name))

        def refuse(*_: object) -> NoReturn:
            raise Unreadable(f"its part {part} declares entities")

        parser.StartElementHandler = started
        parser.EndElementHandler = ended
        parser.CharacterDataHandler = text
        parser.EntityDeclHandler = refuse
        parser.UnparsedEntityDeclHandler = refuse
        parser.ExternalEntityRefHandler = refuse
        try:
            for chunk in self.chunks(part):
                parser.Parse(chunk, False)  # noqa: FBT003 - expat takes no name for it
            if self.has(part):
                parser.Parse(b"", True)  # noqa: FBT003
        except expat.ExpatError as error:
            raise Unreadable(f"its part {part} is no valid XML") from error

    def links(self, part: str) -> dict[str, str]:
        """The parts that a part of an Office file refers to, by their ids."""
        found: dict[str, str] = {}
        folder, name = posixpath.split(part)

        def start(element: str, attributes: Mapping[str, str]) -> None:
            if element == "Relationship" and attributes.get("TargetMode") != "External" and len(found) < MAX_PARTS:
                found[attributes.get("Id", "")] = resolved(folder, attributes.get("Target", ""))

        self.parse(f"{folder}/_rels/{name}.rels", start=start, end=ignore, text=ignore)
        return found


def resolved(folder: str, target: str) -> str:
    """The path of the part that a part in `folder` refers to as `target`.

    >>> resolved("ppt/slides", "../media/a.xml"), resolved("xl", "/xl/b.xml")
    ('ppt/media/a.xml', 'xl/b.xml')
    """
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def ignore(*_: object) -> None:
    """A handler for parts of the XML that are not needed."""


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
