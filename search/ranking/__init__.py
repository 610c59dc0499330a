"""One query's way over an index that stands still: retrieval, fusion and stages, as its pipeline orders them."""
