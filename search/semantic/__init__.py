"""Semantic search: the vectors of a vault's notes, made in the background and kept up to date with the notes."""
