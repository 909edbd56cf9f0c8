"""Reduces the engine's telemetry to the console's state: `apply` takes a record, returns what changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Any

from pitwall.console.state.histories import (
    EventRow,
    Mark,
    Retrievals,
    RouteHistory,
    ShadowHistory,
    SignalHistory,
)
from pitwall.console.state.model_calls import Thinking
from pitwall.console.state.subject import Subject
from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S
from pitwall.core.signals import Thresholds
from pitwall.core.steps import StepRecord

MOST_EVENTS = 1_000
MOST_STEPS = 400
MOST_FAULTS = 20
MOST_KEYS = 8


class Phase(StrEnum):
    """Names the phase of the screen: the engine's states, and four without a playing engine."""

    EMPTY = "empty"
    """Nothing chosen."""
    OPENING = "opening"
    READY = "ready"
    PLAYING = "playing"
    WAITING = "waiting"
    PAUSED = "paused"
    LATCHED = "latched"
    FAILED = "failed"
    CLOSING = "closing"
    """An engine is asked to end."""
    LOST = "lost"
    """The engine ended unasked."""


RUNNING = frozenset({Phase.PLAYING, Phase.WAITING})
HALTED = frozenset({Phase.PAUSED, Phase.LATCHED})
IN_VIEW = frozenset({Phase.READY, *RUNNING, *HALTED})
"""Phases in which the game's picture is shown."""


class Part(Flag):
    """A part of the state that changes independently: the unit of redrawing."""

    NONE = 0
    PHASE = auto()
    GAME = auto()
    WINDOW = auto()
    FRAME = auto()
    """Readings, signals, held keys, badge of the newest frame."""
    STEP = auto()
    EVENTS = auto()
    PROPOSAL = auto()
    ROUTE = auto()
    BUDGETS = auto()
    STATS = auto()
    RUN = auto()
    THRESHOLDS = auto()
    PROBE = auto()
    FAULT = auto()
    CALLS = auto()
    """A model call began, ended or was cut off."""
    STREAM = auto()
    """An open call wrote some more; may come with every token."""
    MIND = auto()
    """Who thinks."""
    MEMORY = auto()
    """The memory was opened, changed, or asked before a decision."""
    ALL = (1 << 18) - 1
    """The eighteen parts above, which pages draw."""
    OVERLAY = auto()


