"""Models: the only place that knows one, whether it runs here or behind an endpoint.

Each gives an `Embedder` or a `Chat`. Importing this package loads no weights and opens no file.
"""
