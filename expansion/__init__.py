"""Query understanding: what a user may have meant besides what was typed."""
