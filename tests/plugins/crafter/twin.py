"""Crafter without a window: the true rules and pictures, the true reader, skills and controllers.

Each action is a turn of the game, each turn a step; only capture, injection and time are left out.

    PYTHONPATH=plugins/crafter python tests/plugins/crafter/twin.py FIRST LAST [STEPS [log]]

plays the seeds FIRST … LAST − 1 and says what became of each.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pygame
from crafter_game import KEYS, UNIT
from crafter_world import LONG_TASK, Life

from pitwall.core.actions import NO_OP, Effect, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import Value
from pitwall.core.paths import DataFolder
from pitwall.engine.action.effect import EffectWatch
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.failure import Outcome
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.skill_planner import SkillPlanner
from pitwall.engine.decision.route_decision import RouteDecision, StepState
from pitwall.engine.decision.router import Router
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.engine.trigger.descriptor import change, describe
from pitwall.engine.trigger.event_trigger import EventTrigger
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.registry import Registry

TASK_STEPS = 150
_LOGGED = ("health", "food", "drink", "energy", "wood", "stone", "x", "y", "front", "daylight")
TURN_NS = 250 * NS_PER_MS
ARROWS = {
    "ArrowLeft": pygame.K_LEFT,
    "ArrowRight": pygame.K_RIGHT,
    "ArrowUp": pygame.K_UP,
    "ArrowDown": pygame.K_DOWN,
    "Space": pygame.K_SPACE,
}


@dataclass
class Played:
    """What became of a seed: turns lived, when each part of the long task was reached."""

    seed: int
    steps: int = 0
    reached: dict[str, int] = field(default_factory=dict)
    died: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)
    changes: list[float] = field(default_factory=list)
    read_ms: list[float] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """Whether the long task was finished within its steps."""
        return all(0 < self.reached.get(name, 0) <= TASK_STEPS for name in LONG_TASK)


class Twin:
    """One agent in one world."""

    def __init__(self, seed: int, data: Path) -> None:
        self.game = Registry(DataFolder(data)).load("crafter")
        profile = self.game.profile
        self.life = Life(seed, UNIT)
        self.space = Vocabulary(profile)
        self.plugin = plugin_fields(self.game)
        self.reader = StateReader(profile, self.game.folder, self.plugin)
        self.trigger = EventTrigger(profile.trigger)
        self.progress = ProgressCounter(profile.progress)
        self.watch = EffectWatch(effect_wait_ms=400, progress=profile.progress)
        names = frozenset(field.name for field in profile.fields)
        self.router = Router(
            planner=SkillPlanner(profile.skills, self.space, fields=names),
            reactive=ReactiveController(self.space),
            reflex=ReflexController(self.space, step_ms=1_000),
            budget=Budget(profile.game.difficulty),
            while_thinking=profile.game.while_thinking,
        )
        self.played = Played(seed)
        self.effect: Effect | None = None
        self.values = self.look()
        self.progress.update(self.values, effect_confirmed=False)
        self.shown = describe(self.pixels)

    def look(self) -> dict[str, Value]:
        """Read the picture as it is now."""
        self.pixels: Pixels = np.zeros((*self.life.picture.shape[:2], 4), np.uint8)
        self.pixels[..., :3] = self.life.picture[..., ::-1]
        window = Rect(0, 0, *self.pixels.shape[1::-1])
        frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=self.pixels, window=window)
        began = time.perf_counter()
        values: dict[str, Value] = {
            name: reading.value for name, reading in self.reader.read(frame, None).items()
        }
        self.played.read_ms.append((time.perf_counter() - began) * 1000)
        values["status"] = "terminal" if self.life.cause else "playing"
        values["status"] = status(self.game.profile.status, values).value
        return values

    def step(self) -> None:
        """One step of the loop: decide, act, see what became of it."""
        self.played.steps += 1
        number, now = self.played.steps, self.played.steps * TURN_NS
        seen = describe(self.pixels)
        moved = change(seen, self.shown)
        self.shown = seen
        grounded = self.router.ground(self.values, self.effect)
        decision = self.trigger.step(
            change=moved,
            progress=self.progress.count,
            failure=self.router.failure,
            requested=grounded.request,
        )
        routed = self.router.step(
            grounded,
            decision,
            StepState(
                step=number,
                values=self.values,
                status=status(self.game.profile.status, self.values),
                now_ns=now,
            ),
        )
        assert routed is not None
        if routed.planned is not None:
            self.trigger.planned()
        action = routed.action or NO_OP
        before, self.effect = self.values, None
        verdict = self._act(action, now)
        self.effect = verdict if action != NO_OP else None
        grown = self.progress.update(self.values, effect_confirmed=verdict is Effect.CONFIRMED)
        self.trigger.acted(str(action))
        self.router.outcome(Outcome(step=number, action=action, effect=verdict, progressed=bool(grown)))
        self.played.changes.append(moved)
        self._note(number, action, routed, verdict, before)

    def _act(self, action: SemanticAction, now: int) -> Effect:
        resolved = self.space.resolve(action, width=864, height=864)
        none = self.watch.begin(resolved, values=self.values, change=0.0, now_ns=now)
        for timed in resolved.events:
            if timed.event.kind == "key_down":
                key = timed.event.key
                self.life.act(KEYS[ARROWS.get(key, 0) or ord(key)])
        before = describe(self.pixels)
        self.values = self.look()
        seen = self.watch.update(self.values, change(describe(self.pixels), before), now + 1)
        return none or seen or Effect.UNVERIFIED

    def _note(
        self,
        number: int,
        action: SemanticAction,
        routed: RouteDecision,
        verdict: Effect,
        before: dict[str, Value],
    ) -> None:
        played = self.played
        for name in self.life.achievements:
            played.reached.setdefault(name, number)
        played.routes[routed.route or "nobody"] += 1
        played.reasons.update(str(reason) for reason in routed.reasons)
        played.effects[verdict] += 1
        if self.life.cause and not played.died:
            played.died = number
        had = {name: before.get(name) for name in _LOGGED}
        played.log.append(f"{number} {action} {routed.route} {verdict} {had} {routed.why}")


def play(seed: int, steps: int, data: Path) -> Played:
    """Play a seed until its world ends."""
    twin = Twin(seed, data)
    while twin.played.steps < steps and not twin.life.cause:
        twin.step()
    return twin.played


def main() -> None:
    """Play a range of seeds."""
    first, last, *more = sys.argv[1:]
    seeds, steps, say = range(int(first), int(last)), int(more[0]) if more else 200, sys.stdout.write
    done = lived = 0
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as data:
        for seed in seeds:
            played = play(seed, steps, Path(data))
            at = [played.reached.get(name, 0) for name in LONG_TASK]
            done, lived = done + played.finished, lived + (not played.died)
            for kind in (played.routes, played.reasons, played.effects):
                total.update({str(name): count for name, count in kind.items()})
            read = f"read {np.median(played.read_ms):.1f} ms, d {max(played.changes):.2f} at most"
            say(f"{seed} {'done' if played.finished else '----'} {at} died {played.died}, {read}\n")
            if len(more) > 1:
                say("\n".join([*played.log, ""]))
            sys.stdout.flush()
    say(f"long task {done} of {len(seeds)}, alive after {steps} {lived} of {len(seeds)}; {dict(total)}\n")


if __name__ == "__main__":
    main()
