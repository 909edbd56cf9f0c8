"""Packs and unpacks a demonstration's three tables, and its pictures without loss.

Imported on first use: pyarrow takes a tenth of an engine's start, and few runs record.

A picture is its BGR bytes under zstd level 1. Measured on 150 pictures of flappy and crafter, milliseconds of
processor time and KiB a picture: 84 × 84 0.02 ms and 1.5, 0.04 ms and 5.5 (PNG level 1: 0.26 ms and 1.9,
0.30 ms and 6.3); 640 × 480 0.27 ms and 7.2, 1.1 ms and 55 (PNG: 5.8 ms and 15, 8.1 ms and 87). Lossless
WebP took 5 to 60 times PNG's time at its own settings. Differences to the previous picture saved a fifth with
crafter and nothing with flappy, and then no picture could be read alone.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pitwall.core.errors import DamagedFile
from pitwall.core.frames import Pixels
from pitwall.demonstrations import plain_tables
from pitwall.demonstrations.manifest import Table

SUFFIX = "parquet"
_SCHEMAS = {
    "pictures": pa.schema([("at_ns", pa.int64()), ("pixels", pa.binary())]),
    "events": pa.schema(
        [
            ("at_ns", pa.int64()),
            ("kind", pa.string()),
            ("key", pa.string()),
            ("button", pa.string()),
            ("x", pa.float32()),
            ("y", pa.float32()),
            ("dx", pa.int32()),
            ("dy", pa.int32()),
            ("action", pa.string()),
            ("would", pa.string()),
        ]
    ),
    "moments": pa.schema(
        [("at_ns", pa.int64()), ("episode", pa.int32()), ("status", pa.string()), ("fields", pa.string())]
    ),
}
_ZSTD = pa.Codec("zstd", compression_level=1)


def compressed(pixels: Pixels) -> bytes:
    """Compress a (height, width, 3) picture."""
    return bytes(_ZSTD.compress(np.ascontiguousarray(pixels).reshape(-1), asbytes=True))


def decompressed(content: bytes, size: tuple[int, int]) -> Pixels:
    """Return a (height, width, 3) BGR picture, read-only.

    Args:
        size: width and height.

    Raises:
        ValueError: the bytes are no picture of this size.
    """
    width, height = size
    try:
        raw = _ZSTD.decompress(content, decompressed_size=width * height * 3, asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"is no compressed picture of {width} × {height} pixels") from error
    if len(raw) != width * height * 3:
        raise ValueError(f"is no picture of {width} × {height} pixels")
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3)


def packed_rows(name: Table, rows: list[dict[str, Any]]) -> io.BytesIO:
    """Pack a table's rows as a Parquet file."""
    content = io.BytesIO()
    compression = "none" if name == "pictures" else "zstd"  # each picture is compressed already
    pq.write_table(pa.Table.from_pylist(rows, _SCHEMAS[name]), content, compression=compression)
    return content


def unpacked_table(file: Path, content: bytes, name: str, *, fix: str) -> pa.Table:
    """Parse a table's columns, of a Parquet file or of JSON lines (`plain_tables`).

    Raises:
        DamagedFile: it is no such file, or has other columns.
    """
    schema = _SCHEMAS[name]
    try:
        if file.suffix == f".{plain_tables.SUFFIX}":
            table = _plain_table(name, content)
        else:
            table = pq.read_table(pa.BufferReader(content), schema=schema)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        message = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise DamagedFile(
            file, f"is damaged: {message}", expected=f"a table with {', '.join(schema.names)}", fix=fix
        ) from None
    for column in ("at_ns", "pixels", "kind", "episode"):
        if column in schema.names and table[column].null_count:
            raise DamagedFile(
                file, "has empty cells", key=column, expected=str(schema.field(column).type), fix=fix
            )
    return table


def _plain_table(name: str, content: bytes) -> pa.Table:
    """Turn a table of JSON lines into columns, its pictures compressed as `compressed` does it."""
    rows = plain_tables.unpacked_rows(name, content)
    if name == "pictures":
        rows = [
            {**row, "pixels": bytes(_ZSTD.compress(plain_tables.decompressed(row["pixels"]), asbytes=True))}
            for row in rows
        ]
    return pa.Table.from_pylist(rows, _SCHEMAS[name])
