"""Turns whatever an environment renders into an RGB picture: grey, RGBA, floats, channels first, lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall_environments.gym.keyboard import UnsuitableEnvironment

_CHANNELS = (1, 3, 4)


def rgb_picture(rendered: Any) -> NDArray[np.uint8]:
    """Return a picture as RGB, uint8 (height, width, 3).

    Floats are 0 … 1, or 0 … 255 where one is above 1; whole numbers are 0 … 255, 16-bit ones 0 … 65535. An
    alpha channel is left out; of a list the last picture counts.

    Raises:
        UnsuitableEnvironment: it is no picture.
    """
    last = rendered[-1] if isinstance(rendered, list | tuple) and rendered else rendered
    picture = np.asarray(last) if last is not None else np.zeros(0)
    shaped = _channels_last(picture)
    if shaped is None or shaped.dtype.kind not in "buif":
        raise UnsuitableEnvironment(
            f"it renders {_described(rendered, picture)}: a picture of height × width was expected, in grey, "
            "RGB or RGBA.",
            "Choose an environment with the render mode rgb_array.",
        )
    levels = _bytes_of(shaped)
    return np.repeat(levels, 3, axis=2) if levels.shape[2] == 1 else np.ascontiguousarray(levels[:, :, :3])


def _channels_last(picture: NDArray[Any]) -> NDArray[Any] | None:
    """Return a picture as (height, width, channels); None if its shape is no picture's."""
    while picture.ndim > 3 and picture.shape[0] == 1:
        picture = picture[0]
    if picture.ndim == 2:
        picture = picture[:, :, np.newaxis]
    if picture.ndim != 3 or not picture.size:
        return None
    if picture.shape[2] not in _CHANNELS and picture.shape[0] in _CHANNELS:
        picture = picture.transpose(1, 2, 0)
    return picture if picture.shape[2] in _CHANNELS else None


def _bytes_of(picture: NDArray[Any]) -> NDArray[np.uint8]:
    if picture.dtype == np.uint8:
        return picture
    if picture.dtype == np.bool_:
        return picture.astype(np.uint8) * 255
    if picture.dtype == np.uint16:
        return (picture >> 8).astype(np.uint8)
    numbers = np.nan_to_num(picture.astype(np.float64), nan=0.0, posinf=255.0, neginf=0.0)
    if picture.dtype.kind == "f" and numbers.max() <= 1.0:
        numbers = numbers * 255
    return np.clip(np.round(numbers), 0, 255).astype(np.uint8)


def _described(rendered: Any, picture: NDArray[Any]) -> str:
    if rendered is None:
        return "nothing"
    if isinstance(rendered, list | tuple) and not rendered:
        return "an empty list"
    if picture.dtype.kind not in "buif":
        return f"a {type(rendered).__name__}"
    shape = " × ".join(map(str, picture.shape)) or "no size"
    return f"an array of {picture.dtype} of shape {shape}"
