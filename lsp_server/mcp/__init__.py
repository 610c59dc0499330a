"""The server for assistants: the Model Context Protocol over the same engine, with read-only tools.

Only `server` knows the protocol's SDK. A tool (`tools`) is a function from a vault and checked arguments to an answer.
"""
