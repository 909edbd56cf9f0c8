"""Sends telemetry to the operator. Frame notes may be lost to a slow console; nothing else is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import ChannelClosed, DataFolderError, PitwallError
from pitwall.core.frames import Frame
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.steps import RunEvent
from pitwall.core.telemetry import (
    EventNote,
    Fault,
    RingOpened,
    StateChanged,
    Stats,
    WindowSeen,
)
from pitwall.engine.recording.recorder import Committed, Unrecorded
from pitwall.engine.recording.run_figures import Rates, RunFigures
from pitwall.link.channel import Channel
from pitwall.link.frame_ring import FrameRingWriter
from pitwall.store.run_metrics import spread_of

_RECENT = 600
"""Newest reactions that the console's figure is made of."""


class OperatorReports:
    """Telemetry out, and frames into the ring.

    Telling never fails: an operator who is gone must not cut short whatever was being told.

    Args:
        channel: to the console, or to the command standing in for it.

    Attributes:
        unheard: the operator is gone; the loop ends at its next turn.
    """

    def __init__(self, channel: Channel[Any, Any]) -> None:
        self._channel = channel
        self._ring: FrameRingWriter | None = None
        self._state: StateChanged | None = None
        self._window: tuple[WindowRef | None, WindowHealth] | None = None
        self._stats_at_ns = 0
        self._ring_failed = False
        self.unheard = False
        self.rates = Rates()

    def tell(self, record: Any, *, lossy: bool = False) -> None:
        """Tell the operator; lossy: may be dropped where they are slow."""
        try:
            self._channel.send(record, lossy=lossy)
        except ChannelClosed:
            self.unheard = True

    def state(self, record: StateChanged) -> None:
        """Tell the state where it changed."""
        if record != self._state:
            self._state = record
            self.tell(record)

    def fault(self, error: PitwallError, traceback: str = "") -> None:
        self.tell(Fault.of(error, traceback))

    def event(self, event: RunEvent) -> None:
        self.tell(EventNote(at_ns=now_ns(), event=event))

    def committed(self, notes: Iterable[Committed]) -> list[Fault]:
        """Tell what the recorder has done; returns the faults that cost a part of the run."""
        lost: list[Fault] = []
        for note in notes:
            if isinstance(note, Unrecorded):
                lost.append(note.fault)
            self.tell(note.fault if isinstance(note, Unrecorded) else note)
        return lost

    def window(self, window: WindowRef | None, health: WindowHealth, backend: str) -> None:
        """Tell where the window is, whenever that changed."""
        if (window, health) != self._window:
            self._window = (window, health)
            self.tell(WindowSeen(window=window, health=health, backend=backend))

    def frame(self, frame: Frame) -> None:
        """Put a frame into the ring, a larger ring where it does not fit."""
        fits = self._ring is not None and self._ring.fits(frame.width, frame.height)
        if not fits and not self._new_ring(frame):
            return
        assert self._ring is not None
        self._ring.write(frame)

    def stats(self, now: int, figures: RunFigures | None, frames: int, dropped: int) -> None:
        """Figures once a second."""
        if now - self._stats_at_ns < NS_PER_S:
            return
        self._stats_at_ns = now
        self.tell(
            Stats(
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
        self.tell(RingOpened(name=self._ring.name))
        return True
