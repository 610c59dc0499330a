"""The language server and the command line; the only package that knows the Language Server Protocol."""
