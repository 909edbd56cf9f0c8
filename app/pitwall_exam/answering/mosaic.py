"""Lays the frames of many steps out in one picture, ten a row, each with its step's number."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

COLUMNS, CELL_PX, PER_PICTURE = 10, 160, 200
"""The source's configuration (mosaic_cols, mosaic_cell, mosaic_per_image)."""
_LABEL_PX = 18
_QUALITY = 90


def mosaics(frames: Sequence[tuple[int, bytes]]) -> list[tuple[str, bytes]]:
    """Return pictures (JPEG) of at most 200 frames each, with a line that names their steps.

    Args:
        frames: step number and PNG or JPEG, in order; a frame that cannot be read leaves its cell dark.
    """
    pictures = []
    for start in range(0, len(frames), PER_PICTURE):
        part = frames[start : start + PER_PICTURE]
        line = f"Frames of steps {part[0][0]} to {part[-1][0]}, row by row; each bears its step's number:"
        pictures.append((line, _mosaic(part)))
    return pictures


def _mosaic(frames: Sequence[tuple[int, bytes]]) -> bytes:
    columns = min(COLUMNS, len(frames))
    rows = -(-len(frames) // COLUMNS)
    sheet: NDArray[np.uint8] = np.zeros((rows * (CELL_PX + _LABEL_PX), columns * CELL_PX, 3), np.uint8)
    for at, (step, encoded) in enumerate(frames):
        top, left = at // COLUMNS * (CELL_PX + _LABEL_PX), at % COLUMNS * CELL_PX
        place = (left + 3, top + _LABEL_PX - 5)
        cv2.putText(sheet, str(step), place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (255, 255, 255), 1, cv2.LINE_AA)
        frame = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR) if encoded else None
        if frame is None:
            continue
        scale = CELL_PX / max(frame.shape[:2])
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_NEAREST
        small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=way)[:CELL_PX, :CELL_PX]
        top += _LABEL_PX
        sheet[top : top + small.shape[0], left : left + small.shape[1]] = small
    return bytes(cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])
