"""Shooting's hall without a window, and what the state reader makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from shooting_truth import Fight, look
from shooting_world import HEIGHT, WIDTH, Speed, new_game

from pitwall.core.frames import Frame
from pitwall.core.geometry import Rect
from pitwall.core.observations import Value
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Profile

SHOOTING = Path(__file__).resolve().parents[3] / "plugins" / "shooting"


class Hall:
    """An engine that is stepped tic by tic.

    Args:
        game: started.
        profile: whose fields are read.
    """

    def __init__(self, game: Any, profile: Profile) -> None:
        self.game = game
        self.profile = profile
        self._reader = StateReader(profile, SHOOTING)

    def tics(self, count: int, *, left: bool = False, right: bool = False, fire: bool = False) -> None:
        for _ in range(count):
            self.game.make_action([int(left), int(right), int(fire), 0])

    def fight(self) -> Fight:
        return look(self.game, 1, 0)

    def read(self) -> dict[str, Value]:
        """Every field of the picture as it is, and the status."""
        pixels = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        pixels[..., :3] = self.game.get_state().screen_buffer
        frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=pixels, window=Rect(0, 0, WIDTH, HEIGHT))
        values = {name: reading.value for name, reading in self._reader.read(frame, None).items()}
        return {**values, "status": status(self.profile.status, values).value}


@contextmanager
def hall(speed: Speed, seed: int, folder: Path) -> Iterator[Hall]:
    """An engine for the time of the block."""
    game = new_game(speed, seed, folder, visible=False)
    game.init()
    try:
        yield Hall(game, load_profile(SHOOTING))
    finally:
        game.close()
