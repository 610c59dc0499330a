"""What the metadata of a picture says in words, from all the places where programs write it, each text once."""

import re
from enum import IntEnum

from attrs import define, field

from search.vault.attachments.extracted import Extracted, TextBuilder, one_line
from search.vault.lines import split_lines

_MAX_TEXT = 20_000  # characters of a text; a caption has some hundred
_MAX_TEXTS = 1_000  # of a picture
_LISTS = ", "
# What programs and cameras write where a text of the user belongs.
_BY_A_PROGRAM = re.compile(
    r"(?:[\W_]{0,200}|screenshot|untitled|default|binary comment|sony dsc|exif[ _]jpeg[ _]picture"
    r"|(?:\w{1,20} ){0,2}digital (?:still )?camera)\Z|creator: gd-jpeg|lavc\d|lead technologies|optimized by jpegmini"
    r"|file written by |created with (?:the )?gimp|compressed by jpeg|processed by |handmade software|dcim\\|charset="
    r"|jfif|applemark",
    re.IGNORECASE,
)


class Role(IntEnum):
    """What a text says about a picture, in the order in which it is shown."""

    TITLE = 0
    CAPTION = 1
    KEYWORD = 2
    PERSON = 3
    PLACE = 4
    CREATOR = 5
    COMMENT = 6


@define
class ImageTexts:
    """The texts of one picture, and its width and height as it is shown."""

    size: tuple[int, int] = (0, 0)  # (0, 0) if it is not known
    is_turned: bool = False  # whether it is shown with width and height exchanged
    _texts: dict[str, tuple[Role, str]] = field(factory=dict, init=False)

    def add(self, role: Role, text: str) -> None:
        """Add a text, unless it is known already, or was written by a program."""
        text = "\n".join(filter(None, (one_line(line, _MAX_TEXT) for line in split_lines(text[:_MAX_TEXT]))))
        if len(self._texts) < _MAX_TEXTS and not _BY_A_PROGRAM.match(text):
            key = " ".join(text.casefold().split())
            self._texts.setdefault(key, (role, text))

    def extracted(self) -> Extracted:
        """The texts, those of a list on one line. Names of fields are left out: all pictures would have these words."""
        text = TextBuilder()
        for role in Role:
            own = [found for found_as, found in self._texts.values() if found_as is role]
            if role in {Role.KEYWORD, Role.PERSON, Role.PLACE, Role.CREATOR}:
                own = [_LISTS.join(own)] if own else []
            for value in own:
                text.add(value)
        width, height = self.size[::-1] if self.is_turned else self.size
        return text.extracted(size=(width, height) if width and height else ())
