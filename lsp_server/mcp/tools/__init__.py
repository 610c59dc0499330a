"""The tools, one in each file: what a model is told about a tool, and the function that answers its calls."""
