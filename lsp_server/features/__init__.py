"""What the server answers, one LSP concern per file; each file `register`s its handlers.

A handler consists of guard clauses, one call into the domain and one conversion. Blocking calls run in worker threads.
"""
