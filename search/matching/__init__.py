"""Which tokens of the vault a query's terms match, and what each match is worth. Pure."""
