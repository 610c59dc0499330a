"""Files and open buffers as `Note` values. Parsing never fails; what could not be read has a notice.

Only this folder touches a vault's files. Nothing here writes to a vault.
"""
