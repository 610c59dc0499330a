"""Reads a vault's files and the editor's open buffers into `Note` values. Parsing never fails; problems become notices.

Inside `search`, only this folder accesses a vault's files. It never writes to a vault.
"""
