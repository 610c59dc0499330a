"""Which notes a query may find, decided before anything is ranked."""
