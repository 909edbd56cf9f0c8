"""Real frames, and SPEC §1's descriptor as Pillow renders it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from pitwall.core.frames import Pixels

FRAMES = Path(__file__).resolve().parents[1] / "frames"
"""Freedoom in chocolate-doom at 640×480 (BSD licence), lossless."""


@pytest.fixture(scope="session")
def doom_frames() -> list[Pixels]:
    """Four places of a level and its menu, BGRX."""
    names = ("start", "walk", "corridor", "menu", "shots")
    pictures = [cv2.imread(str(FRAMES / f"doom_{name}.webp")) for name in names]
    assert all(picture is not None for picture in pictures)
    return [
        np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8)
        for picture in pictures
        if picture is not None
    ]


@pytest.fixture(scope="session")
def pillow_descriptor() -> Callable[[Pixels], NDArray[np.float64]]:
    """The plain rendering: grey, 32×32 bilinear, [0, 1], minus the mean, unit length; flat → zeros."""

    def render(pixels: Pixels) -> NDArray[np.float64]:
        height, width = pixels.shape[:2]
        data = np.ascontiguousarray(pixels)
        picture = Image.frombuffer("RGB", (width, height), data, "raw", "BGRX", 0, 1).convert("L")
        values = np.asarray(picture.resize((32, 32), Image.Resampling.BILINEAR), np.float64).ravel() / 255
        values -= values.mean()
        length = float(np.linalg.norm(values))
        return values / length if length > 1e-9 else np.zeros(1024)

    return render
