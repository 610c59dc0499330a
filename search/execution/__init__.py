"""One query from its text to the answer: request, filter, rank, enrich, rank again, present."""
