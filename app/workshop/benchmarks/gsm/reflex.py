"""Times a learned module's decision on one frame, against its bare network in the same run.

Two untrained policies as the trainer exports them: one with state and history branches, one with four 84×84
pictures cut from frames of 640×480. Timed is everything that a frame costs the engine's loop: the state
vector, the past actions, the picture, the network, the record of the decision.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pitwall.core.clock import NS_PER_MS
from pitwall.core.observations import Value
from pitwall.games.schema.modules import Learned, Module, Recipe, StateInput, VisionInput
from pitwall.games.schema.profile import Screen
from pitwall.gsm.inference import Policy
from pitwall.gsm.policy_module import Decision, PolicyModule
from pitwall.gsm.version_record import VersionRecord
from workshop.benchmarks.report import check, report, spread

_QUICK, _FULL = 1_000, 10_000
_WARM_UP = 100
_FIELDS, _ACTIONS = 10, 8
_MOST_MS = 3.0
_FRAME_MS = 33


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A policy that is ready to play, and its frames."""

    module: PolicyModule
    policy: Policy
    states: list[dict[str, Value]]
    frames: list[NDArray[np.uint8]]


def run(*, quick: bool) -> dict[str, Any]:
    """Run both policies over many frames, alternating the loop's decision and the bare network."""
    decisions = _QUICK if quick else _FULL
    checks = []
    for name, vision in (("state and history", None), ("with vision 84×84×4", VisionInput())):
        case = _case(vision)
        ours, bare = _timed(case, decisions)
        took = spread(ours)
        checks.append(
            check(
                f"decision, {name}",
                "ms",
                took,
                aim="≤ 3 ms (p95)",
                met=took["p95"] <= _MOST_MS,
                peer=("bare network", spread(bare)["p50"]),
                ratio=took["p50"] / spread(bare)["p50"],
            )
        )
    return report("reflex", checks, decisions=decisions, fields=_FIELDS, actions=_ACTIONS, threads=1)


def _case(vision: VisionInput | None) -> _Case:
    import torch  # only this benchmark and the trainer's own need the extra `train`

    from pitwall_lab.algorithms.policy_export import exported
    from pitwall_lab.algorithms.policy_network import QNetwork, Shape

    learned = Learned(
        state=[StateInput(field=f"f{number}", optional=number % 2 == 0) for number in range(_FIELDS)],
        vision=vision,
        actions=["", *(f"act{number}" for number in range(1, _ACTIONS))],
        reward="reward.py",
    )
    torch.manual_seed(0)
    policy = Policy(exported(QNetwork(Shape.of(learned, Recipe()))), learned)
    heard: list[Decision] = []
    module = PolicyModule(
        Module(name="bench", ends="f0 > 2", learned=learned),
        VersionRecord(game_id="bench", module="bench", version="v1", kind="policy", learned=learned),
        policy,
        screen=Screen(width=640, height=480),
        on_decision=heard.append,
    )
    chance = random.Random(0)
    states: list[dict[str, Value]] = [
        {f"f{number}": chance.random() for number in range(_FIELDS)} for _ in range(64)
    ]
    pictures = np.random.default_rng(0).integers(0, 256, (8, 480, 640, 4), np.uint8)
    return _Case(module=module, policy=policy, states=states, frames=list(pictures))


def _timed(case: _Case, decisions: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each decision in the loop, and of the bare network on the same inputs."""
    ours: list[float] = []
    bare: list[float] = []
    case.module.begin()
    for number in range(_WARM_UP + decisions):
        state = case.states[number % len(case.states)]
        frame = case.frames[number % len(case.frames)]
        now_ns = number * _FRAME_MS * NS_PER_MS
        ours.append(_ms(lambda: case.module.act(state, now_ns, frame)))  # noqa: B023 - called at once
        inputs = case.module.inputs(state, frame)
        bare.append(_ms(lambda: case.policy.q(inputs)))  # noqa: B023
    return ours[_WARM_UP:], bare[_WARM_UP:]


def _ms(deed: Callable[[], object]) -> float:
    before = time.perf_counter_ns()
    deed()
    return (time.perf_counter_ns() - before) / NS_PER_MS