_KEPT: dict[type, tuple[str, Part]] = {
    telemetry.Hello: ("engine", Part.GAME),
    telemetry.WindowSeen: ("window", Part.WINDOW),
    telemetry.ControllersNote: ("mind", Part.MIND),
    telemetry.TrustNote: ("trust", Part.MIND),
    telemetry.MemoryOpened: ("memory", Part.MEMORY),
    telemetry.Budgets: ("budgets", Part.BUDGETS),
    telemetry.Stats: ("stats", Part.STATS),
}
"""Records that are kept unchanged: the attribute with the newest one, and the part that changes."""
_PASSED_ON: dict[type, Part] = {
    telemetry.RingOpened: Part.NONE,
    telemetry.MemoryEdited: Part.MEMORY,
    telemetry.MemoryChanged: Part.MEMORY,
    telemetry.OverlayToggled: Part.OVERLAY,
}
"""Records of which nothing is kept here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLoss:
    """Tells how the engine ended unasked."""

    message: str
    fix: str
    log: str


class ViewState:
    """The state every page draws from. Attributes are read freely and written only here."""

    def __init__(self) -> None:
        self.faults: deque[telemetry.Fault] = deque(maxlen=MOST_FAULTS)
        self.game_asked = ""
        """Game id or folder that was last opened."""
        self._events_seen = 0
        self._now = 0
        self._begun = 0
        self._reducers: dict[type, Callable[[Any], Part]] = {
            telemetry.GameOpened: self._game_opened,
            telemetry.StateChanged: self._state_changed,
            telemetry.FrameNote: self._frame_note,
            telemetry.StepNote: self._step_note,
            telemetry.EventNote: self._event_note,
            telemetry.ProposalNote: self._proposal_note,
            telemetry.CallBegan: self._call_began,
            telemetry.CallStreamed: self._call_streamed,
            telemetry.CallEnded: self._call_ended,
            telemetry.Retrieved: self._retrieved,
            telemetry.ModulesNote: self._modules_note,
            telemetry.RouteSpan: self._route_span,
            telemetry.ShadowNote: self._shadow_note,
            telemetry.TeachNote: self._teach_note,
            telemetry.RunBegan: self._run_began,
            telemetry.RunEnded: self._run_ended,
            telemetry.ThresholdsInForce: self._thresholds_in_force,
            telemetry.ProbeResult: self._probe_result,
            telemetry.Fault: self._fault,
        }
        self._forget_game()

    def _forget_game(self) -> None:
        """Forget everything about the game and its run."""
        self.phase = Phase.EMPTY
        self.cause = self.text = self.fix = ""
        self.own_seat = False
        self.stop_keys: tuple[str, ...] = ()
        self.engine: telemetry.Hello | None = None
        self.game: telemetry.GameOpened | None = None
        self.modules: dict[str, telemetry.ModuleState] = {}
        """Game sense modules of the game, and what drives each."""
        self.window: telemetry.WindowSeen | None = None
        self.note: telemetry.FrameNote | None = None
        self.thresholds: Thresholds | None = None
        self.mind: telemetry.ControllersNote | None = None
        self.trust: telemetry.TrustNote | None = None
        """The present driver, where a model is chosen."""
        self.memory: telemetry.MemoryOpened | None = None
        """The game whose memory the engine has open."""
        self.probes: dict[str, telemetry.ProbeResult] = {}
        self.latest_ns = 0
        """Newest moment the engine spoke of, monotonic."""
        self.loss: EngineLoss | None = None
        self._forget_run()

    def _forget_run(self) -> None:
        """Forget everything about the run or recording: another one begins."""
        self._begun += 1
        self.run: telemetry.RunBegan | None = None
        self.ended: telemetry.RunEnded | None = None
        self.held: tuple[str, ...] = ()
        self.keys_used: dict[str, int] = {}
        """Keys the agent pressed, in the order of their first press, and when each was last down."""
        self.signals = SignalHistory()
        self.routes = RouteHistory()
        self.marks: deque[Mark] = deque(maxlen=500)
        self.steps: deque[StepRecord] = deque(maxlen=MOST_STEPS)
        self.events: deque[EventRow] = deque(maxlen=MOST_EVENTS)
        self.thinking = Thinking()
        self.retrievals = Retrievals()
        """Retrievals before the newest decisions."""
        self.budgets: telemetry.Budgets | None = None
        self.stats: telemetry.Stats | None = None
        self.taught: telemetry.TeachNote | None = None
        """The demonstration that is being recorded, or was recorded last."""
        self.shadow = ShadowHistory()
        self.saved_ns = 0
        """Time of the last reported commit, monotonic."""

    @property
    def subject(self) -> Subject:
        """Return the game and the run that everything here belongs to."""
        return Subject(
            begun=self._begun,
            game_id=self.game.game_id if self.game is not None else "",
            run_id=self.run.run_id if self.run is not None else 0,
        )

    @property
    def live_run(self) -> int | None:
        """Return the run that is being recorded now; None where there is none."""
        over = self.run is None or self.ended is not None or self.phase is Phase.LOST
        return None if over or self.run is None else self.run.run_id

    @property
    def retrieval(self) -> telemetry.Retrieved | None:
        """Return the last retrieval."""
        return self.retrievals.newest

    # ---- from the bridge

    def opening(self, game: str) -> Part:
        """Begin with another game and forget the state of the earlier one."""
        self._forget_game()
        self.game_asked = game
        self.phase = Phase.OPENING
        self.text = "Starting the engine."
        return Part.ALL

    def closing(self) -> Part:
        self.phase = Phase.CLOSING
        self.held = ()
        return Part.PHASE | Part.FRAME

    def closed(self) -> Part:
        """Note that the engine ended on request."""
        self._forget_game()
        return Part.ALL

    def lost(self, message: str, fix: str, log: str) -> Part:
        """Note that the engine ended unasked; the state stays readable."""
        self.phase = Phase.LOST
        self.cause, self.text, self.fix = "engine", message, fix
        self.loss = EngineLoss(message=message, fix=fix, log=log)
        self.held = ()
        self.thinking.cut_off("The engine ended before it answered.", self.latest_ns)
        self.routes.add(self.latest_ns, None)
        return Part.PHASE | Part.FRAME | Part.ROUTE | Part.PROPOSAL | Part.CALLS

    def apply(self, record: telemetry.Telemetry, now_ns: int) -> Part:
        """Take one record.

        Args:
            record: anything of `core.telemetry.Telemetry`.
            now_ns: monotonic time it was read, for what the record itself does not date.

        Returns:
            The parts that changed.
        """
        self._now = now_ns
        kind = type(record)
        if kind in _PASSED_ON:
            return _PASSED_ON[kind]
        if kind in _KEPT:
            name, changed = _KEPT[kind]
            setattr(self, name, record)
            return changed
        return self._reducers[kind](record)

    def run_seconds(self, now_ns: int) -> float | None:
        """Return the seconds the run has lasted, or lasted; None without a run."""
        if self.ended is not None:
            return self.ended.summary.seconds
        return None if self.run is None else max(0.0, (now_ns - self.run.at_ns) / NS_PER_S)

    def clock_ns(self, now_ns: int) -> int:
        """Return the right edge of the strips: now while playing, else the time of the last event."""
        return now_ns if self.phase in RUNNING else (self.latest_ns or now_ns)

    # ---- one reducer for each other record

    def _game_opened(self, record: telemetry.GameOpened) -> Part:
        self.game = record
        self.thresholds = record.thresholds
        return Part.GAME | Part.THRESHOLDS

    def _shadow_note(self, record: telemetry.ShadowNote) -> Part:
        self.shadow.add(record)
        return Part.BUDGETS

    def _teach_note(self, record: telemetry.TeachNote) -> Part:
        changed = Part.BUDGETS
        same = self.taught is not None and self.taught.demonstration == record.demonstration
        if not same and self.live_run is None:  # a recording begins, which has no run of its own
            self._forget_run()
            changed = Part.ALL
        self.taught = record
        return changed

    def _modules_note(self, record: telemetry.ModulesNote) -> Part:
        self.modules = {module.name: module for module in record.modules}
        return Part.GAME

    def _state_changed(self, record: telemetry.StateChanged) -> Part:
        if self.phase is Phase.CLOSING:
            return Part.NONE
        self.phase = Phase(record.state.value)
        self.cause, self.text, self.fix = record.cause, record.text, record.fix
        self.own_seat, self.stop_keys = record.own_seat, record.stop_keys
        if record.state in (telemetry.EngineState.PLAYING, telemetry.EngineState.WAITING):
            self.routes.go_on(self._now)
            return Part.PHASE
        self.held = ()
        self.thinking.rest(self._now)
        self.routes.halt(self._now)
        return Part.PHASE | Part.FRAME | Part.PROPOSAL

    def _frame_note(self, record: telemetry.FrameNote) -> Part:
        self.note = record
        if self.phase in RUNNING:
            self.held = record.held
            for key in record.held:
                self._key_down(key, record.captured_ns)
            self.signals.add(record.captured_ns, record.signals)
            self.latest_ns = max(self.latest_ns, record.captured_ns)
        return Part.FRAME

    def _step_note(self, record: telemetry.StepNote) -> Part:
        self.steps.append(record.step)
        self.saved_ns = self._now
        for sent in record.step.sent:
            if sent.sent_ns is not None and sent.event.kind == "key_down":
                self._key_down(sent.event.key, sent.sent_ns)
        if record.step.reasons and self.run is not None:
            at_ns = self.run.at_ns + record.step.at_ns
            self.marks.append(Mark(at_ns, record.step.step, record.step.reasons))
        return Part.STEP | Part.RUN

    def _key_down(self, key: str, at_ns: int) -> None:
        self.keys_used[key] = max(at_ns, self.keys_used.get(key, 0))
        if len(self.keys_used) > MOST_KEYS:
            del self.keys_used[min(self.keys_used, key=self.keys_used.__getitem__)]

    def _event_note(self, record: telemetry.EventNote) -> Part:
        self._events_seen += 1
        run_s = None
        if self.run is not None and record.at_ns >= self.run.at_ns:
            run_s = (record.at_ns - self.run.at_ns) / NS_PER_S
        event = record.event
        self.events.append(
            EventRow(number=self._events_seen, run_s=run_s, kind=event.kind, text=event.text, step=event.step)
        )
        return Part.EVENTS

    def _proposal_note(self, record: telemetry.ProposalNote) -> Part:
        self.thinking.proposal(record, self._now, self.steps[-1].step if self.steps else 0)
        return Part.PROPOSAL | Part.ROUTE

    def _call_began(self, record: telemetry.CallBegan) -> Part:
        self.thinking.calls.began(record, self._now)
        return Part.CALLS

    def _call_streamed(self, record: telemetry.CallStreamed) -> Part:
        return Part.STREAM if self.thinking.calls.streamed(record, self._now) else Part.NONE

    def _call_ended(self, record: telemetry.CallEnded) -> Part:
        self.thinking.ended(record, self._now)
        return Part.CALLS | Part.ROUTE

    def _retrieved(self, record: telemetry.Retrieved) -> Part:
        self.retrievals.add(record)
        return Part.MEMORY

    def _route_span(self, record: telemetry.RouteSpan) -> Part:
        self.routes.add(record.at_ns, record.route, record.state)
        self.latest_ns = max(self.latest_ns, record.at_ns)
        return Part.ROUTE

    def _run_began(self, record: telemetry.RunBegan) -> Part:
        self._forget_run()
        self.run = record
        self.saved_ns = self._now
        self.latest_ns = max(self.latest_ns, record.at_ns)
        return Part.ALL

    def _run_ended(self, record: telemetry.RunEnded) -> Part:
        self.ended = record
        self.saved_ns = self._now
        self.thinking.cut_off("The run ended before it answered.", self._now)
        return Part.RUN | Part.PROPOSAL | Part.CALLS

    def _thresholds_in_force(self, record: telemetry.ThresholdsInForce) -> Part:
        self.thresholds = record.thresholds
        return Part.THRESHOLDS

    def _probe_result(self, record: telemetry.ProbeResult) -> Part:
        self.probes[record.name] = record
        return Part.PROBE

    def _fault(self, record: telemetry.Fault) -> Part:
        self.faults.append(record)
        return Part.FAULT
