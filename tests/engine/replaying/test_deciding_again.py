"""A recorded run decided again: by the same agent, by other agents, by a module frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import NO_OP, Effect, Proposal, SemanticAction
from pitwall.core.errors import PitwallError, UnknownRun
from pitwall.core.observations import GameStatus
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Route, Thresholds
from pitwall.core.steps import ReflexRecord, StepRecord
from pitwall.engine.replaying.deciding_again import DecidedAgain
from pitwall.engine.replaying.replay import Replay
from pitwall.store.run_log import RunLog

_FLAP = SemanticAction(name="flap")
_FLIES = Proposal(proposal_id=1, situation="", subgoal="", module="fly")
_HIGH = {"bird_y": 100.0, "speed": 0.0, "low": 110.0, "above": 100.0}
_LOW = {"bird_y": 300.0, "speed": 5.0, "low": 317.0, "above": -5.0}


def _step(number: int, status: GameStatus, action: SemanticAction = NO_OP, **more: object) -> StepRecord:
    step = step_record(
        number,
        at_ns=number * 10**9,
        status=status,
        why="because",
        fields=dict(_HIGH),
        action=action,
        effect=Effect.CONFIRMED,
    )
    return replace(step, **more)  # type: ignore[arg-type]


def _frame(at_ms: int, action: int, fields: dict[str, float], version: str = "shipped") -> ReflexRecord:
    return ReflexRecord(
        step=3,
        at_ns=at_ms * 10**6,
        module="fly",
        version=version,
        start=1,
        action=action,
        values={**fields, "status": "playing"},
    )


_STEPS = (
    _step(1, GameStatus.MENU, _FLAP),
    _step(2, GameStatus.MENU, SemanticAction(name="glide")),
    _step(3, GameStatus.PLAYING, route=Route.REFLEX, proposal=_FLIES),
    _step(4, GameStatus.PLAYING, route=Route.REFLEX, proposal=_FLIES),
)
_FRAMES = (_frame(3000, 0, _HIGH), _frame(3100, 1, _LOW), _frame(3200, 0, _LOW), _frame(3250, -1, _LOW))


@pytest.fixture
def recorded(tmp_path: Path) -> DataFolder:
    data = DataFolder(tmp_path)
    manifest = run_manifest(role="bird", thresholds=Thresholds().model_dump())
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_steps(run_id, _STEPS)
        log.add_reflexes(run_id, [*_FRAMES, _frame(4000, 1, _LOW, version="v9")])
    return data


def _decided(again: Replay) -> Sequence[DecidedAgain]:
    return list(again.decided())


def test_skills_differ_only_where_another_action_was_recorded(recorded: DataFolder) -> None:
    again = Replay(recorded, 1, "skills")
    assert [(step.step, step.did, step.would) for step in _decided(again)] == [
        (1, "flap", "flap"),
        (2, "glide", "flap"),
        (3, "module fly", "module fly"),
        (4, "module fly", "module fly"),
    ]
    assert again.changed  # the hash of another profile stands in the run


def test_a_module_decides_on_every_frame_whose_fields_were_kept(recorded: DataFolder) -> None:
    again = Replay(recorded, 1, "fly@rules")
    steps = [(step.at_ms, step.did, step.would) for step in _decided(again)]
    # rows of a version that is gone cannot be read back; the end of a start is no decision
    assert steps == [(3000, "nothing", "nothing"), (3100, "flap", "flap"), (3200, "nothing", "flap")]
    assert again.version == "rules"


def test_one_step_alone_and_from_a_step_on(recorded: DataFolder) -> None:
    assert [step.step for step in _decided(Replay(recorded, 1, "idle", start=2, most=1))] == [2]
    assert [step.would for step in _decided(Replay(recorded, 1, "idle", start=3))] == ["nothing", "nothing"]


@pytest.mark.parametrize("agent", ["flyy", "fly@v7", "skills:x", "model:absent"])
def test_an_unknown_agent_is_named_in_a_sentence(recorded: DataFolder, agent: str) -> None:
    with pytest.raises(PitwallError, match=r"flyy|v7|skills:x|absent"):
        _decided(Replay(recorded, 1, agent))


def test_a_step_that_is_not_there(recorded: DataFolder) -> None:
    with pytest.raises(UnknownRun, match="has steps 1 to 4"):
        Replay(recorded, 1, "skills", start=9)
