"""The text of attachments: PDF and office files.

Parsers run in a child process (`worker`, started by `child`), and what they find is kept by the content of the file
(`store`). `attachments` knows which files of a vault are still to be parsed. What a parser finds is JSON (`extracted`),
which `vault/kinds` reads as it reads the text of any other file.
"""
