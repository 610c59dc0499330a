"""What comes back from a search, and why: rankings, trails, evidence, notices and explanations. Pure values."""
