"""What is kept on disk for the next start: where and in which form. Never in a vault; can be deleted at any time."""
