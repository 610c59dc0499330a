"""Words and excerpts: tokens of every script, posting lists, snippets. Pure."""
