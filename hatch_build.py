"""The long description for PyPI: README.md with links that lead somewhere from there too."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A link or a picture whose target is a file of the project.
_RELATIVE = re.compile(r"(!?)\[([^\]\n]*)\]\((?!\w+:|#)([^)\s]+)\)")


class LongDescription(MetadataHookInterface):
    """Sets the field `readme`; hatchling finds this class by its base."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Read README.md, next to this file, and set the long description."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source")
        at = f"{source}/{{kind}}/v{metadata['version']}" if source else None
        metadata["readme"] = {"content-type": "text/markdown", "text": long_description(text, at)}


def long_description(text: str, at: str | None) -> str:
    """A text whose relative links are absolute: `at` is the address of the files, where `{kind}` is `blob` or `raw`.

    Without an address, a link becomes its text, and a picture vanishes.
    """

    def absolute(link: re.Match[str]) -> str:
        mark, label, target = link.groups()
        if at is None:
            return "" if mark else label
        return f"{mark}[{label}]({at.format(kind='raw' if mark else 'blob')}/{target})"

    return _RELATIVE.sub(absolute, text)
