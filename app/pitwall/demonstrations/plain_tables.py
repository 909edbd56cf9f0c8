"""Packs a demonstration's tables without pyarrow, which a fresh installation lacks for its first minutes.

A table is JSON lines; a picture is its BGR bytes under zlib, in base64. Only until the part is there: such a
chunk is larger, and takes longer to write.
"""

from __future__ import annotations

import base64
import io
import json
import zlib
from typing import Any

import numpy as np

from pitwall.core.frames import Pixels
from pitwall.demonstrations.manifest import Table

SUFFIX = "jsonl"
_LEVEL = 1
_MOST_PICTURE_BYTES = 256 * 1024 * 1024


def compressed(pixels: Pixels) -> bytes:
    """Compress a (height, width, 3) picture."""
    return zlib.compress(np.ascontiguousarray(pixels).tobytes(), _LEVEL)


def decompressed(content: bytes) -> bytes:
    """Return a picture's bytes.

    Raises:
        ValueError: the content is no compressed picture.
    """
    try:
        return zlib.decompressobj().decompress(content, _MOST_PICTURE_BYTES)
    except zlib.error as error:
        raise ValueError("is no compressed picture") from error


def packed_rows(name: Table, rows: list[dict[str, Any]]) -> io.BytesIO:
    """Pack a table's rows as JSON lines."""
    if name == "pictures":
        rows = [{**row, "pixels": base64.b64encode(row["pixels"]).decode()} for row in rows]
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def unpacked_rows(name: str, content: bytes) -> list[dict[str, Any]]:
    """Parse a table's rows.

    Raises:
        ValueError: the content is no such table.
    """
    rows = [json.loads(line) for line in content.splitlines()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("a line is no JSON object")
    if name == "pictures":
        for row in rows:
            row["pixels"] = base64.b64decode(str(row.get("pixels", "")), validate=True)
    return rows
