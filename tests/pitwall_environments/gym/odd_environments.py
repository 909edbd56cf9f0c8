"""Registers environments that are wrong in one way each, and one that is right."""

from __future__ import annotations

import os
import time
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Corridor(gymnasium.Env[Any, Any]):
    """Four cells, the last one rewards; it goes by turns. `fault` names what goes wrong."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012
    mission = "walk to the end"

    def __init__(self, render_mode: str | None = None, fault: str = "") -> None:
        self.render_mode, self.fault = render_mode, fault
        many = spaces.Box(-1, 1, (12,), np.float32)
        self.action_space: Any = many if fault == "continuous" else spaces.Discrete(2)
        self.observation_space = spaces.Discrete(4)
        self.at = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed, options=options)
        if self.fault == "reset":
            raise RuntimeError("no world today")
        self.at = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if self.fault == "step":
            raise ValueError("the wheel came off")
        if self.fault == "hang":
            time.sleep(3600)
        if self.fault == "prints":
            os.write(1, b"noise\n" * 1000)
        self.at = max(0, self.at + (1 if action else -1))
        return self.at, float(self.at == 3), self.at == 3, False, {}

    def render(self) -> Any:
        if self.fault == "dark":
            return None
        wide = 40 + 10 * self.at if self.fault == "grows" else 40
        picture = np.zeros((20, wide, 3), np.uint8)
        picture[:, self.at * 10 : self.at * 10 + 10] = (0, 200, 0)
        return picture


FAULTS = ("", "reset", "step", "hang", "prints", "dark", "grows", "continuous")
for _fault in FAULTS:
    gymnasium.register(f"Corridor{_fault.capitalize()}-v0", f"{__name__}:Corridor", kwargs={"fault": _fault})
