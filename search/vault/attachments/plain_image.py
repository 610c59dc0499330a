"""Images without text, which are most images: nothing is kept of them but the width and height in their content id."""

import json
import re

from search.vault.attachments.extracted import Extracted, to_json

_PLAIN = re.compile(r"plain_([0-9]{1,7})x([0-9]{1,7})")


def content_id_of(text: str) -> str:
    """The content id of an image by the JSON that its parser sent; "" if it has a text or a problem.

    >>> content_id_of(to_json(Extracted(size=(40, 30)))), content_id_of(to_json(Extracted(text="oak")))
    ('plain_40x30', '')
    """
    try:
        size = json.loads(text).get("size")
    except (ValueError, AttributeError):
        return ""
    width, height = size if isinstance(size, list) and len(size) == 2 else (0, 0)
    content_id = f"plain_{width}x{height}"
    return content_id if json_of(content_id) == text else ""


def json_of(content_id: str) -> str | None:
    """The JSON of an image with this content id; None for any other content id.

    >>> json_of("image_4a"), json_of("plain_0x0") == to_json(Extracted())
    (None, True)
    """
    found = _PLAIN.fullmatch(content_id)
    if found is None:
        return None
    width, height = map(int, found.groups())
    return to_json(Extracted(size=(width, height) if width and height else ()))
