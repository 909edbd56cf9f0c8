"""Episodes of Crafter without a window: the folder's world, pictures, eyes and skills, and our controllers.

Each action is a turn of the world, and each turn a step; only capture, injection and waiting are left out. An
episode lands in a data folder as any run does: steps in the run log, true states beside it. So exams over
many worlds can be made in minutes, and a test has a run in a second.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from pitwall.core.actions import NO_OP, Effect, SemanticAction
from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect
from pitwall.core.observations import GameStatus, Value
from pitwall.core.paths import DataFolder, bundled_games_dir
from pitwall.core.runs import RunManifest, RunSummary
from pitwall.core.settings import Settings
from pitwall.core.signals import Route, TriggerDecision
from pitwall.core.steps import StepRecord
from pitwall.engine.action.effect import EffectWatch
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.reactive import ReactiveController
from pitwall.engine.control.reflex import ReflexController
from pitwall.engine.control.routed import Routed
from pitwall.engine.control.router import Router
from pitwall.engine.control.skills import SkillPlanner
from pitwall.engine.perception.plugin_fields import plugin_fields
from pitwall.engine.perception.reader import StateReader
from pitwall.engine.perception.status import status
from pitwall.engine.trigger.descriptor import Descriptor, change, describe
from pitwall.engine.trigger.progress import ProgressCounter
from pitwall.engine.trigger.trigger import EventTrigger
from pitwall.evaluation.truth import TrueState
from pitwall.evaluation.truth_log import TruthLog, truth_file
from pitwall.games.fields import ColourField
from pitwall.games.profile import Game
from pitwall.games.registry import Registry
from pitwall.games.vocabulary import Vocabulary
from pitwall.store.run_log import RunLog

GAME_ID = "crafter"
UNIT = 96
TURN_NS = 250 * NS_PER_MS
_TURN_MS = 200
PACKAGE_NAMES = {"interact": "do", "wait_turn": "noop"}
"""Actions that the package calls otherwise than the manifest."""
_AGAIN = "new_world"


def play_crafter(data: DataFolder, *, seed: int, steps: int) -> int:
    """Play one world until its end screen was seen, or for so many steps; returns the run's id.

    The same seed gives the same steps and the same states everywhere.
    """
    game = Registry(data).load(GAME_ID)
    player = _Player(game, seed)
    with RunLog.open(data) as log:
        run_id = log.begin(_manifest(game, seed))
        truth = TruthLog(truth_file(data, run_id), run_id=run_id, game_id=GAME_ID)
        truth.append(player.true_state(), 0)
        batch: list[StepRecord] = []
        for step, state in player.steps(steps):
            batch.append(step)
            truth.append(state, step.at_ns + TURN_NS // 2)
        log.add_steps(run_id, batch)
        over_ns = batch[-1].at_ns + TURN_NS
        truth.end(over_ns)
        log.finish(run_id, RunSummary(outcome="finished", seconds=over_ns / 1e9, steps=len(batch)))
    return run_id


class _Player:
    """One agent in one world, as the engine's loop would have it decide."""

    def __init__(self, game: Game, seed: int) -> None:
        profile = game.profile
        world, self._told = folder_code()
        self._life = world.Life(seed, UNIT)
        self._profile = profile
        self._space = Vocabulary(profile)
        self._reader = StateReader(profile, game.folder, plugin_fields(game))
        self._trigger = EventTrigger(profile.trigger)
        self._progress = ProgressCounter(profile.progress)
        self._watch = EffectWatch(effect_wait_ms=400, progress=profile.progress)
        skills = SkillPlanner(
            profile.skills, self._space, fields=frozenset(one.name for one in profile.fields)
        )
        self._router = Router(
            planner=skills,
            reactive=ReactiveController(self._space),
            reflex=ReflexController(self._space, step_ms=1_000),
            budget=Budget(profile.game.difficulty),
            while_thinking=profile.game.while_thinking,
            skills=skills,
        )
        self._effect: Effect | None = None
        self._values: dict[str, Value] = {}
        self._seen = GameStatus.PLAYING
        self._shown = self._look()
        self._progress.update(self._values, effect_confirmed=False)

    def steps(self, most: int) -> Iterator[tuple[StepRecord, TrueState]]:
        """Steps, each with the true state that it led to; the end screen's is the last."""
        before = self._shown
        for number in range(1, most + 1):
            over = bool(self._life.cause)
            moved, before = change(self._shown, before), self._shown
            yield self._step(number, moved)
            if over:
                return

    def true_state(self) -> TrueState:
        """As the game tells it now."""
        return TrueState.model_validate({**self._told.true_state(self._life, _TURN_MS), "timestampMs": 0})

    def _step(self, number: int, moved: float) -> tuple[StepRecord, TrueState]:
        now, fields, seen = number * TURN_NS, self._values, self._seen
        grounded = self._router.ground(fields, self._effect)
        decision = self._trigger.step(
            change=moved,
            progress=self._progress.count,
            failure=self._router.failure,
            requested=grounded.request,
        )
        routed = self._router.step(grounded, decision, step=number, values=fields, status=seen, now_ns=now)
        assert routed is not None  # skills answer at once
        if routed.planned is not None:
            self._trigger.planned()
        action = routed.action or NO_OP
        verdict = self._act(action, now)
        self._effect = verdict if action != NO_OP else None
        grown = self._progress.update(self._values, effect_confirmed=verdict is Effect.CONFIRMED)
        self._trigger.acted(str(action))
        self._router.outcome(step=number, action=action, effect=verdict, progressed=bool(grown))
        return _record(number, now, fields, seen, decision, routed, action, verdict), self.true_state()

    def _act(self, action: SemanticAction, now: int) -> Effect:
        resolved = self._space.resolve(action, width=9 * UNIT, height=9 * UNIT)
        none = self._watch.begin(resolved, values=self._values, change=0.0, now_ns=now)
        before = self._shown
        if action.name == _AGAIN and self._life.cause:
            self._life.begin()
        elif action.name != _AGAIN and resolved.events:
            self._life.act(PACKAGE_NAMES.get(action.name, action.name))
        self._shown = self._look()
        found = self._watch.update(self._values, change(self._shown, before), now + 1)
        return none or found or Effect.UNVERIFIED

    def _look(self) -> Descriptor:
        """Read the picture as it is now."""
        picture = self._life.picture
        pixels: Pixels = np.zeros((*picture.shape[:2], 4), np.uint8)
        pixels[..., :3] = picture[..., ::-1]
        if self._life.cause:
            self._show_end(pixels)
        window = Rect(0, 0, pixels.shape[1], pixels.shape[0])
        frame = Frame(frame_id=1, captured_ns=0, ready_ns=0, pixels=pixels, window=window)
        self._values = {name: one.value for name, one in self._reader.read(frame, None).items()}
        self._seen = status(self._profile.status, self._values)
        self._values["status"] = self._seen.value
        return describe(pixels)

    def _show_end(self, pixels: Pixels) -> None:
        """The panel that the window lays over the view, as far as the manifest's field of it looks."""
        panel = next(field for field in self._profile.fields if field.name == "end_screen")
        assert isinstance(panel, ColourField)
        assert panel.box is not None
        x, y, width, height = panel.box
        pixels[y : y + height, x : x + width, 2::-1] = panel.colour


