"""Recorded play of a small game by chance, for designs."""

from __future__ import annotations

import random

from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import Effect, InputEvent, SemanticAction, SentEvent
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunSummary
from pitwall.core.settings import RecordingSettings
from pitwall.core.signals import Route
from pitwall.store.frames import FrameStore
from pitwall.store.run_log import RunLog


def record_play(
    data: DataFolder,
    game_id: str,
    actions: tuple[str, ...],
    fields: tuple[str, str],
    picture: Pixels | None = None,
) -> None:
    """Record chance play: the first two actions move the first field; a third one never does anything.

    Args:
        picture: of every step; None keeps none.
    """
    dice = random.Random(7)
    bat, ball, score = 160.0, 160.0, 0
    manifest = run_manifest(
        game_id,
        game_name="Bat",
        game_version="1.0.0",
        profile_hash="0",
        role="",
        planner="explore",
        screen=(320, 240),
    )
    with RunLog.open(data) as log:
        run = log.begin(manifest)
        frames = FrameStore(data.run(run), RecordingSettings())
        for step in range(1, 241):
            name = dice.choice(actions)
            sent = SentEvent(event=InputEvent(kind="key_down", key="Left"), sent_ns=step)
            log.add_step(
                run,
                step_record(
                    step,
                    at_ns=step * 200_000_000,
                    route=Route.STRATEGIC,
                    why="by chance",
                    fields={fields[0]: bat, fields[1]: ball, "score": score},
                    action=SemanticAction(name=name),
                    sent=(sent,),
                    effect=Effect.CONFIRMED if name in actions[:2] else Effect.NONE,
                    frame_ref=frames.save(step, picture) if picture is not None else "",
                ),
            )
            bat += {actions[0]: -12.0, actions[1]: 12.0}.get(name, 0.0)
            ball += dice.uniform(-20, 20)
            score += abs(bat - ball) < 60
        log.finish(run, RunSummary(steps=240))
