"""What the formats of office files share: paragraphs, metadata, and that a file which breaks off is used in part."""

from collections.abc import Callable, Mapping

from attrs import field, frozen

from search.vault.attachments.archive import Archive
from search.vault.attachments.extracted import Extracted, TextBuilder, Unreadable, one_line
from search.vault.attachments.metadata import useful_title
from search.vault.limits import Full

_MOST_NAMES = 20  # pieces of text that are used for a title, and as many for the authors

Add = Callable[[Archive, TextBuilder], None]
Metadata = Callable[[Archive], tuple[str, str]]


def extract_office(archive: Archive, main: str, add: Add, metadata: Metadata) -> Extracted:
    """The text that `add` adds, with title and author. Of a file that is damaged or too long, the first part is used.

    Raises:
        Unreadable: the part `main` is missing, or no text can be read.
    """
    if not archive.has(main):
        raise Unreadable("it is damaged or no file of this type")
    text, lost, problem = TextBuilder(), [], ""
    try:
        add(archive, text)
    except Full as full:
        lost.append(f"only the first {full} are searched")
    except Unreadable as error:
        if not text.has_words:
            raise
        lost.append(f"what follows is not searched: {error}")
    try:
        title, author = metadata(archive)
    except (Full, Unreadable):
        title, author = "", ""
    if not text.has_words:
        problem = lost.pop() if lost else "it has no text"
    return text.extracted(title=useful_title(title), author=one_line(author), lost=tuple(lost), problem=problem)


@frozen
class Paragraph:
    """The pieces of a paragraph that is being read."""

    _pieces: list[str] = field(factory=list, init=False)

    def add(self, text: str) -> None:
        """Add a piece."""
        self._pieces.append(text)

    def take(self) -> str:
        """The text of the pieces so far; the next piece begins another paragraph."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text


def add_paragraph(text: TextBuilder, words: str, level: int) -> None:
    """Add a paragraph, as a heading if `level` is not 0. A blank one is left out."""
    if level and words.strip():
        text.add_heading(level, words)
    elif words.strip():
        text.add(words)


def core_metadata(archive: Archive) -> tuple[str, str]:
    """Title and authors of a file of Microsoft Office."""
    return metadata_in(archive, "docProps/core.xml")


def metadata_in(archive: Archive, part: str) -> tuple[str, str]:
    """The title and the authors in a part with metadata; "" for what it lacks."""
    found: dict[str, list[str]] = {"title": [], "creator": []}
    open_elements: list[str] = []

    def start(name: str, _attributes: Mapping[str, str]) -> None:
        open_elements.append(name)

    def end(_name: str) -> None:
        open_elements.pop()

    def add(piece: str) -> None:
        if open_elements and open_elements[-1] in found and len(found[open_elements[-1]]) < _MOST_NAMES:
            found[open_elements[-1]].append(piece)

    archive.parse(part, start=start, end=end, text=add)
    return next(iter(found["title"]), ""), ", ".join(found["creator"])
