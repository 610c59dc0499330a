"""Small pictures for tests, with texts where programs write them. Their pixels are noise, as no test looks at them."""

import struct
import zlib
from html import escape

_NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "photoshop": "http://ns.adobe.com/photoshop/1.0/",
    "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/",
    "crs": "http://ns.adobe.com/camera-raw-settings/1.0/",
    "lr": "http://ns.adobe.com/lightroom/1.0/",
}


def xmp(**fields):
    """An XMP packet; `dc_title="Oak"` is the field dc:title, and a list has several values."""
    items = ""
    for name, value in fields.items():
        tag = name.replace("_", ":", 1).replace("mwg:rs_", "mwg-rs:")
        values = value if isinstance(value, list) else [value]
        items += f"<{tag}><rdf:Bag>" + "".join(f"<rdf:li>{escape(one)}</rdf:li>" for one in values)
        items += f"</rdf:Bag></{tag}>"
    names = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in _NAMESPACES.items())
    rdf = f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description {names}>{items}'
    return f'<x:xmpmeta xmlns:x="adobe:ns:meta/">{rdf}</rdf:Description></rdf:RDF></x:xmpmeta>'.encode()


def exif(*, order="<", more=(), **texts):
    """A TIFF structure with tags by number, `t010e="caption"`; `more` are tags of its EXIF directory, as bytes."""
    values = [(int(name[1:], 16), 2, text.encode() + b"\0") for name, text in texts.items() if isinstance(text, str)]
    values += [(int(name[1:], 16), 1, data) for name, data in texts.items() if isinstance(data, bytes)]
    values += [
        (int(name[1:], 16), 3, struct.pack(f"{order}H", value))
        for name, value in texts.items()
        if isinstance(value, int)
    ]
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}I", 8)
    if not more:
        return head + _directory(order, 8, values)
    start = 8 + len(_directory(order, 8, [*values, (0x8769, 4, bytes(4))]))
    values.append((0x8769, 4, struct.pack(f"{order}I", start)))
    return head + _directory(order, 8, values) + _directory(order, start, list(more))


def _directory(order, start, values):
    entries, data = b"", b""
    place = start + 2 + 12 * len(values) + 4
    for tag, kind, value in sorted(values):
        n_values = len(value) // {3: 2, 4: 4}.get(kind, 1)
        held = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack(f"{order}I", place + len(data))
        data += value if len(value) > 4 else b""
        entries += struct.pack(f"{order}HHI", tag, kind, n_values) + held
    return struct.pack(f"{order}H", len(values)) + entries + bytes(4) + data


def iptc(*datasets, utf8=True):
    """An IPTC block of (number, text)."""
    block = b"\x1c\x01\x5a\0\x03\x1b%G" if utf8 else b""
    for number, text in datasets:
        data = text.encode("utf-8" if utf8 else "cp1252")
        block += b"\x1c\x02" + bytes([number]) + struct.pack(">H", len(data)) + data
    return block


def jpeg(*, size=(40, 30), comment="", noise=b"", **blocks):
    """A JPEG with `xmp`, `exif`, `iptc` and a comment, whose pixels are `noise`."""
    segments = b""
    if data := blocks.get("exif"):
        segments += _segment(0xE1, b"Exif\0\0" + data)
    if data := blocks.get("xmp"):
        segments += _segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + data)
    if data := blocks.get("iptc"):
        segments += _segment(0xED, b"Photoshop 3.0\x008BIM\x04\x04\0\0" + struct.pack(">I", len(data)) + data)
    if comment:
        segments += _segment(0xFE, comment.encode())
    frame = _segment(0xC0, struct.pack(">BHHB", 8, size[1], size[0], 3) + bytes(9))
    return b"\xff\xd8" + segments + frame + _segment(0xDA, bytes(10)) + noise.replace(b"\xff", b"\xfe") + b"\xff\xd9"


def _segment(kind, data):
    return b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data


def png(*chunks, size=(40, 30), noise=b"pixels"):
    """A PNG; chunks are (type, bytes), and stand after the pixels."""
    head = struct.pack(">IIBBBBB", *size, 8, 2, 0, 0, 0)
    every = [(b"IHDR", head), (b"IDAT", noise), *chunks, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in every
    )


def webp(**blocks):
    """A WebP with `xmp` and `exif`."""
    chunks = b"VP8X" + struct.pack("<I", 10) + bytes(4) + (39).to_bytes(3, "little") + (29).to_bytes(3, "little")
    for name, kind in (("exif", b"EXIF"), ("xmp", b"XMP ")):
        if data := blocks.get(name):
            chunks += kind + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks
