"""Writes the true state of the story's window, for evaluators only (the GameWorld state contract)."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from story_machine import Now

_TRIES, _RETRY_S = 50, 0.002


@dataclass
class StoryRecord:
    """A story so far.

    Attributes:
        story: name of its file. begun: number of starts. turns: lines typed since the last start.
        most: the highest possible score; None: the story does not name it.
        command, printed: the last line typed, and the story's answer.
        possible: commands that would do something now.
        places: names of the locations seen since it began.
    """

    story: str
    seed: int
    most: int | None = None
    begun: int = 0
    turns: int = 0
    command: str = ""
    printed: str = ""
    possible: tuple[str, ...] = ()
    places: set[str] = field(default_factory=set)


class TruthFile:
    """Writes the true state, whole each time.

    Args:
        path: file; empty: nothing is written.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path) if path else None

    def write(self, record: StoryRecord, now: Now) -> None:
        """Write the present state."""
        if self._path is None:
            return
        aside = self._path.with_name(self._path.name + ".tmp")
        aside.write_text(json.dumps(true_state(record, now)), encoding="utf-8")
        for _ in range(_TRIES):  # Windows refuses while somebody reads it
            with contextlib.suppress(PermissionError):
                aside.replace(self._path)
                return
            time.sleep(_RETRY_S)


def true_state(record: StoryRecord, now: Now) -> dict[str, object]:
    """Return the state contract's fields."""
    score = now.score or 0
    outcome = ("win" if now.won else "loss") if now.ending else None
    return {
        "gameId": "story",
        "version": "1.1.0",
        "seed": record.seed,
        "timestampMs": int(time.time() * 1000),
        "gameTimeMs": record.turns * 1000,
        "status": "terminal" if now.ending else "playing",
        "terminal": {"isTerminal": bool(now.ending), "outcome": outcome, "reason": now.ending or None},
        "game_state": {
            "score": score,
            "level": 1,
            "progress": score / record.most if record.most else 0.0,
            "player": {"location": now.place, "inventory": list(now.carried or ())},
            "board": {"observation": record.printed, "valid": list(record.possible)},
            "entities": [],
        },
        "metrics": {
            "score": score,
            "moves": now.moves or 0,
            "items": len(now.carried or ()),
            "places": len(record.places),
            "won": int(now.won),
            "stories": record.begun,
        },
        "raw": {"story": record.story, "command": record.command, "turns": record.turns, "most": record.most},
    }
