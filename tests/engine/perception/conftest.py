"""Profiles, frames and readers for the perception tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading
from pitwall.engine.perception.reader import StateReader
from pitwall.games.schema.profile import Profile

Read = Callable[..., dict[str, Reading]]
FRAMES = Path(__file__).resolve().parents[1] / "frames"


def _profile(width: int, height: int, *fields: dict[str, Any], **tables: Any) -> Profile:
    return Profile.model_validate(
        {
            "schema": 1,
            "game": {"id": "test", "name": "Test"},
            "screen": {"width": width, "height": height},
            "actions": [{"name": "wait", "wait": True}],
            "fields": list(fields),
            **tables,
        }
    )


def _frame(pixels: Pixels, captured_ns: int = 0) -> Frame:
    height, width = pixels.shape[:2]
    return Frame(
        frame_id=1,
        captured_ns=captured_ns,
        ready_ns=captured_ns,
        pixels=pixels,
        window=Rect(0, 0, width, height),
    )


@pytest.fixture(scope="session")
def make_profile() -> Callable[..., Profile]:
    """(width, height, *fields, **tables) → a profile that is otherwise empty."""
    return _profile


@pytest.fixture(scope="session")
def make_frame() -> Callable[..., Frame]:
    """(pixels, captured_ns) → a frame."""
    return _frame


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """(pixels, *fields, screen, folder, reference) → readings of those fields."""

    def _read(
        pixels: Pixels,
        *fields: dict[str, Any],
        screen: tuple[int, int] | None = None,
        folder: Path | None = None,
        reference: Pixels | None = None,
    ) -> dict[str, Reading]:
        width, height = screen or (pixels.shape[1], pixels.shape[0])
        reader = StateReader(_profile(width, height, *fields), folder or tmp_path)
        return reader.read(_frame(pixels), reference)

    return _read


@pytest.fixture
def canvas() -> Callable[..., Pixels]:
    """(width, height, *(x, y, w, h, (red, green, blue))) → rectangles on black, BGRX."""

    def draw(width: int, height: int, *rectangles: tuple[int, int, int, int, tuple[int, int, int]]) -> Pixels:
        pixels = np.zeros((height, width, 4), np.uint8)
        for x, y, w, h, (red, green, blue) in rectangles:
            pixels[y : y + h, x : x + w, :3] = (blue, green, red)
        return pixels

    return draw


@pytest.fixture(scope="session")
def doom() -> Callable[[str], Pixels]:
    """A frame of Freedoom in chocolate-doom at 640×480: start, walk, corridor, menu, shots."""

    def load(name: str) -> Pixels:
        picture = cv2.imread(str(FRAMES / f"doom_{name}.webp"))
        assert picture is not None
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2BGRA), np.uint8)

    return load
