"""Notes as vectors: cut into chunks, kept in files, searched in memory.

Nothing here calls a model. Vectors come from the caller as float32 arrays, one row per chunk.
"""
