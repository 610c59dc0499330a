"""Models that run on this machine or behind an endpoint. No other package knows a model.

Each module gives an `Embedder`, a `Chat` or a `Reranker`. Importing this package loads no weights and opens no file.
"""
