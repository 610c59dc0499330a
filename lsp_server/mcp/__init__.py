"""The door for assistants: a Model Context Protocol server over the same engine, with read-only tools.

`server` alone knows the protocol's SDK. A tool (`tools`) is a function from a vault and checked arguments to an answer.
"""
