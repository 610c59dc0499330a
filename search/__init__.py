"""The search core: from a vault and a query to ranked notes, each with the reasons for its score.

It knows no language server and no JSON-RPC, and nothing outside `providers` ever opens a socket.
"""
