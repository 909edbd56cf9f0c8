"""One run's play, step by step: the real stages on drawn frames, with a clock that the test turns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pitwall.core import commands, telemetry
from pitwall.core.actions import Effect, InputEvent, Refusal, SentEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.injection import Receipt
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.core.signals import Reason, Route
from pitwall.core.steps import StepRecord
from pitwall.engine.player import Player
from pitwall.engine.sight import Sight
from pitwall.engine.trigger.recalibrate import replay

_MANIFEST = """
schema = 1
[game]
id = "ball"
name = "Ball"
[window]
title = "^Ball$"
[screen]
width = 64
height = 48
[controls]
keys = ["Space", "ArrowLeft"]
[[actions]]
name = "tap"
keys = ["Space"]
hold_ms = 30
duration_ms = 100
[[actions]]
name = "far"
keys = ["Space"]
hold_ms = 30
duration_ms = 100
expect = "ball > 30"
[[actions]]
name = "twice"
sequence = ["Space", "Space"]
duration_ms = 200
[[actions]]
name = "hold"
keys = ["ArrowLeft"]
hold_ms = 400
duration_ms = 500
[[fields]]
name = "ball"
kind = "blob"
colour = [255, 0, 0]
value = "x"
[[fields]]
name = "black"
kind = "colour"
colour = [0, 0, 0]
at_least = 90
[status]
loading = "black"
[progress]
position = ["ball"]
effects = false
[[modules]]
name = "chase"
ends = "ball == none"
[[modules.rules]]
when = "ball > 10"
action = "far"
"""
_SKILL = """
[[skills]]
name = "play"
when = "status == 'playing'"
subgoal = "play"
"""


def _picture(ball: int | None, seed: int = 1) -> Pixels:
    """Grey noise with a red ball at a column; another seed is another scene. Black where None and seed 0."""
    if seed == 0:
        return np.zeros((48, 64, 4), np.uint8)
    grey = np.random.default_rng(seed).integers(40, 200, (12, 16), dtype=np.uint8)
    pixels: Pixels = np.repeat(np.repeat(grey, 4, 0), 4, 1)[:, :, None].repeat(4, 2)
    if ball is not None:
        pixels[20:28, ball - 4 : ball + 4] = (0, 0, 255, 0)
    return pixels


class Clock:
    def __init__(self) -> None:
        self.ns = 1_000_000 * NS_PER_MS

    def __call__(self) -> int:
        return self.ns

    def pass_ms(self, ms: float) -> None:
        self.ns += int(ms * NS_PER_MS)


class DrawnWindow:
    """A capture source whose window shows what the test drew last."""

    backend = "drawn"
    health = WindowHealth.VISIBLE
    dropped = 0
    window = WindowRef(native_id=1, pid=1, title="Ball", wm_class="ball", rect=Rect(0, 0, 64, 48))

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pixels = _picture(40)
        self._changed_ns: int | None = clock()
        self._frames = 0

    def draw(self, ball: int | None, seed: int = 1) -> None:
        self._pixels = _picture(ball, seed)
        self._changed_ns = self._clock()

    def fileno(self) -> int:
        return 0

    def take(self) -> Frame | None:
        return self.fresh() if self._changed_ns is not None else None

    def fresh(self) -> Frame:
        self._frames += 1
        captured_ns, self._changed_ns = self._changed_ns or self._clock(), None
        return Frame(
            frame_id=self._frames,
            captured_ns=captured_ns,
            ready_ns=captured_ns,
            pixels=self._pixels,
            window=self.window.rect,
        )

    def close(self) -> None:
        pass


class Stage:
    """A player, what it sees, and a broker whose answers the test gives (at once, where it does not say)."""

    def __init__(self, folder: Path, clock: Clock, *, steps_cap: int | None = None) -> None:
        self.clock = clock
        self.window = DrawnWindow(clock)
        self.sight = Sight(commands.Open(game=str(folder), launch=False), DataFolder(folder / "data"))
        self.sight.view.source = self.window
        self.batches: list[tuple[InputEvent, ...]] = []
        self.observed_ns: list[int] = []
        self.unanswered: list[int] = []
        self.steps: list[StepRecord] = []
        self.told: list[Any] = []
        self.events: list[tuple[str, str, int]] = []
        self.refusal: Refusal | None = None
        self.answers = True
        self.player = Player(
            self.sight,
            Settings(),
            inject=self._inject,
            on_step=lambda step, _: self.steps.append(step),
            tell=self.told.append,
            on_event=lambda *event: self.events.append(event),
            steps_cap=steps_cap,
        )
        self.player.look_afresh()

    def turn(self, ms: float = 5) -> None:
        """Let time pass, then play one turn of the loop."""
        self.clock.pass_ms(ms)
        frame = self.sight.capture()
        if frame is not None:
            self.sight.perceive(frame)
        self.player.turn(fresh=frame is not None)
        if self.answers:
            self.answer()

    def play(self, ms: float) -> None:
        until = self.clock() + int(ms * NS_PER_MS)
        while self.clock() < until:
            self.turn()

    def answer(self) -> None:
        """Answer every batch that is out, a millisecond after now; presses are refused if so set."""
        for number in self.unanswered:
            sent = tuple(self._treated(event) for event in self.batches[number - 1])
            self.player.receipt(Receipt(batch=number, events=sent))
        self.unanswered.clear()

    def presses(self) -> list[str]:
        return [event.key for batch in self.batches for event in batch if event.kind == "key_down"]

    def releases(self) -> list[str]:
        return [event.key for batch in self.batches for event in batch if event.kind == "key_up"]

    def _treated(self, event: InputEvent) -> SentEvent:
        refused = self.refusal if event.kind == "key_down" else None
        sent_ns = None if refused else self.clock() + NS_PER_MS
        return SentEvent(event=event, sent_ns=sent_ns, refused=refused)

    def _inject(self, events: tuple[InputEvent, ...], observed_ns: int) -> int:
        self.batches.append(events)
        self.observed_ns.append(observed_ns)
        self.unanswered.append(len(self.batches))
        return len(self.batches)


MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeStage:
    """Makes a stage whose only skill plays these actions, or runs this module."""
    clock = Clock()
    for module in ("player", "figures"):
        monkeypatch.setattr(f"pitwall.engine.{module}.now_ns", clock)

    def make(*actions: str, module: str = "", steps: int = 1000, steps_cap: int | None = None) -> Stage:
        does = f'module = "{module}"' if module else f"actions = {json.dumps(actions)}"
        skill = f"{_SKILL}{does}\nsteps = {steps}\n" if module or actions else ""
        (tmp_path / "plugin.toml").write_text(_MANIFEST + skill)
        return Stage(tmp_path, clock, steps_cap=steps_cap)

    return make


def test_no_step_beyond_the_cap(make_stage: MakeStage) -> None:
    stage = make_stage("tap", steps_cap=3)
    stage.play(5_000)
    assert stage.player.budget_spent
    assert [step.step for step in stage.steps] == [1, 2, 3]
    assert stage.presses() == ["Space"] * 3
    assert stage.player.figures.steps == 3


def test_a_step_is_decided_acted_and_confirmed_by_a_later_frame(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.turn()
    stage.turn(20)
    stage.window.draw(50)
    stage.turn(90)
    stage.window.draw(40)
    stage.play(200)
    first, second = stage.steps[:2]
    assert (first.step, first.route, first.reasons) == (1, Route.STRATEGIC, (Reason.REQUESTED,))
    assert (str(first.action), first.effect) == ("tap", Effect.CONFIRMED)
    assert [sent.event.kind for sent in first.sent] == ["key_down", "key_up"]
    assert first.timings.reaction_ms is None  # decided on the first look, not on a change
    assert (second.step, second.route, second.reasons) == (2, Route.REACTIVE, ())
    assert second.timings.reaction_ms == pytest.approx(91)  # drawn 90 ms before the turn, sent 1 ms after it
    stage.play(100)
    assert stage.player.figures.events_sent == len(stage.presses()) + len(stage.releases())


def test_a_step_waits_for_its_receipts_but_not_for_ever(make_stage: MakeStage) -> None:
    stage = make_stage("tap", "hold")
    stage.answers = False
    stage.turn()
    stage.window.draw(50)
    stage.play(150)
    assert len(stage.presses()) == 2
    assert stage.steps == []
    stage.answer()
    stage.turn()
    assert [step.step for step in stage.steps] == [1]
    assert len(stage.steps[0].sent) == 2
    stage.window.draw(40)
    stage.play(900)
    assert [step.step for step in stage.steps] == [1, 2]


def test_a_refused_action_is_offered_again_and_counts_for_nothing(make_stage: MakeStage) -> None:
    stage = make_stage("tap", "hold")
    stage.refusal = Refusal.FOCUS
    stage.play(120)
    stage.refusal = None
    stage.play(800)
    assert [(str(step.action), step.effect) for step in stage.steps[:2]] == [
        ("tap", Effect.NONE),
        ("tap", Effect.UNVERIFIED),
    ]
    refused = sum(sent.refused is Refusal.FOCUS for step in stage.steps for sent in step.sent)
    assert stage.player.figures.refusals == {"focus": refused}
    assert ("refusal", "tap: focus", 1) in stage.events


def test_a_refusal_that_is_told_late_still_counts(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.turn()
    stage.answers, stage.refusal = False, Refusal.RATE
    stage.window.draw(50)
    stage.turn(120)
    late = stage.unanswered[:]
    stage.player.interrupt()
    stage.answer()
    stage.player.rest()
    assert late
    assert (stage.steps[-1].effect, stage.steps[-1].sent[0].refused) == (Effect.NONE, Refusal.RATE)


def test_what_a_pause_lets_go_of_belongs_to_the_step(make_stage: MakeStage) -> None:
    stage = make_stage("hold")
    stage.play(50)
    assert stage.presses() == ["ArrowLeft"]
    stage.player.rest()
    stage.player.rest()
    assert stage.releases() == ["ArrowLeft"]
    assert stage.steps == []
    stage.answer()
    stage.player.rest()
    assert [sent.event.kind for sent in stage.steps[0].sent] == ["key_down", "key_up"]
    assert [note.state for note in stage.told if isinstance(note, telemetry.ProposalNote)] == [
        "planned",
        "ended",
    ]


def test_only_a_press_decided_on_a_new_frame_is_a_reaction(make_stage: MakeStage) -> None:
    stage = make_stage("twice")
    stage.turn()
    while len(stage.presses()) < 2:
        stage.window.draw(40 + len(stage.releases()))  # new pictures all along, also with the second tap
        stage.turn()
    stage.player.interrupt()
    stage.answer()
    stage.player.rest()
    assert [sent.event.kind for sent in stage.steps[0].sent] == ["key_down", "key_up"] * 2
    assert stage.steps[0].timings.reaction_ms is None


def test_a_scene_cut_ends_the_step_at_once(make_stage: MakeStage) -> None:
    stage = make_stage("hold")
    stage.play(50)
    stage.window.draw(40, seed=2)
    stage.turn()
    stage.turn()
    assert stage.releases() == ["ArrowLeft"]
    assert len(stage.steps) == 1
    stage.play(1_000)
    second = stage.steps[1]
    assert Reason.SCENE in second.reasons
    assert second.signals.change >= 0.35
    assert second.at_ns - stage.steps[0].at_ns < 100 * NS_PER_MS


def test_nothing_is_decided_while_the_game_loads(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    stage.turn()
    stage.window.draw(50)
    stage.play(20)
    acted = len(stage.presses())
    assert acted >= 1
    for _ in range(20):
        stage.window.draw(None, seed=0)
        stage.turn(100)
    assert len(stage.presses()) == acted
    assert len(stage.steps) == 0


def test_a_module_acts_on_frames_and_counts_a_step_a_second(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    for frame in range(40):
        stage.window.draw(20 + frame % 3)
        stage.turn(100)
    assert len(stage.presses()) > 30
    assert [step.route for step in stage.steps] == [Route.STRATEGIC, *[Route.REFLEX] * (len(stage.steps) - 1)]
    assert len(stage.steps) == 3
    assert [step.signals.since_strategic for step in stage.steps] == [0, 0, 1]
    assert stage.steps[1].timings.reaction_ms == pytest.approx(101)  # each picture is 100 ms old when seen
    spans = [note.route for note in stage.told if isinstance(note, telemetry.RouteSpan)]
    plans = [note for note in stage.told if isinstance(note, telemetry.ProposalNote)]
    assert spans == [Route.STRATEGIC, Route.REFLEX] * len(plans)
    assert stage.player.shown().last_action == "far"


def test_the_frame_that_an_action_answers_to_says_nothing_of_its_effect(make_stage: MakeStage) -> None:
    stage = make_stage(module="chase")
    stage.turn()
    stage.window.draw(50)  # here the ball is far already, which is what the action should bring about
    stage.turn()
    assert len(stage.presses()) == 1
    for _ in range(12):
        stage.window.draw(8)
        stage.turn(100)
    assert (str(stage.steps[0].action), stage.steps[0].effect) == ("far", Effect.UNVERIFIED)


def test_where_no_skill_applies_nobody_acts(make_stage: MakeStage) -> None:
    stage = make_stage()
    stage.play(1_000)
    assert stage.batches == []
    assert {str(step.action) for step in stage.steps} == {"no_op"}
    assert {step.effect for step in stage.steps} == {Effect.NONE}
    assert 2 <= len(stage.steps) <= 4
    plans = [note for note in stage.told if isinstance(note, telemetry.ProposalNote)]
    assert {(plan.proposal, plan.state) for plan in plans} == {(None, "ended")}


def test_replaying_a_run_finds_the_reasons_it_recorded(make_stage: MakeStage) -> None:
    stage = make_stage("tap", steps=100)
    for turn in range(1_200):
        if turn > 700 and turn % 7 == 0:
            stage.window.draw(10 + turn % 40, seed=1 + turn // 1_100)
        stage.turn()
    assert len(stage.steps) > 15
    found = {reason for step in stage.steps for reason in step.reasons}
    assert {Reason.REFRESH, Reason.STALL, Reason.LOOP, Reason.FAILURE} <= found
    decisions = replay(stage.steps, stage.sight.thresholds)
    assert [decision.reasons for decision in decisions] == [step.reasons for step in stage.steps]


def test_changed_thresholds_are_in_force_from_the_next_step_and_told(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.play(50)
    stage.sight.thresholds = stage.sight.thresholds.model_copy(update={"refresh_steps": 1})
    stage.play(2_000)
    assert ("note", "Thresholds changed: refresh_steps 4 → 1.", 2) in stage.events
    assert all(Reason.REFRESH in step.reasons for step in stage.steps if step.signals.since_strategic)


def test_a_receipt_of_something_else_is_not_counted(make_stage: MakeStage) -> None:
    stage = make_stage("tap")
    stage.play(50)
    sent = stage.player.figures.events_sent
    press = InputEvent(kind="key_down", key="Space")
    stage.player.receipt(Receipt(batch=999, events=(SentEvent(event=press, sent_ns=1),)))
    assert stage.player.figures.events_sent == sent


def test_progress_speaks_for_an_action_whose_effect_was_not_seen(make_stage: MakeStage) -> None:
    stage = make_stage("far")
    stage.turn()
    ball = 10
    while len(stage.steps) < 4:  # every tap moves the ball on, never as far as expected
        ball = 10 + (ball - 9) % 16
        stage.window.draw(ball)
        stage.play(480)
    assert {step.effect for step in stage.steps} == {Effect.UNVERIFIED}
    assert [step.signals.progress for step in stage.steps] == [0, 1, 2, 3]
    assert [int(step.signals.failure) for step in stage.steps[:2]] == [0, 0]  # F1 where nothing had moved
