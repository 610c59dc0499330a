"""The texts of a picture are found wherever programs write them, each once, and none that a program made."""

import os
import struct
import zlib

import pytest
from kit.pictures import exif, iptc, jpeg, png, webp, xmp

from search.vault.attachments.extracted import Extracted, to_json
from search.vault.attachments.image_sample import HEAD, TAIL, sample_of
from search.vault.attachments.parse import extract
from search.vault.attachments.plain_image import content_id_of, json_of


def read(data):
    return extract("image", len(data).to_bytes(8, "big") + data)


def lines(data):
    found = read(data)
    assert found.problem == ""
    return found.text.split("\n")


WINDOWS = {"t9c9b": "Quay\0".encode("utf-16-le"), "t9c9e": "ice; ships\0".encode("utf-16-le")}
ITXT = b"Description\0\0\0en\0\0" + "Größe".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            jpeg(xmp=xmp(dc_title="Quay", dc_description="Ice in March", dc_creator="A. Corn")),
            "Quay|Ice in March|A. Corn",
        ),
        (jpeg(xmp=xmp(dc_subject=["ice", "ships"], photoshop_City="Bergen")), "ice, ships|Bergen"),
        (jpeg(xmp=xmp(lr_hierarchicalSubject="Places|Norway|Bergen")), "Places, Norway, Bergen"),
        (jpeg(xmp=xmp(**{"mwg-rs_Name": "Kari", "crs_Name": "Adobe Color"})), "Kari"),
        (jpeg(exif=exif(t010e="Ice in March", t013b="A. Corn")), "Ice in March|A. Corn"),
        (jpeg(exif=exif(order=">", t010e="Ice in March")), "Ice in March"),
        (jpeg(exif=exif(**WINDOWS)), "Quay|ice, ships"),
        (jpeg(exif=exif(more=[(0x9286, 7, b"UNICODE\0" + "über".encode("utf-16-be"))])), "über"),
        (jpeg(exif=exif(more=[(0x9286, 7, b"ASCII\0\0\0oaks")])), "oaks"),
        (jpeg(iptc=iptc((120, "Eis"), (25, "Kai"), (90, "Köln"))), "Eis|Kai|Köln"),
        (jpeg(iptc=iptc((90, "Köln"), utf8=False)), "Köln"),
        (jpeg(comment="a note of my own"), "a note of my own"),
        (png((b"tEXt", b"Title\0Quay"), (b"zTXt", b"Comment\0\0" + zlib.compress(b"zipped"))), "Quay|zipped"),
        (png((b"iTXt", ITXT)), "Größe"),
        (png((b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(xmp(dc_title="Quay")))), "Quay"),
        (png((b"eXIf", exif(t010e="Ice in March"))), "Ice in March"),
        (webp(exif=exif(t010e="Ice in March"), xmp=xmp(dc_title="Quay")), "Quay|Ice in March"),
        (exif(t010e="Ice in March", t0100=400, t0101=300), "Ice in March"),
    ],
)
def test_texts_are_read_from(data, expected):
    assert lines(data) == expected.split("|")


def test_a_text_that_is_written_in_several_places_is_shown_once():
    data = jpeg(
        exif=exif(t010e="Ice in March"), iptc=iptc((120, "ice in  March")), xmp=xmp(dc_description="Ice in March")
    )
    assert lines(data) == ["Ice in March"]


@pytest.mark.parametrize(
    "text", ["OLYMPUS DIGITAL CAMERA", "  ", "SONY DSC", "Screenshot", "DCIM\\100MEDIA\\DJI_1.JPG"]
)
def test_what_a_camera_writes_is_no_text(text):
    assert read(jpeg(exif=exif(t010e=text), comment="CREATOR: gd-jpeg v1.0")).text == ""


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (jpeg(size=(400, 300)), (400, 300)),
        (jpeg(size=(400, 300), exif=exif(t0112=6)), (300, 400)),
        (png(size=(400, 300)), (400, 300)),
        (webp(), (40, 30)),
        (exif(t0100=400, t0101=300), (400, 300)),
        (b"GIF89a" + struct.pack("<HH", 400, 300), (400, 300)),
        (b"BM" + bytes(16) + struct.pack("<ii", 400, -300), (400, 300)),
        (bytes(4) + b"ftypheic" + b"ispe\0\0\0\0" + struct.pack(">II", 400, 300), (400, 300)),
        (b'<svg width="400px" height="300.5"/>', (400, 300)),
        (b'<svg width="100%" height="300"/>', ()),
        (b"no picture", ()),
    ],
)
def test_the_size_is_that_of_the_picture_as_it_is_shown(data, size):
    found = read(data)
    assert (found.size, found.text, found.problem) == (size, "", "")


