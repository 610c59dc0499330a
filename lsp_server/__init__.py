"""The translator between editors and the search core; the only place that knows the language server protocol."""
