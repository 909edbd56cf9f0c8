"""Real runs in a real database, and a bridge without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from tests.plain_records import run_manifest, step_record

from pitwall.console.services.bridge import Bridge
from pitwall.core.actions import Effect, InputEvent, Proposal, Refusal, SemanticAction, SentEvent
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest, RunOutcome, RunSummary, Spread
from pitwall.core.settings import RecordingSettings, Settings
from pitwall.core.signals import Reason, Route, Signals, Thresholds
from pitwall.core.steps import RunEvent, StepRecord, Timings
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog


def _no_engine(*_: object) -> NoReturn:
    raise AssertionError("these pages start no engine")


def bridge_on(folder: Path) -> Bridge:
    """A bridge on a data folder, with no engine and no games."""
    return Bridge(DataFolder(folder), _no_engine, lambda: ())


def manifest(game: str = "Flappy Bird", started_at: str = "2025-03-01T12:00:00.000000+00:00") -> RunManifest:
    return run_manifest(
        game.split()[0].lower(),
        game_name=game,
        game_version="1.0.0",
        profile_hash="ab" * 32,
        role="bird",
        seed=7,
        started_at=started_at,
        settings=Settings().model_dump(),
        thresholds=Thresholds().model_dump(),
        versions={"pitwall": "0.1.0"},
    )


def step(number: int, *, frame_ref: str = "") -> StepRecord:
    """Step 1 is strategic, every fourth reflex; every fifth was refused."""
    route = Route.STRATEGIC if number % 10 == 1 else Route.REFLEX if number % 4 == 0 else Route.REACTIVE
    refused = Refusal.FOCUS if number % 5 == 0 else None
    key = InputEvent(kind="key_down", key="Space")
    return step_record(
        number,
        at_ns=number * 250_000_000,
        frame_id=number * 7,
        route=route,
        reasons=(Reason.SCENE, Reason.STALL) if route is Route.STRATEGIC else (),
        why=f"Sentence {number}: the gap is 14 px above the bird.",
        signals=Signals(change=0.41, stall=4),
        fields={"bird_y": 120.5, "score": number},
        proposal=Proposal(
            proposal_id=1,
            situation="before a pipe",
            subgoal="Pass the next pipe",
            source="model:tiny skill:fly",
        ),
        action=SemanticAction(name="flap"),
        sent=(SentEvent(event=key, sent_ns=None if refused else 5, refused=refused),),
        effect=Effect.CONFIRMED,
        timings=Timings(reaction_ms=None if refused else 3.25, frame_age_ms=2.0),
        frame_ref=frame_ref,
    )


def summary(steps: Sequence[StepRecord], outcome: RunOutcome = "finished") -> RunSummary:
    strategic = sum(item.route is Route.STRATEGIC for item in steps)
    return RunSummary(
        outcome=outcome,
        seconds=len(steps) / 4,
        steps=len(steps),
        frames=7 * len(steps),
        escalations={"scene": strategic, "stall": strategic},
        routes={"strategic": strategic, "reactive": len(steps) - strategic},
        refusals={"focus": len(steps) // 5},
        reaction_ms=Spread(p50=3.25, p95=3.9, p99=4.5, n=len(steps)),
    )


def record_run(
    data: DataFolder,
    count: int,
    *,
    game: str = "Flappy Bird",
    outcome: RunOutcome | None = "finished",
    frames: int = 0,
    events: Sequence[RunEvent] = (),
) -> int:
    """Record a run through the store; without an outcome it stays unfinished. Returns its id."""
    with RunLog.open(data) as log:
        run_id = log.begin(manifest(game))
        pictures = FrameStore(data.run(run_id), RecordingSettings(frame_format="png"))
        steps = []
        for number in range(1, count + 1):
            picture = np.full((48, 64, 4), (number % 200, 80, 160, 255), np.uint8)
            steps.append(step(number, frame_ref=pictures.save(number, picture) if number <= frames else ""))
        for start in range(0, count, 5_000):
            log.add_steps(run_id, steps[start : start + 5_000])
        for event in events:
            log.add_event(run_id, event)
        if outcome is not None:
            log.finish(run_id, summary(steps, outcome))
    return run_id
