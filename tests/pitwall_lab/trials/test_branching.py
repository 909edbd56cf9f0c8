"""Playing on from a recorded step: the twin finds a real run's state again, or says that it cannot."""

from __future__ import annotations

import pytest

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import ReflexRecord
from pitwall.games.plugin_loader import load_twin
from pitwall.games.registry import Registry
from pitwall.gsm.versions import ModuleFolder
from pitwall_lab.environments.twin import values_of
from pitwall_lab.trials.branching import Branching, OtherState

SEED = 5
_FRAME_NS = 33_333_333
_MISSED = (11, 12, 30)
"""Frames that the loop did not see."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModuleFolder:
    data = DataFolder(tmp_path_factory.mktemp("data"))
    return ModuleFolder(data, Registry(data).load("flappy"), "fly")


@pytest.fixture(scope="module")
def frames(folder: ModuleFolder) -> list[ReflexRecord]:
    """A flight as a loop sees it: presses count a frame late now and then, and some frames are missed."""
    make = load_twin(folder.game, folder.declared)
    twin = make(module="fly", scenario="", actions=("", "flap"), render=False)
    observed, _ = twin.reset(seed=SEED)
    rows: list[ReflexRecord] = []
    late = 0
    for frame in range(48):
        pressed = int(values_of(observed)["bird_y"] or 0) > 200 and frame % 3 == 0
        if frame not in _MISSED:
            rows.append(
                ReflexRecord(
                    step=1 + frame // 16,
                    at_ns=10**9 + frame * _FRAME_NS,
                    module="fly",
                    version="shipped",
                    start=1,
                    action=int(pressed),
                    values={**values_of(observed), "status": "playing"},
                )
            )
        waits = pressed and frame % 2 == 0
        observed, _, over, _, _ = twin.step(int((pressed and not waits) or late))
        late = int(waits)
        assert not over
    return rows


def test_the_state_of_a_step_is_found_again_and_played_on(
    folder: ModuleFolder, frames: list[ReflexRecord]
) -> None:
    rules = folder.about("rules")
    played = Branching(folder, rules, seed=SEED, scenario="", frames=frames).play_on(3)
    assert played.distance == 0.0
    assert played.step == 3
    assert played.recorded.seconds == pytest.approx(15 * _FRAME_NS / 1e9, abs=0.001)
    assert played.other.score >= 5, "the rules fly through"
    assert played.other.seconds > played.recorded.seconds


def test_what_is_another_state_is_said(folder: ModuleFolder, frames: list[ReflexRecord]) -> None:
    rules = folder.about("rules")
    strange = [*frames[:-1]]
    strange[-1] = ReflexRecord(
        **{
            **{name: getattr(strange[-1], name) for name in ReflexRecord.__slots__},
            "step": 4,
            "values": {**strange[-1].values, "bird_y": 17.0},
        }
    )
    branching = Branching(folder, rules, seed=SEED, scenario="", frames=strange)
    with pytest.raises(OtherState, match=r"step 4: bird_y is .* and 17\.0 was read"):
        branching.play_on(4)
    with pytest.raises(OtherState, match="ended in step 4"):
        branching.play_on(9)
    with pytest.raises(PitwallError, match="no seed"):
        Branching(folder, rules, seed=None, scenario="", frames=frames)


def test_without_a_decision_nothing_can_be_found_again(folder: ModuleFolder) -> None:
    with pytest.raises(PitwallError, match="no decision of flappy/fly"):
        Branching(folder, folder.about("rules"), seed=1, scenario="", frames=[])
