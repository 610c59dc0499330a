"""What an answer shows of a note: excerpts, highlights and passages. Pure."""
