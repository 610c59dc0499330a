"""Links between notes, and what follows from them: backlinks, co-citations, shared tags and paths. Pure."""
