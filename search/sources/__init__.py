"""Sources: the first rankings of a query. No source depends on another source's module."""
