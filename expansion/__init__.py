"""Query understanding: what a user may have meant besides what was typed.

It asks a model only when one was handed in, and then in `expand`, which never makes a search fail.
"""
