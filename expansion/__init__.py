"""Query understanding: what a user may have meant in addition to what was typed.

Only `expand` asks a chat model, and only one that the caller passes in. A model that fails never makes a search fail.
"""
