"""Makes manifests and steps of runs for tests, which name only what they are about."""

from __future__ import annotations

from typing import Any

from pitwall.core.observations import GameStatus
from pitwall.core.runs import RunManifest
from pitwall.core.signals import Route, Signals
from pitwall.core.steps import StepRecord


def run_manifest(game_id: str = "flappy", **values: Any) -> RunManifest:
    """Return the manifest of a run by the skills, with other values where they are given."""
    usual: dict[str, Any] = {
        "game_name": game_id.title(),
        "game_version": "1",
        "profile_hash": "0" * 64,
        "role": "player",
        "planner": "skills",
        "seed": 1,
        "started_at": "2026-01-02T03:04:05.000006+00:00",
        "settings": {},
        "thresholds": {},
        "versions": {},
        "screen": (288, 512),
    }
    return RunManifest(game_id=game_id, **{**usual, **values})


def step_record(step: int, **values: Any) -> StepRecord:
    """Return a reactive step in play; `at_ns` and `action` are required, other values are taken as given."""
    usual: dict[str, Any] = {
        "frame_id": step,
        "status": GameStatus.PLAYING,
        "route": Route.REACTIVE,
        "reasons": (),
        "why": "",
        "signals": Signals(),
    }
    return StepRecord(step=step, **{**usual, **values})
