"""Which notes a query may find at all, decided before anything is ranked."""
