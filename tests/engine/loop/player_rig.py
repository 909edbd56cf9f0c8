"""A stage for tests of the loop: a window that the test draws, a clock it turns, a broker's answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core import commands
from pitwall.core.actions import InputEvent, Refusal, SentEvent
from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.injection import Receipt
from pitwall.core.paths import DataFolder
from pitwall.core.settings import RecordingSettings, Settings
from pitwall.core.steps import StepRecord
from pitwall.engine.control.budget import Budget
from pitwall.engine.decision.controllers import ControllerResources
from pitwall.engine.inference.model_calls import SettledCall
from pitwall.engine.inference.model_manager import ModelManager
from pitwall.engine.loop.player import Player
from pitwall.engine.recording.operator_reports import RunOutlets
from pitwall.engine.session.game_clock import GameClock
from pitwall.engine.session.game_session import GameSession
from pitwall.gsm.rule_module import RuleModule

MANIFEST = """
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
SKILL = """
[[skills]]
name = "play"
when = "status == 'playing'"
subgoal = "play"
"""


def picture(ball: int | None, seed: int = 1) -> Pixels:
    """Grey noise with a red ball at a column; another seed is another scene, and seed 0 is black."""
    brightest = 200 if seed else 1
    grey = np.random.default_rng(seed).integers(min(40, brightest - 1), brightest, (12, 16), dtype=np.uint8)
    pixels: Pixels = np.repeat(np.repeat(grey, 4, 0), 4, 1)[:, :, None].repeat(4, 2)
    if ball is not None:
        pixels[20:28, ball - 4 : ball + 4] = (0, 0, 255, 0)
    return pixels


_UNFILMED = Settings(recording=RecordingSettings(video=False))


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
        self._pixels = picture(40)
        self._changed_ns: int | None = clock()
        self._frames = 0

    def draw(self, ball: int | None, seed: int = 1) -> None:
        self._pixels = picture(ball, seed)
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


class SteeredSight(GameSession):
    """The agent's view of a game whose clock the test controls."""

    own_clock: GameClock | None = None

    @property
    def clock(self) -> GameClock | None:
        return self.own_clock


class Stage:
    """A player, its game, and a broker whose answers the test gives (at once by default)."""

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        *,
        data: DataFolder | None = None,
        steps_cap: int | None = None,
        settings: Settings | None = None,
        game_clock: GameClock | None = None,
        on_stuck: Callable[[PitwallError], None] | None = None,
    ) -> None:
        self.clock = clock
        self.window = DrawnWindow(clock)
        settings, data = settings or _UNFILMED, data or DataFolder(folder / "data")
        opening = commands.Open(game=str(folder), launch=False, settings=settings)
        self.session = SteeredSight(opening, data)
        self.session.own_clock = game_clock
        self.session.view.source = self.window
        self.batches: list[tuple[InputEvent, ...]] = []
        self.observed_ns: list[int] = []
        self.unanswered: list[int] = []
        self.steps: list[StepRecord] = []
        self.records: list[Any] = []
        self.calls: list[SettledCall] = []
        self.events: list[tuple[str, str, int]] = []
        self.refusal: Refusal | None = None
        self.answers = True
        profile = self.session.game.profile
        self.resources = ControllerResources(
            models=ModelManager(data, self.session.host.mailbox(), self.records.append),
            host=self.session.host.mailbox(),
            record=self.calls.append,
            tell=lambda record, _lossy: self.records.append(record),
            modules={
                module.name: RuleModule(module, frozenset(field.name for field in profile.fields))
                for module in profile.modules
            },
        )
        self.player = Player(
            self.session,
            settings,
            self.resources,
            RunOutlets(
                tell=self.records.append,
                on_event=lambda *event: self.events.append(event),
                on_step=lambda step, _: self.steps.append(step),
                on_stuck=on_stuck or self.records.append,
            ),
            inject=self._inject,
            budget=Budget(profile.game.difficulty, steps_cap=steps_cap),
        )
        self.player.look_afresh()

    def turn(self, ms: float = 5) -> None:
        """Let time pass, then play one turn of the loop."""
        self.clock.pass_ms(ms)
        frame = self.session.capture()
        if frame is not None:
            self.session.perceive(frame)
        self.player.turn(fresh=frame is not None)
        if self.answers:
            self.answer()

    def play(self, ms: float) -> None:
        until = self.clock() + int(ms * NS_PER_MS)
        while self.clock() < until:
            self.turn()

    def answer(self) -> None:
        """Answer every batch that is out, a millisecond later; presses are refused if the test wants that."""
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