def _record(
    number: int,
    now: int,
    fields: Mapping[str, Value],
    seen: GameStatus,
    decision: TriggerDecision,
    routed: Routed,
    action: SemanticAction,
    verdict: Effect,
) -> StepRecord:
    return StepRecord(
        step=number,
        at_ns=now,
        frame_id=number,
        status=seen,
        route=routed.route or Route.REACTIVE,
        reasons=routed.reasons,
        why=routed.why,
        signals=decision.signals,
        fields={name: value for name, value in fields.items() if name != "status"},
        proposal=routed.proposal,
        action=action,
        effect=verdict,
    )


def _manifest(game: Game, seed: int) -> RunManifest:
    profile = game.profile
    return RunManifest(
        game_id=profile.game.id,
        game_name=profile.game.name,
        game_version=profile.game.version,
        profile_hash=game.profile_hash,
        role=profile.roles[0].name,
        planner="skills",
        seed=seed,
        started_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        settings=Settings().model_dump(mode="json"),
        thresholds=profile.trigger.model_dump(mode="json"),
        versions={"played": "without a window"},
        screen=(profile.screen.width, profile.screen.height),
    )


def folder_code() -> tuple[Any, Any]:
    """The world, and what it tells of its true state, of the game's folder."""
    folder = str(bundled_games_dir() / GAME_ID)
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("crafter_world"), importlib.import_module("crafter_truth")
