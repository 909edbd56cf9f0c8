"""Twins side by side: the same course however they are spread, and errors that reach who asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pitwall.core.errors import ChildDied, PitwallError
from pitwall.games.schema.profile import Game
from pitwall_lab.environments.twin_environment import EnvironmentSpec, training_spec
from pitwall_lab.environments.vector_environment import (
    VectorEnvironment,
    WorkerEnvironment,
    open_environment,
)

LANES = 5


def orders(game: Game, *, pictures: bool = False, **changes: Any) -> list[EnvironmentSpec]:
    module = game.profile.modules[0]
    assert module.learned is not None
    learned = module.learned
    if pictures:
        vision = {"width": 8, "height": 8, "frames": 2}
        learned = learned.model_validate({**learned.model_dump(), "vision": vision})
    made = [
        training_spec(game, module, learned, learned.training, number=number, seed=3)
        for number in range(LANES)
    ]
    return [replace(order, **changes) for order in made]


def story(twins: VectorEnvironment, steps: int = 120, seed: int = 0) -> list[Any]:
    """All that is seen of a play by chance."""
    chance = np.random.default_rng(seed)
    moments, message = twins.begin(), []
    for _ in range(steps):
        message += [moments.state.tolist(), moments.over.tolist(), moments.terminal.tolist(), moments.score]
        message += [moments.read, moments.fresh.tolist()]
        if moments.pictures is not None:
            message.append(moments.pictures.tolist())
        moments = twins.step(chance.integers(0, 3, LANES))
    return message


def story_on(twins: VectorEnvironment) -> list[Any]:
    """The next decisions of a play that is under way."""
    return [twins.step(np.full(LANES, step % 3)).state.tolist() for step in range(40)]


@pytest.mark.parametrize("pictures", [False, True])
def test_workers_play_what_one_process_plays(line: Game, pictures: bool) -> None:
    made = orders(line, pictures=pictures)
    with closing(open_environment(made)) as side, closing(open_environment(made, workers=2)) as spread:
        assert side.step_ms == spread.step_ms == 50.0
        assert story(side) == story(spread)
        saved = spread.save()
        later = [twins.restore(saved).state.tolist() for twins in (side, spread)]
        assert later[0] == later[1]
        assert story_on(side) == story_on(spread)


def test_lanes_play_courses_of_their_own(line: Game) -> None:
    with closing(open_environment(orders(line))) as twins:
        seen = {tuple(state) for state in np.concatenate([twins.begin().state for _ in range(9)]).tolist()}
    assert len(seen) > 3


def test_an_error_in_a_worker_reaches_who_asked_and_no_worker_is_left(line: Game) -> None:
    with closing(WorkerEnvironment(orders(line), processes=2)) as twins:
        twins.begin()
        with pytest.raises(PitwallError, match="fell off the edge"):
            for _ in range(30):
                twins.step(np.ones(LANES, np.int64))
        pids = [process.pid for _, process in twins._workers]
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_worker_that_is_killed_is_missed(line: Game) -> None:
    with closing(WorkerEnvironment(orders(line), processes=2)) as twins:
        twins.begin()
        os.kill(twins._workers[1][1].pid, signal.SIGKILL)
        with pytest.raises(ChildDied, match=r"worker 2 .*exit code -9"):
            for _ in range(3):
                twins.step(np.zeros(LANES, np.int64))


RAY = """
import sys
from contextlib import closing
from pathlib import Path
import numpy as np
from pitwall.games.manifest import load_profile
from pitwall.games.schema.profile import Game
from pitwall_lab.environments.vector_environment import open_environment
from pitwall_lab.environments.twin_environment import training_spec
folder = Path(sys.argv[1])
game = Game(profile=load_profile(folder), folder=folder, profile_hash="", trusted=True, source="path")
module = game.profile.modules[0]
learned = module.learned
orders = [training_spec(game, module, learned, learned.training, number=n, seed=3) for n in range(4)]
told = []
for ray in ("", "local"):
    with closing(open_environment(orders, workers=2 if ray else 0, ray=ray)) as twins:
        said = [twins.begin().state.tolist()]
        said += [twins.step(np.full(4, 2)).state.tolist() for _ in range(15)]
        saved = twins.save()
        said.append(twins.restore(saved).state.tolist())
        told.append(said)
assert told[0] == told[1], told
print("alike")
"""


def test_ray_plays_what_one_process_plays(line: Game, campaign_size: Callable[[int], int]) -> None:
    pytest.importorskip("ray")
    if not campaign_size(0):
        pytest.skip("Ray takes long to begin: --campaign 1 plays it")
    done = subprocess.run(
        [sys.executable, "-c", RAY, str(line.folder)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout.strip().endswith("alike"), done.stderr[-2000:]
