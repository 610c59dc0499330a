"""The search core: from a vault and a query to ranked notes, each with the reasons for its score.

It does not know about language servers or JSON-RPC, and only `providers` opens sockets.
"""
