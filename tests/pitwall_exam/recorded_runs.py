"""Recorded runs for tests of exams: written through the store, of any game."""

from __future__ import annotations

from dataclasses import replace

from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import SemanticAction
from pitwall.core.paths import DataFolder
from pitwall.core.runs import RunManifest
from pitwall.core.signals import Reason, Route, Signals
from pitwall.core.steps import StepRecord
from pitwall.store.run_log import RunLog
from pitwall_exam.questions.making import sealed
from pitwall_exam.questions.paper import Exam

ACTIONS = ("flap", "wait", "wait", "flap", "press_start")


def recorded(
    data: DataFolder,
    steps: int,
    *,
    game: str = "flappy",
    profile_hash: str = "ab" * 32,
    frames: bool = False,
) -> int:
    """A run of so many steps, with names of frames if wanted; returns its id."""
    with RunLog.open(data) as log:
        run_id = log.begin(_manifest(game, profile_hash))
        log.add_steps(
            run_id,
            [
                replace(_step(number), frame_ref=f"frames/{number:06d}.png" if frames else "")
                for number in range(1, steps + 1)
            ],
        )
    return run_id


def with_a_reason(exam: Exam) -> Exam:
    """The exam with one question more, about a reason: such runs have none."""
    asked = exam.questions[0].model_copy(
        update={"id": "900", "template": "S_reason", "text": "Which reason was given for step 3?"}
    )
    return sealed(exam.model_copy(update={"questions": (*exam.questions, asked)}))


def _manifest(game: str, profile_hash: str) -> RunManifest:
    return run_manifest(
        game, game_version="1.0", profile_hash=profile_hash, seed=7, thresholds={"scene_change": 0.5}
    )


def _step(number: int) -> StepRecord:
    strategic = number % 4 == 1
    return step_record(
        number,
        at_ns=number * 250_000_000,
        route=Route.STRATEGIC if strategic else Route.REACTIVE,
        reasons=(Reason.REFRESH,) if strategic else (),
        why="Between two pipes: hold the height." if number % 3 else "A pipe is near: climb.",
        signals=Signals(change=0.1),
        fields={"bird_y": 200 + 3 * (number % 11), "score": number // 9, "dead": False, "label": "ready"},
        action=SemanticAction(name=ACTIONS[number % len(ACTIONS)]),
    )
