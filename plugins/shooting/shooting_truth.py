"""The true state of a fight, for evaluators alone (the GameWorld state contract)."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from math import atan2, degrees, hypot
from pathlib import Path
from typing import Any

import vizdoom
from shooting_world import KILLS_TO_WIN, MONSTERS, SECONDS, START_TICS, TICS_PER_SECOND, VERSION, Speed

_EVERY_S = 0.25


class Phase(StrEnum):
    """Names of the screens in the state contract."""

    MENU = "menu"
    PLAYING = "playing"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Foe:
    """A monster, seen from the player.

    Attributes:
        bearing: degrees to the right of the cross-hair, −180 … 180. distance: map units.
    """

    name: str
    bearing: float
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Fight:
    """The present state of a fight.

    Attributes:
        tics: since it began. end: "", "kills", "death" or "time".
        angle: the player's direction, degrees counterclockwise.
    """

    number: int = 0
    seed: int = 0
    tics: int = 0
    kills: int = 0
    health: int = 100
    ammo: int = 0
    angle: float = 0.0
    foes: tuple[Foe, ...] = ()
    end: str = ""


def look(game: vizdoom.DoomGame, number: int, seed: int) -> Fight:
    """Return the fight that the engine holds. It ends by death first, then the third kill, then the clock."""
    kills, health, ammo, angle = (
        game.get_game_variable(variable) for variable in game.get_available_game_variables()
    )
    tics = max(0, game.get_episode_time() - START_TICS)
    end = ""
    if game.is_player_dead() or health <= 0:
        end = "death"
    elif kills >= KILLS_TO_WIN:
        end = "kills"
    elif tics >= SECONDS * TICS_PER_SECOND:
        end = "time"
    state = game.get_state()
    return Fight(
        number=number,
        seed=seed,
        tics=tics,
        kills=int(kills),
        health=max(0, int(health)),
        ammo=int(ammo),
        angle=round(angle, 2),
        foes=tuple(_foes(state.objects, angle)) if state is not None else (),
        end=end,
    )


def _foes(objects: Any, angle: float) -> list[Foe]:
    player = next((thing for thing in objects if thing.name == "DoomPlayer"), None)
    if player is None:
        return []
    foes = []
    for thing in objects:
        if thing.name in MONSTERS:
            x, y = thing.position_x - player.position_x, thing.position_y - player.position_y
            bearing = (angle - degrees(atan2(y, x)) + 180) % 360 - 180
            foes.append(Foe(name=thing.name, bearing=round(bearing, 2), distance=round(hypot(x, y), 1)))
    return sorted(foes, key=lambda foe: foe.distance)


class TruthFile:
    """Writes the true state, whole each time.

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str, speed: Speed, seed: int) -> None:
        self._path = Path(path) if path else None
        self._speed, self._seed = speed, seed
        self._due = 0.0
        self._known: tuple[object, ...] | None = None
        self._won = self._fights = 0

    def update(self, phase: Phase, fight: Fight) -> None:
        """Write the state when something that counts changed, and every quarter of a second."""
        known = (phase, fight.number, fight.kills, fight.health, fight.ammo, fight.end)
        if self._path is None or (known == self._known and time.monotonic() < self._due):
            return
        if phase is Phase.TERMINAL and (self._known is None or self._known[0] is not phase):
            self._fights += 1
            self._won += fight.end == "kills"
        self._known, self._due = known, time.monotonic() + _EVERY_S
        aside = self._path.with_name(self._path.name + ".tmp")
        aside.write_text(json.dumps(self._state(phase, fight)), encoding="utf-8")
        try:
            aside.replace(self._path)
        except PermissionError:  # Windows: it is being read; again on the next frame
            self._due = 0.0

    def _state(self, phase: Phase, fight: Fight) -> dict[str, object]:
        over = phase is Phase.TERMINAL
        outcome = ("win" if fight.end == "kills" else "loss") if over else None
        return {
            "gameId": "shooting",
            "version": VERSION,
            "seed": self._seed,
            "timestampMs": int(time.time() * 1000),
            "gameTimeMs": round(fight.tics * 1000 / TICS_PER_SECOND),
            "status": phase.value,
            "terminal": {"isTerminal": over, "outcome": outcome, "reason": fight.end or None},
            "game_state": {
                "score": fight.kills,
                "level": 1,
                "progress": min(1.0, fight.kills / KILLS_TO_WIN),
                "player": {"health": fight.health, "ammo": fight.ammo, "angle": fight.angle},
                "entities": [
                    {"kind": foe.name, "bearing": foe.bearing, "distance": foe.distance} for foe in fight.foes
                ],
            },
            "metrics": {
                "kills": fight.kills,
                "health": fight.health,
                "ammo": fight.ammo,
                "seconds": round(fight.tics / TICS_PER_SECOND, 2),
                "fights": self._fights,
                "won": self._won,
            },
            "raw": {"scenario": self._speed.value, "tics": fight.tics, "fight_seed": fight.seed},
        }
