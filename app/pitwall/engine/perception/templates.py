"""Pictures of a game's folder, which are found in a frame by normalised correlation.

A picture with transparent parts is compared only where it is opaque, by mean square difference:
its background may be anything. An opaque picture is compared by its correlation coefficient,
which ignores brightness and contrast (fades, tints).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels

_OPAQUE = 128
WORST_RMS = 128.0
"""Root mean square difference, in levels, at which a masked picture scores 0."""


class TemplateError(PitwallError):
    """A picture that a field of the manifest names cannot be used."""


@dataclass(frozen=True, slots=True)
class Template:
    """A picture at one scale.

    Attributes:
        pixels: (height, width, 3) uint8, BGR.
        mask: (height, width) uint8, 255 where it is opaque; None if it is opaque everywhere.
    """

    pixels: Pixels
    mask: Pixels | None

    @property
    def size(self) -> tuple[int, int]:
        return int(self.pixels.shape[1]), int(self.pixels.shape[0])

    def scaled(self, scale_x: float, scale_y: float) -> Template:
        """Return the picture for another window size: pixels are repeated, or averaged when shrinking."""
        if scale_x == scale_y == 1.0:
            return self
        width, height = self.size
        size = (max(1, round(width * scale_x)), max(1, round(height * scale_y)))
        how = cv2.INTER_AREA if min(scale_x, scale_y) < 1.0 else cv2.INTER_NEAREST
        mask = None if self.mask is None else _resized(self.mask, size, cv2.INTER_NEAREST)
        if mask is not None and not mask.any():  # only a transparent corner is left
            mask = None
        return Template(_resized(self.pixels, size, how), mask)

    def scores(self, picture: Pixels) -> NDArray[np.float32]:
        """Return the likeness (1: equal) at each place in a BGR picture; empty if it does not fit in."""
        width, height = self.size
        if picture.shape[0] < height or picture.shape[1] < width:
            return np.empty((0, 0), np.float32)
        if self.mask is None:
            return np.asarray(cv2.matchTemplate(picture, self.pixels, cv2.TM_CCOEFF_NORMED), np.float32)
        squares = cv2.matchTemplate(picture, self.pixels, cv2.TM_SQDIFF, mask=self.mask)
        mean = np.maximum(np.asarray(squares, np.float32), 0.0) / (3.0 * max(1, cv2.countNonZero(self.mask)))
        return (1.0 - np.sqrt(mean) / WORST_RMS).astype(np.float32)


def load_template(file: Path, key: str) -> Template:
    """Read a picture.

    Args:
        key: the manifest's key that names it, for the error.

    Raises:
        TemplateError: it is missing, no picture, or all one colour.
    """
    if not file.is_file():
        raise TemplateError(f"{key}: there is no file {file}.", "Add the picture, or correct the name.")
    data = np.frombuffer(file.read_bytes(), np.uint8)
    read = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if read is None:
        raise TemplateError(f"{key}: {file} is not a readable picture.", "Save it as PNG, 8 bits a channel.")
    if read.dtype != np.uint8:
        raise TemplateError(f"{key}: {file} has {read.dtype} values.", "Save it as PNG, 8 bits a channel.")
    picture = np.asarray(read, np.uint8)
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, axis=2)
    pixels: Pixels = np.ascontiguousarray(picture[..., :3])
    mask = _mask(picture)
    shown = pixels.reshape(-1, 3) if mask is None else pixels[mask > 0]
    if mask is None and not (shown != shown[0]).any():
        raise TemplateError(
            f"{key}: {file} is all one colour and would be found everywhere.", "Use a field of kind colour."
        )
    return Template(pixels, mask)


def _mask(picture: NDArray[np.uint8]) -> Pixels | None:
    if picture.shape[2] < 4:
        return None
    opaque = picture[..., 3] >= _OPAQUE
    if opaque.all() or not opaque.any():
        return None
    return np.where(opaque, 255, 0).astype(np.uint8)


def _resized(picture: Pixels, size: tuple[int, int], how: int) -> Pixels:
    return np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8)
