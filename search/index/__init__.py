"""What is kept in memory of a vault: its vocabulary, postings and names, and the indexer that keeps them current."""
