"""The tools, one a file: what a model is told about it, and the function that answers."""
