"""Files next to the notes, such as canvases and notebooks, read as notes.

Each kind is a function from the file's text to a `Reading`; `registry` lists them, `parse` makes notes of readings.
"""
