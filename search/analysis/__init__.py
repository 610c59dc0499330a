"""Text to tokens, the same way for notes and for queries: folding, tokens, stop words. Pure."""
