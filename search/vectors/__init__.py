"""Notes as vectors: cut into chunks, kept in files, searched in memory.

Nothing here embeds: vectors come from the caller as float32 arrays, one row a chunk.
"""
