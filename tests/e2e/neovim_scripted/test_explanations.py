"""Explanations: the arithmetic of a strength."""
