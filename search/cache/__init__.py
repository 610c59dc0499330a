"""What is kept on disk for the next start: where, and in which form. Never in a vault, and never needed."""
