"""Search by meaning: the vectors of a vault's notes, made in the background and kept true to the notes."""
