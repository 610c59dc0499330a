"""What a renderer of Markdown makes live in a text."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

# Renderers also make links of bare addresses, each in its own way; what they look for must not occur in one text.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("text_join")
RENDERER.validateLink = lambda _url: True  # else it would refuse some addresses by itself
BARE_ADDRESS = re.compile(r"(?:https?|ftp|command|javascript|data|file)://|www\.|[\w.+-]@\w", re.IGNORECASE)


def targets(markdown: str) -> Iterator[str]:
    """What a renderer makes live: addresses, raw HTML, and texts in which it could find an address."""
    for block in RENDERER.parse(markdown):
        if block.type == "html_block":
            yield block.content
        for token in block.children or ():
            if token.type == "link_open":
                yield token.attrs["href"]
            elif token.type in ("image", "html_inline"):
                yield token.content or token.attrs["src"]
            elif token.type == "text" and BARE_ADDRESS.search(token.content):
                yield token.content