def test_entities_are_not_expanded():
    packet = xmp(dc_title="before").replace(b"<x:xmpmeta", b'<!DOCTYPE x [<!ENTITY a "oak">]><x:xmpmeta')
    assert lines(jpeg(xmp=packet.replace(b"before", b"&a;"))) == [""]


def test_texts_before_and_after_many_pixels_are_read(tmp_path):
    early, late = (b"tEXt", b"Title\0Quay"), (b"tEXt", b"Comment\0oaks")
    data = png(early, (b"IDAT", bytes(HEAD + TAIL)), late)
    path = tmp_path / "a.png"
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDONLY)
    sample = sample_of(descriptor, len(data))
    os.close(descriptor)
    assert len(sample) == HEAD + TAIL + 8
    assert extract("image", sample).text == "Quay\noaks"


def test_an_offset_into_what_was_not_read_has_no_text():
    data = bytearray(exif(t010e="Ice in March"))
    data[18:22] = struct.pack("<I", HEAD + 5)
    assert extract("image", (HEAD + TAIL + 99).to_bytes(8, "big") + bytes(data).ljust(HEAD + TAIL, b"x")).text == ""


def test_an_image_without_text_is_nothing_but_its_size():
    plain = to_json(Extracted(size=(40, 30)))
    assert content_id_of(plain) == "plain_40x30"
    assert json_of("plain_40x30") == plain


@pytest.mark.parametrize("sent", ["", "[]", "{}", '{"size": [1, "x"]}', to_json(Extracted(size=(40, 30), lost=("x",)))])
def test_an_answer_that_is_anything_else_is_kept_as_a_text(sent):
    assert content_id_of(sent) == ""


SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:dc="http://purl.org/dc/elements/1.1/"'


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("<title>Quay</title><desc>Ice in March</desc><g><text>ships</text></g>", "Quay|Ice in March|ships"),
        ("<text>two<tspan x='1'>lines</tspan></text><text>one wo<tspan>rd</tspan></text>", "two lines|one word"),
        ("<g><title>a tip</title><text>before<title>inner</title>after</text></g>", "a tip|before|inner|after"),
        ("<foreignObject><h:div>label<h:br/>of a box</h:div></foreignObject>", "label of a box"),
        ("<style>.oak {}</style><text><style>.elm {}</style>ash<script>yew</script></text>", "ash"),
        ("<metadata><dc:title>from a program</dc:title></metadata><text>ash</text>", "ash"),
        ("<path d='M 1 2'/>loose words", ""),
        ("<text>before</text><text>cut", "before"),
        ("<text>before</text>" + "<g>" * 2_000 + "<text>deep</text>", "before"),
        ("<text>&oak;</text>", ""),
        ("<text>a" * 999, "a"),
    ],
)
def test_the_texts_of_a_drawing_are_those_that_it_shows(drawing, expected):
    head = (
        '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd"><!-- x -->'
    )
    assert lines(f"{head}<svg {SVG}>{drawing}</svg>".encode()) == expected.split("|")


@pytest.mark.parametrize("value", ['"oak"', "SYSTEM 'file:///etc/hostname'"])
def test_a_drawing_that_declares_entities_is_not_read(value):
    drawing = f"<!DOCTYPE svg [<!ENTITY a {value}>]><svg {SVG}><text>elm &a;</text></svg>"
    assert lines(drawing.encode()) == [""]


def test_of_a_large_drawing_the_beginning_and_the_end_are_read():
    drawing = f"<svg {SVG}><text>early</text><path d='{'1 ' * HEAD}'/><text>late</text></svg>".encode()
    sample = len(drawing).to_bytes(8, "big") + drawing[:HEAD] + drawing[-TAIL:]
    assert extract("image", sample).text == "early\nlate"


@pytest.mark.parametrize("encoding", ["windows-1252", "no-encoding", "utf-7", "gb18030", "../../etc"])
def test_a_drawing_in_another_encoding_is_no_problem(encoding):
    drawing = f'<?xml version="1.0" encoding="{encoding}"?><svg {SVG}><text>oak</text></svg>'
    assert lines(drawing.encode()) in (["oak"], [""])
