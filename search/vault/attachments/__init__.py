"""The text of attachments: PDF and office files.

Parsers run in a child process (`worker`, started by `child`), and what they find is kept by the content of the file
(`store`). `extraction` is the state of a vault's attachments. What a parser finds is JSON text (`extracted`), which
`vault/kinds` reads as it reads the text of any other file.
"""
