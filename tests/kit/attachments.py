"""Small attachments for tests: a PDF writer of a hundred lines' worth, and office files as zip archives."""

import zipfile
from io import BytesIO


def pdf(*pages, title="", author="", outline=(), labels="", prefix=b"", extra=()):
    """A PDF whose pages have the given lines of text; `outline` is (title, page from 1), `labels` a number tree."""
    objects = {1: b"", 2: b"", 3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    kids = []
    for text in pages:
        number = len(objects) + 1
        lines = b" ".join(b"(%b) Tj T*" % _escaped(line) for line in text.split("\n"))
        stream = b"BT /F1 12 Tf 14 TL 72 720 Td " + lines + b" ET" if text else b""
        objects[number] = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream)
        objects[number + 1] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % number
        )
        kids.append(number + 1)
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    catalogue = b"/Type /Catalog /Pages 2 0 R"
    if outline:
        root = len(objects) + 1
        first, last = root + 1, root + len(outline)
        objects[root] = b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (first, last, len(outline))
        for at, (name, page) in enumerate(outline):
            following = b" /Next %d 0 R" % (first + at + 1) if first + at < last else b""
            objects[first + at] = b"<< /Title (%b) /Parent %d 0 R /Dest [%d 0 R /Fit]%b >>" % (
                _escaped(name),
                root,
                kids[page - 1],
                following,
            )
        catalogue += b" /Outlines %d 0 R" % root
    if labels:
        catalogue += b" /PageLabels << /Nums [%b] >>" % labels.encode()
    objects[1] = b"<< %b >>" % catalogue
    info = len(objects) + 1
    objects[info] = b"<< /Title (%b) /Author (%b) >>" % (_escaped(title), _escaped(author))
    objects |= dict(enumerate(extra, info + 1))
    return prefix + _file(objects, b"/Root 1 0 R /Info %d 0 R" % info)


def _escaped(text):
    data = text.encode("cp1252", "replace")
    return data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects, trailer):
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number in sorted(objects):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, objects[number])
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def zipped(parts):
    """A zip archive with these parts, as office files are."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)  # without the time
    return out.getvalue()


_CORE = """<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator></cp:coreProperties>"""
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_A = 'xmlns:a="a" xmlns:p="p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'


def docx(body, *, title="", author="", **parts):
    """A Word file with this XML in its body, or with a paragraph for each line of text."""
    if "<w:" not in body:
        body = "".join(paragraph(line) for line in body.split("\n"))
    styles = f'<w:styles {_W}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>'
    return zipped(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": styles,
            "docProps/core.xml": _CORE.format(title=title, author=author),
            **parts,
        }
    )


def paragraph(text, style=""):
    """A paragraph of a Word file."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def pptx(*slides, title=""):
    """A presentation with a title and a text on each slide; the slides' files are numbered in reverse."""
    n = len(slides)
    ids = "".join(f'<p:sldId r:id="r{at}"/>' for at in range(n))
    links = "".join(f'<Relationship Id="r{at}" Target="slides/slide{n - at}.xml"/>' for at in range(n))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {_A}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": f"<Relationships>{links}</Relationships>",
        "docProps/core.xml": _CORE.format(title=title, author=""),
    }
    for at, (name, text) in enumerate(slides):
        shapes = (
            '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
            f"<a:p><a:r><a:t>{name}</a:t></a:r></a:p></p:sp>"
            f"<p:sp><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sp>"
        )
        parts[f"ppt/slides/slide{n - at}.xml"] = f"<p:sld {_A}>{shapes}</p:sld>"
    return zipped(parts)


def xlsx(**sheets):
    """A workbook; each sheet is a list of rows, texts are shared, numbers are not."""
    shared = []
    parts, named, links = {}, "", ""
    for at, (name, rows) in enumerate(sheets.items(), 1):
        cells = ""
        for row in rows:
            cells += "<row>"
            for value in row:
                if isinstance(value, str):
                    cells += f'<c t="s"><v>{len(shared)}</v></c>'
                    shared.append(value)
                else:
                    cells += f"<c><v>{value}</v></c>"
            cells += "</row>"
        parts[f"xl/worksheets/sheet{at}.xml"] = f"<worksheet><sheetData>{cells}</sheetData></worksheet>"
        named += f'<sheet name="{name}" r:id="r{at}"/>'
        links += f'<Relationship Id="r{at}" Target="/xl/worksheets/sheet{at}.xml"/>'
    parts["xl/workbook.xml"] = f"<workbook {_A}><sheets>{named}</sheets></workbook>"
    parts["xl/_rels/workbook.xml.rels"] = f"<Relationships>{links}</Relationships>"
    parts["xl/sharedStrings.xml"] = "<sst>" + "".join(f"<si><t>{text}</t></si>" for text in shared) + "</sst>"
    return zipped(parts)


_ODF = 'xmlns:office="o" xmlns:text="t" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:meta="m"'


def odt(body, *, title="", author=""):
    """An OpenDocument text with this XML in its body."""
    return zipped(
        {
            "content.xml": f"<office:document-content {_ODF}><office:body>{body}</office:body>"
            "</office:document-content>",
            "meta.xml": f"<office:document-meta {_ODF}><dc:title>{title}</dc:title><dc:creator>{author}</dc:creator>"
            "</office:document-meta>",
        }
    )


def epub(*chapters, title="", author=""):
    """A book whose chapters are these pages of HTML."""
    items = "".join(f'<item id="c{at}" href="text/c%20{at}.xhtml"/>' for at in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    package = (
        f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>{title}</dc:title>'
        f"<dc:creator>{author}</dc:creator></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
            "OEBPS/book.opf": package,
            **{f"OEBPS/text/c {at}.xhtml": text for at, text in enumerate(chapters)},
        }
    )
