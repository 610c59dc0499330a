"""Rank the notes for one query over an index that does not change: retrieval, fusion and stages. Pure."""
