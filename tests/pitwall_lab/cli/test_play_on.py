"""What cannot be played on in the game itself, and what is told where its state is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.plain_records import run_manifest, step_record

from pitwall.core.actions import NO_OP, Proposal
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.signals import Thresholds
from pitwall.core.steps import StepRecord
from pitwall.engine.replaying.replay import Replay
from pitwall.store.run_log import RunLog
from pitwall_lab.cli.play_on import OtherState, _compared, played_on_in_game


def _step(number: int, **more: Any) -> StepRecord:
    step = step_record(
        number,
        at_ns=number * 10**9,
        why="because",
        fields={"x": 10.0 * number, "held": "axe", "full": False},
        action=NO_OP,
    )
    return replace(step, **more)


def _kept(data: DataFolder, *, seed: int | None, protocol: str, module: str = "") -> int:
    manifest = run_manifest(
        role="bird",
        seed=seed,
        settings={"control": {"protocol": protocol}},
        thresholds=Thresholds().model_dump(),
    )
    drives = Proposal(proposal_id=1, situation="", subgoal="", module=module) if module else None
    with RunLog.open(data) as log:
        run_id = log.begin(manifest)
        log.add_steps(run_id, [_step(number, proposal=drives) for number in range(1, 4)])
    return run_id


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ({"seed": None, "protocol": "paused"}, "has no seed"),
        ({"seed": 1, "protocol": "real-time"}, "played in real time"),
        ({"seed": 1, "protocol": "paused", "module": "fly"}, "step 1 of run 1 was driven by a module"),
    ],
)
def test_a_run_that_cannot_be_repeated_is_refused_before_anything_starts(
    tmp_path: Path, kept: dict[str, Any], words: str
) -> None:
    data = DataFolder(tmp_path)
    again = Replay(data, _kept(data, **kept), "idle", start=2)
    with pytest.raises(PitwallError, match=words):
        played_on_in_game(data, again, again.settings, scenario="", most=None)


def test_the_first_step_that_differs_is_named_where_the_last_is_not_the_same() -> None:
    steps = [_step(number) for number in range(1, 5)]
    near = [replace(step, fields={**step.fields, "x": 10.0 * step.step + 0.4}) for step in steps]
    assert _compared(steps, near, 7) == 3
    moved = [*steps[:2], *(replace(item, fields={**item.fields, "held": "bow"}) for item in steps[2:])]
    with pytest.raises(OtherState, match=r"at step 4: held is bow, and axe was read\. From step 3 on"):
        _compared(steps, moved, 7)
    with pytest.raises(OtherState, match="ended at step 2"):
        _compared(steps, steps[:2], 7)
