"""Which tokens a query's terms match, and what each match is worth. Pure."""
