"""The small picture of a running game for the board."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2

from pitwall.core.frames import Pixels

PICTURE_FILE = "picture.png"
"""Name of the picture in a session's folder."""
_WIDEST_PX = 320


def write_picture(file: Path, pixels: Pixels) -> bool:
    """Write a frame as a PNG at most 320 pixels wide, atomically; return whether it was written.

    Args:
        pixels: (height, width, 4) uint8 BGRX.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, _WIDEST_PX / width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(pixels[:, :, :3], size, interpolation=cv2.INTER_AREA)
    made, png = cv2.imencode(".png", small, [cv2.IMWRITE_PNG_COMPRESSION, 3])
    aside = file.with_name(f".{file.name}.tmp")
    with contextlib.suppress(OSError):
        aside.write_bytes(png.tobytes())
        aside.replace(file)
        return bool(made)
    return False
