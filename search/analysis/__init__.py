"""Text analysis, the same for notes and queries: folding, tokens, stop words. Pure functions."""
