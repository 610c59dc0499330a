"""The index in memory: vocabulary, postings and names of a vault, and the indexer that keeps them up to date."""
