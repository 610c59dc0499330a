"""What the server answers, one concern a file. Each `register`s its handlers.

A handler is guard clauses, one call of the domain, one conversion. Blocking calls go through `server.work`.
"""
