"""Makes small demonstrations of a game that was never played."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.core.clock import NS_PER_S
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.writer import DemonstrationWriter

BEGAN_NS = 1_000 * NS_PER_S
SIZE = (16, 12)


def picture(at: int, size: tuple[int, int] = SIZE) -> Pixels:
    """A BGRX picture that differs with each number, with a square that wanders."""
    pixels = np.zeros((size[1], size[0], 4), np.uint8)
    pixels[..., 0] = at % 256
    left, top = at * 2 % max(1, size[0] - size[0] // 4), size[1] // 3
    pixels[top : top + size[1] // 4, left : left + size[0] // 4, 1] = 200
    return pixels


def begun(name: str = "20261123-192500-flappy", *, size: tuple[int, int] = SIZE) -> Demonstration:
    """Return a manifest as it is at the beginning of a recording."""
    return Demonstration(
        id=name,
        game="flappy",
        window="Flappy",
        picture_size=size,
        window_size=(160, 120),
        rate_fps=10,
        started_at="2026-11-23T19:25:00+00:00",
    )


def demonstrated(
    data: DataFolder,
    name: str = "20261123-192500-flappy",
    *,
    seconds: float = 12,
    size: tuple[int, int] = SIZE,
    start: Demonstration | None = None,
) -> Path:
    """Keep a demonstration: ten pictures a second, a flap each second, two episodes with a menu between."""
    folder = data.demonstrations / name
    with DemonstrationWriter(folder, start or begun(name, size=size)) as writer:
        frames = int(seconds * 10)
        for at in range(frames):
            now = BEGAN_NS + at * NS_PER_S // 10
            episode = -1 if frames // 2 <= at < frames // 2 + 5 else int(at > frames // 2)
            writer.picture(now, picture(at, size))
            writer.moment(now, episode, "playing" if episode >= 0 else "menu", {"score": at // 10})
            if at % 10 == 3:
                writer.event(now + 1, InputEvent(kind="key_down", key="Space"), "flap")
            if at % 10 == 5:
                writer.event(now + 1, InputEvent(kind="key_up", key="Space"), "flap")
            if at % 20 == 7:
                writer.event(now + 2, InputEvent(kind="mouse_down", button="left", x=80, y=30))
                writer.event(now + 3, InputEvent(kind="mouse_up", button="left", x=80, y=30))
    return folder
