"""Telemetry to the operator. Frame notes may be lost to a slow console; nothing else is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.core import telemetry
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ChannelClosed, DataFolderError, PitwallError
from pitwall.core.frames import Frame, Pixels
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.signals import Route
from pitwall.core.steps import RunEvent, StepRecord
from pitwall.engine.recording.recorder import Committed, Unrecorded
from pitwall.engine.recording.run_figures import Rates, RunFigures
from pitwall.link.channel import Channel
from pitwall.link.frame_ring import FrameRingWriter
from pitwall.store.run_metrics import spread_of

_RECENT = 600
"""How many of the newest reactions the console's figure covers."""


def ignore(*_: Any) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class RunOutlets:
    """Where a run's player sends its news; by default nowhere.

    Attributes:
        tell: sends telemetry.
        on_event: records an event: kind, text, and the step if there is one.
        on_step: takes a finished step and the pixels it was decided on.
        on_stuck: takes an error for which the run has to pause.
    """

    tell: Callable[[Any], None] = ignore
    on_event: Callable[..., None] = ignore
    on_step: Callable[[StepRecord, Pixels], None] = ignore
    on_stuck: Callable[[PitwallError], None] = ignore


class OperatorReports:
    """Sends telemetry, and puts frames into the ring.

    Sending never fails: an operator who is gone must not interrupt the sender.

    Args:
        channel: to the console, or to a command in its place.

    Attributes:
        unheard: the operator is gone; the loop ends at its next turn.
    """

    def __init__(self, channel: Channel[Any, Any]) -> None:
        self._channel = channel
        self._ring: FrameRingWriter | None = None
        self._state: telemetry.StateChanged | None = None
        self._window: tuple[WindowRef | None, WindowHealth] | None = None
        self._stats_at_ns = 0
        self._ring_failed = False
        self.unheard = False
        self.rates = Rates()

    def tell(self, record: Any, *, lossy: bool = False) -> None:
        """Send a record; a lossy one may be dropped if the operator is slow."""
        try:
            self._channel.send(record, lossy=lossy)
        except ChannelClosed:
            self.unheard = True

    def notice(self, text: str) -> None:
        """Send a sentence for the operator that is no fault; nothing for an empty text."""
        if text:
            self.tell(telemetry.Fault(what=text, error="Notice"))

    def state(self, record: telemetry.StateChanged) -> None:
        """Send the engine's state (ready, paused …) to the operator if it changed since it was last sent."""
        if record != self._state:
            self._state = record
            self.tell(record)

    def fault(self, error: PitwallError, traceback: str = "") -> None:
        self.tell(telemetry.Fault.of(error, traceback))

    def event(self, event: RunEvent) -> None:
        self.tell(telemetry.EventNote(at_ns=now_ns(), event=event))

    def committed(self, notes: Iterable[Committed]) -> list[telemetry.Fault]:
        """Send what the recorder has done; return the faults that cost a part of the run."""
        lost: list[telemetry.Fault] = []
        for note in notes:
            if isinstance(note, Unrecorded):
                lost.append(note.fault)
            self.tell(note.fault if isinstance(note, Unrecorded) else note)
        return lost

    def window(self, window: WindowRef | None, health: WindowHealth, backend: str) -> None:
        """Send the window's place if it changed."""
        if (window, health) != self._window:
            self._window = (window, health)
            self.tell(telemetry.WindowSeen(window=window, health=health, backend=backend))

    def frame(self, frame: Frame) -> None:
        """Put a frame into the ring, or into a larger ring if it does not fit."""
        fits = self._ring is not None and self._ring.fits(frame.width, frame.height)
        if not fits and not self._new_ring(frame):
            return
        assert self._ring is not None
        self._ring.write(frame)

    def stats(self, now: int, figures: RunFigures | None, frames: int, dropped: int) -> None:
        """Send figures once a second."""
        if now - self._stats_at_ns < NS_PER_S:
            return
        self._stats_at_ns = now
        self.tell(
            telemetry.Stats(
                capture_hz=self.rates.capture_hz(now),
                frames=frames,
                dropped_frames=dropped,
                loop_ms=spread_of(self.rates.loop_ms),
                reaction_ms=spread_of(figures.reaction_ms[-_RECENT:] if figures is not None else []),
                frame_age_ms=spread_of(self.rates.frame_age_ms),
                refusals=dict(figures.refusals) if figures is not None else {},
                cpu_percent=self.rates.cpu_percent(),
            ),
            lossy=True,
        )

    def close(self) -> None:
        if self._ring is not None:
            with contextlib.suppress(OSError):
                self._ring.close()
            self._ring = None

    def _new_ring(self, frame: Frame) -> bool:
        if self._ring_failed:
            return False
        self.close()
        try:
            self._ring = FrameRingWriter(frame.width, frame.height)
        except DataFolderError as error:
            self._ring_failed = True  # the agent plays on; only the picture is missing
            self.fault(error)
            return False
        self.tell(telemetry.RingOpened(name=self._ring.name))
        return True


RouteState = Literal["", "thinking", "waiting"]


class RouteTimeline:
    """Reports which controller drives, whenever that changes."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell
        self._state: RouteState = ""
        self.route: Route | None = None

    def drive(self, route: Route | None, *, module: bool = False) -> None:
        """Report who drives; a module takes over at once if a plan starts it."""
        self.show(route, "")
        self.show(Route.REFLEX if module and route is not None else route, "")

    def show(self, route: Route | None, state: RouteState) -> None:
        """Begin a stretch, unless the same one goes on."""
        if (self.route, self._state) != (route, state):
            self.route, self._state = route, state
            self._tell(telemetry.RouteSpan(at_ns=now_ns(), route=route, state=state))
