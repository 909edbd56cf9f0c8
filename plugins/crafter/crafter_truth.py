"""Writes Crafter's true state, for evaluators only (the GameWorld state contract)."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import numpy as np
from crafter_world import MATERIALS, MOST_STEPS, VERSION, Life

SIGNS = {
    "grass": ".", "sand": ":", "path": "_", "water": "~", "stone": "#", "tree": "T", "lava": "!", "coal": "c",
    "iron": "i", "diamond": "d", "table": "B", "furnace": "F",
}  # fmt: skip
"""Material → sign, as in the manifest's legend."""
_LETTERS = np.array([" ", *(SIGNS[name] for name in MATERIALS)])
_TRIES, _RETRY_S = 50, 0.002


class TruthFile:
    """Writes the true state, whole each time.

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None

    def write(self, life: Life, turn_ms: int) -> None:
        """Write the present state. `turn_ms`: game time of a turn."""
        if self._path is None:
            return
        aside = self._path.with_name(self._path.name + ".tmp")
        aside.write_text(json.dumps(true_state(life, turn_ms)), encoding="utf-8")
        for _ in range(_TRIES):  # Windows refuses while somebody reads it
            with contextlib.suppress(PermissionError):
                aside.replace(self._path)
                return
            time.sleep(_RETRY_S)


def true_state(life: Life, turn_ms: int) -> dict[str, object]:
    """Return the state contract's fields."""
    player, achievements = life.player, life.achievements
    outcomes = {"death": "loss", "length": "draw", "": None}
    return {
        "gameId": "crafter",
        "version": VERSION,
        "seed": life.seed,
        "timestampMs": int(time.time() * 1000),
        "gameTimeMs": life.turns * turn_ms,
        "status": "terminal" if life.cause else "playing",
        "terminal": {
            "isTerminal": bool(life.cause),
            "outcome": outcomes[life.cause],
            "reason": life.cause or None,
        },
        "game_state": {
            "score": len(achievements),
            "level": 1,
            "progress": life.long_task,
            "player": {
                "x": int(player.pos[0]),
                "y": int(player.pos[1]),
                "facing": [int(part) for part in player.facing],
                "sleeping": bool(player.sleeping),
                "inventory": {name: int(amount) for name, amount in player.inventory.items()},
            },
            "board": {"width": 64, "height": 64, "daylight": round(float(life.world.daylight), 4)},
            "entities": _entities(life),
        },
        "metrics": {
            "long_task": life.long_task,
            "achievements": len(achievements),
            "steps": life.step,
            "alive": int(player.health > 0),
            "worlds": life.worlds,
        },
        "raw": {
            "achievements": achievements,
            "turns": life.turns,
            "most_steps": MOST_STEPS,
            "terrain": _terrain(life),
        },
    }


def _terrain(life: Life) -> list[str]:
    """Return the world's rows from top to bottom: a sign a tile."""
    return ["".join(row) for row in _LETTERS[life.materials].tolist()]


def _entities(life: Life) -> list[dict[str, object]]:
    """Return the creatures and plants that are near enough to be active."""
    player = life.player
    return [
        {"kind": type(thing).__name__.lower(), "x": int(thing.pos[0]), "y": int(thing.pos[1])}
        for thing in life.world.objects
        if thing is not player and player.distance(thing) <= 2 * 9
    ]
