"""`train`: Flappy learnt by our Double DQN and by Stable-Baselines3's DQN, on one core each, in turns.

Both play the same twin, without delay or noise, with the same state vector (no history), reward function,
network, memory, exploration and n-step returns, in sixteen environments side by side: once at an equal update
ratio, a gradient step for every four decisions, which is the peer's default; once as our own recipes do, one
for every sixteen. The peer calls the reward function directly, ours goes through the sandbox.

Time to 28.3 pipes is the time spent learning until an evaluation of twenty held-out flights has that mean;
evaluations do not count. A side that did not get there counts with its full time.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, median
from types import TracebackType
from typing import Any, Self

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Learned
from pitwall.gsm.versions import declared
from workshop.benchmarks.peers.environments import peer_python
from workshop.benchmarks.report import check, figure, report, spread

REQUIREMENTS = ("stable-baselines3==2.9.2", "gymnasium==1.4.0", "torch==2.13.0")
AIM_STEPS, AIM_TIME, PAPER_PIPES = 1.5, 0.67, 28.3
RATIOS = {"equal": 4, "own": 16}
"""Decisions per gradient step. The peer's is always the first."""
_ENVIRONMENTS = 16
_JUDGED = 20
_CHUNK = 5_000
_LAST_WORDS = 600
_RECIPE: dict[str, Any] = {
    "environments": _ENVIRONMENTS,
    "gamma": 0.98,
    "n_step": 3,
    "learning_rate": 1e-3,
    "batch": 128,
    "replay": 100_000,
    "learn_from": 2_000,
    "tau": 0.01,
    "epsilon_from": 0.2,
    "epsilon_to": 0.002,
    "epsilon_steps": 30_000,
    "hidden": [64, 64],
}


