"""A ranking in, a ranking out: boosts, filters, rescoring. Each writes what it did into the trail."""
