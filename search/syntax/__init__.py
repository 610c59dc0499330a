"""Reads the text of a query: Obsidian's search language, and plain words wherever it is none."""

from search.syntax.parser import MAX_CHARACTERS, parse
from search.syntax.reader import MAX_DEPTH, MAX_PIECES

__all__ = ["MAX_CHARACTERS", "MAX_DEPTH", "MAX_PIECES", "parse"]
