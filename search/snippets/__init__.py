"""What is shown of a note: excerpts, highlights and passages. Pure."""
