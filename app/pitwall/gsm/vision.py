"""A policy's view of a picture: a part of it, grey, small; the same in training and in play."""

from __future__ import annotations

from collections import deque
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from pitwall.games.schema.fields import Box
from pitwall.games.schema.modules import VisionInput
from pitwall.games.schema.profile import Screen

_TO_GREY = {"bgrx": cv2.COLOR_BGRA2GRAY, "bgr": cv2.COLOR_BGR2GRAY, "rgb": cv2.COLOR_RGB2GRAY}
Form = Literal["bgrx", "bgr", "rgb"]


class PixelStack:
    """The stack of the newest pictures.

    Args:
        vision: part of the picture, size, number of pictures.
        screen: the size that `vision.box` is given in; pictures of other sizes are cut in proportion.
    """

    def __init__(self, vision: VisionInput, screen: Screen) -> None:
        self._vision = vision
        self._screen = screen
        self._newest: deque[NDArray[np.uint8]] = deque(maxlen=vision.frames)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the height and width of one picture."""
        return self._vision.height, self._vision.width

    def forget(self) -> None:
        """Empty the stack: an episode's first picture fills it."""
        self._newest.clear()

    def see(self, pixels: NDArray[np.uint8], form: Form) -> NDArray[np.uint8]:
        """Add a picture, (height, width, 4 or 3); return the stack (frames, height, width), oldest first."""
        picture = self.shrink(pixels, form)
        missing = self._vision.frames - len(self._newest)
        self._newest.extend([picture] * max(1, missing))
        return np.stack(self._newest)

    def shrink(self, pixels: NDArray[np.uint8], form: Form) -> NDArray[np.uint8]:
        """Shrink one picture to grey (height, width)."""
        pixels = part_of(pixels, self._vision.box, self._screen)
        grey = cv2.cvtColor(pixels, _TO_GREY[form])
        size = (self._vision.width, self._vision.height)
        return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)


def part_of(pixels: NDArray[np.uint8], box: Box | None, screen: Screen) -> NDArray[np.uint8]:
    """Cut a box, in the screen's pixels, out of a picture of any size; None: the whole picture."""
    if box is None:
        return pixels
    x, y, width, height = box
    across, down = pixels.shape[1] / screen.width, pixels.shape[0] / screen.height
    top, left = round(y * down), round(x * across)
    rows = pixels[top : max(top + 1, round((y + height) * down)), left:]
    return rows[:, : max(1, round(width * across))]