class Learner:
    """One side: a program that learns on request.

    Args:
        name: for errors. command: starts it. begun: what it should learn, and how.
        core: the processor core it may use.

    Raises:
        PitwallError: it died.
    """

    def __init__(self, name: str, command: list[str], begun: dict[str, Any], core: int) -> None:
        self.name = name
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 (closed in __exit__)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            text=True,
        )
        os.sched_setaffinity(self._process.pid, {core})
        try:
            self.version = self._ask({"begin": begun})["version"]
        except PitwallError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._words.close()

    def learn(self, decisions: int) -> dict[str, float]:
        """Continue for a number of decisions; return decisions made, seconds, processor seconds."""
        learnt: dict[str, float] = self._ask({"learn": {"decisions": decisions}})
        return learnt

    def judge(self, first_seed: int) -> float:
        """Return the mean score of twenty held-out seeds."""
        scores: list[float] = self._ask({"judge": {"runs": _JUDGED, "first_seed": first_seed}})["scores"]
        return mean(scores)

    def _ask(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            self._words.seek(0)
            words = self._words.read().decode("utf-8", "replace").strip()
            raise PitwallError(f"{self.name} ended: {words[-_LAST_WORDS:] or 'without a word'}")
        return json.loads(line)


def run(*, quick: bool) -> dict[str, Any]:
    """Measure both figures at both ratios."""
    peer = [str(peer_python(*REQUIREMENTS)), "-I", str(Path(__file__).parents[1] / "peers" / "sb3_peer.py")]
    ours = [sys.executable, "-m", "workshop.benchmarks.gsm.training_process"]
    core = max(os.sched_getaffinity(0))
    seeds = 1 if quick else 3
    most = 100_000 if quick else 250_000
    speeds: dict[str, list[float]] = {"equal": [], "own": [], "peer": []}
    times: dict[str, list[float]] = {"equal": [], "own": [], "peer": []}
    reached: dict[str, list[float]] = {"equal": [], "own": [], "peer": []}
    version = ""
    with tempfile.TemporaryDirectory(prefix="pitwall-train-") as folder:
        for seed in range(1, seeds + 1):
            begun = {name: start_request(Path(folder), seed, every) for name, every in RATIOS.items()}
            begun["peer"] = begun["equal"]
            with (
                Learner("our trainer", ours, begun["equal"], core) as equal,
                Learner("our trainer", ours, begun["own"], core) as own,
                Learner("Stable-Baselines3, the peer,", peer, begun["peer"], core) as other,
            ):
                version = other.version
                sides = {"equal": equal, "own": own, "peer": other}
                for name, standing in _raced(sides, begun["equal"]["first_seed"], most).items():
                    speeds[name] += standing["speeds"]
                    times[name].append(standing["seconds"])
                    reached[name].append(standing["mean"])
    return report(
        "train",
        _checks(speeds, times, f"Stable-Baselines3 {version} DQN"),
        recipe=_RECIPE,
        decisions_for_a_gradient={**RATIOS, "peer": RATIOS["equal"]},
        seeds=seeds,
        most_decisions=most,
        mean_pipes_reached=reached,
        one_core=core,
        environment="flappy/fly twin, no delay, no noise",
    )


def start_request(folder: Path, seed: int, train_every: int) -> dict[str, Any]:
    """Build the request that tells a side what to learn. folder: an empty data folder."""
    game = Registry(DataFolder(folder)).load("flappy")
    module = declared(game, "fly")
    assert module.learned is not None
    trial = module.trials[0]
    recipe = {**_RECIPE, "train_every": train_every}
    learned = Learned.model_validate({**module.learned.model_dump(), "history": 0, "training": recipe})
    return {
        "data": str(folder),
        "game": "flappy",
        "module": "fly",
        "learned": learned.model_dump(),
        "recipe": learned.training.model_dump(),
        "folder": str(game.folder),
        "twin": learned.twin,
        "reward": learned.reward,
        "actions": list(learned.actions),
        "state": [item.model_dump() for item in learned.state],
        "cap": trial.cap,
        "longest": round(trial.seconds * 30),
        "first_seed": trial.first_seed,
        "seed": seed,
        "gradients_a_turn": _ENVIRONMENTS // train_every,
    }


def _raced(sides: dict[str, Learner], first_seed: int, most: int) -> dict[str, dict[str, Any]]:
    """Let all sides learn in turns, one chunk each, until each reached the aim or used its decisions."""
    standings: dict[str, dict[str, Any]] = {
        name: {"speeds": [], "seconds": 0.0, "mean": 0.0, "decisions": 0} for name in sides
    }
    racing = dict(sides)
    while racing:
        for name, side in list(racing.items()):
            learnt, of = side.learn(_CHUNK), standings[name]
            if of["decisions"]:  # the first chunk begins before there is enough to learn from
                of["speeds"].append(learnt["decisions"] / learnt["seconds"])
            of["seconds"] += learnt["seconds"]
            of["decisions"] += learnt["decisions"]
            of["mean"] = max(of["mean"], side.judge(first_seed))
            if of["mean"] >= PAPER_PIPES or of["decisions"] >= most:
                racing.pop(name)
    return standings


def _checks(speeds: dict[str, list[float]], times: dict[str, list[float]], peer: str) -> list[dict[str, Any]]:
    peer_speed, peer_s = median(speeds["peer"]), median(times["peer"])
    checks = []
    for name, words in (("equal", "equal update ratio"), ("own", "our own recipe")):
        ratio = median(speeds[name]) / peer_speed
        checks.append(
            check(
                f"environment steps, {words}",
                "steps/s",
                spread(speeds[name]),
                aim=f"≥ {AIM_STEPS}× the peer",
                met=ratio >= AIM_STEPS,
                peer=(peer, peer_speed),
                ratio=ratio,
            )
        )
    for name, words in (("equal", "equal update ratio"), ("own", "our own recipe")):
        ratio = median(times[name]) / peer_s
        checks.append(
            check(
                f"time to {PAPER_PIPES} pipes, {words}",
                "s",
                figure(median(times[name])),
                aim=f"≤ {AIM_TIME}× the peer",
                met=ratio <= AIM_TIME,
                peer=(peer, peer_s),
                ratio=ratio,
            )
        )
    return checks
