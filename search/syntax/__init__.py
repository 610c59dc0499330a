"""Parses the text of a query as Obsidian's search language; other text counts as plain words."""

from search.syntax.parser import MAX_CHARACTERS, parse
from search.syntax.reader import MAX_DEPTH, MAX_PIECES

__all__ = ["MAX_CHARACTERS", "MAX_DEPTH", "MAX_PIECES", "parse"]
