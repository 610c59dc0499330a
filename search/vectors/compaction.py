"""Writes the lines of a store that still count into a new generation of files.

Whatever happens on the way, the files that counted before go on counting until the last step, a rename.
"""

from collections.abc import Iterable
from pathlib import Path

from search.vectors.catalog import Catalog
from search.vectors.encoding import decode_rows, encode_rows
from search.vectors.partitions import (
    Placed,
    Tail,
    next_generation,
    partition_path,
    sync_folder,
)
from search.vectors.record import Header, Record, read_rows, write_record
from search.vectors.refusal import refused


def write_generation(
    folder: Path, lines: Iterable[tuple[Record, bytes, Header]], header: Header, *, partition_bytes: int
) -> Catalog:
    """The new generation, written and durable; each line comes with the header that it was written under.

    Raises:
        StoreError: it could not be written, and nothing has changed.
    """
    try:
        generation = next_generation(folder)
        final = partition_path(folder, generation, 1)
        tail = Tail.create(final.with_suffix(".jsonl.tmp"), header)
        catalog = Catalog(generation, {1: tail.partition})
        try:
            for record, old_line, old_header in lines:
                line = old_line if old_header == header else rewrite(record, old_line, old_header, header)
                if tail.is_full(len(line), partition_bytes):
                    tail.sync()
                    tail.close()
                    number = len(catalog.parts) + 1
                    tail = Tail.create(partition_path(folder, generation, number), header)
                    catalog.parts[number] = tail.partition
                offset = tail.append(line)
                catalog.apply(len(catalog.parts), Placed(record, offset, len(line)), header)
            tail.sync()
        finally:
            tail.close()
        sync_folder(folder)
        catalog.parts[1].path = catalog.parts[1].path.rename(final)
        sync_folder(folder)
    except OSError as error:
        raise refused(folder, "written", error) from error
    return catalog


def rewrite(record: Record, line: bytes, old: Header, new: Header) -> bytes:
    """The record with the vectors of a line that was written under another header."""
    rows = read_rows(line, old)
    if old.encoding is not new.encoding:
        rows = encode_rows(decode_rows(rows, old.encoding, old.n_dimensions), new.encoding)
    return write_record(record, rows, new)
