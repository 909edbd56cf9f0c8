"""Reads the Parquet tables of a LeRobot dataset, and checks the numbers and pictures in their cells."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from pitwall.core.bounded_reading import open_regular
from pitwall.core.errors import DamagedFile
from pitwall.core.frames import MOST_SIDE, Pixels
from pitwall_exchange.demonstrations.lerobot_form import ROWS_AT_ONCE

_FAULTS = (pa.ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError)
_MOST_COUNT = 1 << 53


def table_rows(file: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a dataset's table, limited to columns that it has; raises DamagedFile."""
    try:
        with open_regular(file) as stream, pq.ParquetFile(stream) as table:
            present = set(table.schema_arrow.names)
            if "episode_index" not in present:
                listed = ", ".join(table.schema_arrow.names[:12])
                raise DamagedFile(
                    file, f"has no column episode_index, only {listed}"[:400], expected="a LeRobot table"
                )
            wanted = [name for name in columns if name in present]
            for batch in table.iter_batches(ROWS_AT_ONCE, columns=wanted):
                yield from batch.to_pylist()
    except FileNotFoundError:
        raise DamagedFile(file, "is not there", expected="a Parquet file of the dataset") from None
    except _FAULTS as error:
        message = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise DamagedFile(file, f"is damaged: {message}", expected="a Parquet file") from None


def whole_number(file: Path, row: dict[str, Any], column: str, default: int | None = None) -> int:
    """Return the count in a cell, which may be a float without a fraction; raises DamagedFile."""
    value = row.get(column, default)
    if isinstance(value, int | float) and 0 <= value < _MOST_COUNT and not value % 1:
        return int(value)
    raise DamagedFile(
        file, f"holds {value!r:.40}", key=f"column {column}", expected="whole numbers from 0 on"
    )


def seconds(file: Path, row: dict[str, Any], column: str) -> float:
    """Return the time in a cell, 0 if there is no such column; raises DamagedFile."""
    value = row.get(column, 0.0)
    if isinstance(value, int | float) and 0 <= value < _MOST_COUNT:
        return float(value)
    raise DamagedFile(file, f"holds {value!r:.40}", key=f"column {column}", expected="seconds from 0 on")


def numbers(labels: Sequence[str], value: Any) -> dict[str, float]:
    """Return a vector's numbers by label; numbers that are not finite are absent."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return {
        label: float(number)
        for label, number in zip(labels, listed, strict=False)
        if isinstance(number, int | float) and math.isfinite(number)
    }


def decoded_picture(content: bytes | None) -> Pixels | None:
    """Decode an image file to (height, width, 3) BGR; None if it is damaged, or too large to be kept."""
    if not content:
        return None
    try:
        with Image.open(io.BytesIO(content)) as header:  # reads no more than the size
            if max(header.size) > MOST_SIDE:
                return None
        return cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)  # type: ignore[return-value]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, cv2.error):
        return None
