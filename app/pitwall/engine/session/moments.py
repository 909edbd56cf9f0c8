"""Moments of a game that a later frame is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.frames import Pixels
from pitwall.core.observations import GameStatus


@dataclass(frozen=True, slots=True)
class SceneSnapshot:
    """The scene at the moment when a planner or model was asked about it."""

    status: GameStatus
    descriptor: NDArray[np.float32]


@dataclass(slots=True)
class StepReference:
    """The frame of a player's last step, which changes are measured against."""

    descriptor: NDArray[np.float32] | None = None
    pixels: Pixels | None = None
    at_ns: int = 0
