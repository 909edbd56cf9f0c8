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
        many = spaces.Box(-1, 1, (40,), np.float32)
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


class Own(Corridor):
    """A corridor that runs in real time, with its own way of one thing."""

    mission = ""

    def __init__(self, render_mode: str | None = None, way: str = "", **given: Any) -> None:
        super().__init__(render_mode)
        self.way = way
        self.given = given
        self.action_space = given.get("space", spaces.Discrete(5))
        self.steps = 0
        if way == "dummy":
            os.environ["SDL_VIDEODRIVER"] = "dummy"

    def get_keys_to_action(self) -> Any:
        return self.given.get("keys", {"": 0, "w": 1})

    def reset(self, **given: Any) -> Any:
        if self.way in ("quits", "opens"):
            import pygame

            pygame.quit() if self.way == "quits" else pygame.init()
        observation, info = super().reset(**given)
        return observation if self.way == "old reset" else (observation, info)

    def step(self, _action: Any) -> Any:
        self.steps += 1
        reward = self.given.get("rewards", [1.0])[self.steps % len(self.given.get("rewards", [1.0]))]
        if self.way == "leaves":
            raise SystemExit(0)
        values = (0, reward, np.array([False]), np.bool_(False), None)
        return values[: int(self.given.get("values", 5))]

    def render(self) -> Any:
        if self.way == "opens":
            import pygame

            pygame.display.set_mode((64, 64)).fill((10, 200, 10))
            pygame.display.flip()
        return self.given["picture"] if "picture" in self.given else super().render()


for _way in ("dummy", "quits", "opens", "leaves"):
    gymnasium.register(f"Own{_way.capitalize()}-v0", f"{__name__}:Own", kwargs={"way": _way})
gymnasium.register("OwnNan-v0", f"{__name__}:Own", kwargs={"rewards": [1.0, float("nan")]})
gymnasium.register("OwnFour-v0", f"{__name__}:Own", kwargs={"values": 4})
