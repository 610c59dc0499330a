"""XMP: the texts in an XMP packet, which is RDF in XML. ISO 16684-1, and the schemas of IPTC and MWG.

A packet is made to be found in any file by its first and last tag, so no format of pictures needs to be known for it.
"""

import re
from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from search.vault.attachments.extracted import Unreadable
from search.vault.attachments.image_texts import ImageTexts, Role

_TAGS = (b"x:xmpmeta", b"x:xapmeta", b"rdf:RDF")
_DEEPEST = 64  # nested elements
_DC, _PHOTOSHOP = "http://purl.org/dc/elements/1.1/", "http://ns.adobe.com/photoshop/1.0/"
_TIFF, _EXIF = "http://ns.adobe.com/tiff/1.0/", "http://ns.adobe.com/exif/1.0/"
_IPTC, _IPTC_MORE = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"
_ROLES: Mapping[str, Role] = {
    f"{_DC} title": Role.TITLE,
    f"{_PHOTOSHOP} Headline": Role.TITLE,
    f"{_DC} description": Role.CAPTION,
    f"{_TIFF} ImageDescription": Role.CAPTION,
    f"{_IPTC} AltTextAccessibility": Role.CAPTION,
    f"{_IPTC} ExtDescrAccessibility": Role.CAPTION,
    f"{_DC} subject": Role.KEYWORD,
    "http://ns.adobe.com/lightroom/1.0/ hierarchicalSubject": Role.KEYWORD,
    "http://www.digikam.org/ns/1.0/ TagsList": Role.KEYWORD,
    f"{_IPTC_MORE} PersonInImage": Role.PERSON,
    "http://www.metadataworkinggroup.com/schemas/regions/ Name": Role.PERSON,
    "http://ns.microsoft.com/photo/1.2/t/Region# PersonDisplayName": Role.PERSON,
    f"{_IPTC_MORE} Event": Role.PLACE,
    f"{_IPTC} Location": Role.PLACE,
    f"{_IPTC_MORE} LocationName": Role.PLACE,
    f"{_IPTC_MORE} Sublocation": Role.PLACE,
    f"{_PHOTOSHOP} City": Role.PLACE,
    f"{_IPTC_MORE} City": Role.PLACE,
    f"{_PHOTOSHOP} State": Role.PLACE,
    f"{_IPTC_MORE} ProvinceState": Role.PLACE,
    f"{_PHOTOSHOP} Country": Role.PLACE,
    f"{_IPTC_MORE} CountryName": Role.PLACE,
    f"{_DC} creator": Role.CREATOR,
    f"{_TIFF} Artist": Role.CREATOR,
    f"{_EXIF} UserComment": Role.COMMENT,
}
_IN_LEVELS = re.compile("[|/]")  # of a keyword such as Places|Norway|Bergen


def read_xmp(data: bytes, found: ImageTexts) -> None:
    """Add the texts of the first packet in `data`, up to the place where its XML is damaged or declares entities."""
    for tag in _TAGS:
        start = data.find(b"<" + tag)
        if start >= 0 and (end := data.find(b"</" + tag + b">", start)) >= 0:
            _parse(data[start : end + len(tag) + 3], found)
            return


def _parse(packet: bytes, found: ImageTexts) -> None:
    roles: list[Role | None] = []  # of each open element; those within a field have its role
    pieces: list[str] = []

    def take() -> None:
        text = "".join(pieces).strip()
        pieces.clear()
        if roles and roles[-1] is not None and text:
            _add(found, roles[-1], text)

    def start(name: str, attributes: Mapping[str, str]) -> None:
        take()
        if len(roles) >= _DEEPEST:
            raise Unreadable("its XMP is nested too deeply")
        roles.append(_ROLES.get(name, roles[-1] if roles else None))
        for key, value in attributes.items():
            if key in _ROLES:
                _add(found, _ROLES[key], value)

    def end(_name: str) -> None:
        take()
        roles.pop()

    def refuse(*_: object) -> NoReturn:
        raise Unreadable("its XMP declares entities")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = pieces.append
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(packet, True)  # noqa: FBT003 - expat takes no name for it
    except (expat.ExpatError, Unreadable):
        return


def _add(found: ImageTexts, role: Role, text: str) -> None:
    for part in _IN_LEVELS.split(text) if role is Role.KEYWORD else [text]:
        found.add(role, part)
