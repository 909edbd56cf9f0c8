"""Encodes frames as JPEG pictures for a model."""

from __future__ import annotations

import cv2

from pitwall.core.frames import Pixels

_JPEG_QUALITY = 90


def size_sent(pixels: Pixels, longest_px: int) -> tuple[int, int]:
    """Return width and height of a frame's picture, at most `longest_px` on its long side."""
    height, width = pixels.shape[:2]
    scale = min(1.0, longest_px / max(height, width))
    return max(1, round(width * scale)), max(1, round(height * scale))


def encode_jpeg(pixels: Pixels, longest_px: int) -> tuple[bytes, int, int]:
    """Return a frame as JPEG, at most `longest_px` on its long side, with its width and height."""
    size = size_sent(pixels, longest_px)
    picture = cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR)
    if size != picture.shape[1::-1]:
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return data.tobytes(), int(picture.shape[1]), int(picture.shape[0])
