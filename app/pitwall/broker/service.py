"""The broker at work: orders from the engine, the stop line, the desktop's events and the clock."""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import socket
from collections.abc import Callable, Sequence
from typing import Any

from pitwall.broker.gate import UNFOCUSED, Gate, releases_only
from pitwall.core import injection
from pitwall.core.actions import InputEvent, Refusal, SentEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import ChannelClosed, DisplayError, ProtocolError
from pitwall.core.injection import FocusHolder, StopCause
from pitwall.desktops.input_backend import (
    DesktopState,
    FocusMoved,
    Heard,
    HotkeyHeard,
    HumanInput,
    InputBackend,
    TargetGone,
    held_name,
)
from pitwall.link.channel import Channel

_LOG = logging.getLogger(__name__)

_HUNG = (
    "The agent's process was silent for {} ms, so every key was released. A busy machine can cause "
    "this. If it happens often, close other programs, or raise “Silence that counts as a hang” in Settings."
)
_STRONG = (StopCause.HOTKEY, StopCause.CONSOLE, StopCause.CONSOLE_GONE, StopCause.UNSAFE)
"""Causes that are reported even after a weaker cause has latched. Any other outranks a hang alone."""
_AFTERSWEEPS_NS = (25 * NS_PER_MS, 100 * NS_PER_MS)
"""What a dead broker had already written to the server may arrive after the first sweep."""


class Broker:
    """Runs one broker process that is on duty.

    Args:
        stop_line: a byte on it, or its end, latches; None: no stop line.
        ends: descriptors that end the service once readable (a signal came, the engine died).
        standing_in: the first broker died: sweep, and begin latched.
    """

    def __init__(
        self,
        channel: Channel[Any, Any],
        backend: InputBackend,
        *,
        stop_line: socket.socket | None,
        ends: Sequence[int | socket.socket] = (),
        standing_in: bool = False,
    ) -> None:
        self._channel = channel
        self._backend = backend
        self._gate = Gate()
        self._latches = 0
        self._console_gone = False
        self._ending = False
        self._reported_held: tuple[str, ...] = ()
        self._reported_modifiers: tuple[str, ...] = ()
        self._obstacle: injection.Obstacle | None = None
        self._hidden: tuple[str, ...] = ()
        self._reported_seat: tuple[bool, bool] | None = None
        self._sweeps: list[int] = []
        self._stop_line = stop_line
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ, self._read_channel)
        self._selector.register(backend, selectors.EVENT_READ, None)
        if stop_line is not None:
            stop_line.setblocking(False)
            self._selector.register(stop_line, selectors.EVENT_READ, self._read_stop_line)
        for descriptor in ends:
            self._selector.register(descriptor, selectors.EVENT_READ, self._end)
        if standing_in:
            self._stand_in()

    def run(self) -> int:
        """Serve until the engine or desktop is gone or the process is asked to end, then release every key.

        Returns:
            The exit status: 1 when the desktop is gone.
        """
        try:
            while not self._ending:
                self._turn()
            return 0
        except DisplayError as error:
            _LOG.error("%s", error)
            self._report_display_lost(error)
            return 1
        except ChannelClosed:
            return 0
        finally:
            with contextlib.suppress(DisplayError, ChannelClosed):
                self._release(self._gate.release_all())
            self._selector.close()

    # ---- one turn of the loop

    def _turn(self) -> None:
        # Stops win: the stop line and the desktop are heard after the orders of the same turn.
        while heard := self._backend.hear():
            self._react(heard)
        if self._backend.obstacle != self._obstacle:
            self._take_obstacle(self._backend.obstacle)
            self._report_ready()
        self._report_seat()
        self._report_modifiers()
        self._watch_clock()
        ready = [key for key, _ in self._selector.select(self._timeout_s())]
        callbacks: list[Callable[[], None]] = [key.data for key in ready if key.data is not None]
        if self._read_channel in callbacks:
            self._read_channel()
        for callback in callbacks:
            if callback != self._read_channel:
                callback()
        self._channel.flush()

    def _timeout_s(self) -> float | None:
        deadlines = [
            self._gate.next_deadline_ns(),
            self._backend.next_deadline_ns(),
            self._sweeps[0] if self._sweeps else None,
        ]
        known = [at for at in deadlines if at is not None]
        if self._channel.wants_write:
            known.append(now_ns() + 5 * NS_PER_MS)
        return max(0.0, (min(known) - now_ns()) / NS_PER_S) if known else None

    def _watch_clock(self) -> None:
        at_ns = now_ns()
        if overdue := self._gate.overdue(at_ns):
            _LOG.warning("held for too long, brought up: %s", [held_name(event) for event in overdue])
            self._release(overdue)
        if self._gate.hung(at_ns):
            self._read_channel()  # messages that came while this process did not run count
            if self._gate.hung(now_ns()):
                silence = self._gate.limits.heartbeat_ms
                self._latch(StopCause.ENGINE_HUNG, _HUNG.format(silence), at_ns)
        while self._sweeps and at_ns >= self._sweeps[0]:
            self._sweeps.pop(0)
            if self._gate.latched is StopCause.STAND_IN:
                self._backend.sweep(everything=False)

    # ---- the engine

    def _read_channel(self) -> None:
        try:
            messages = self._channel.receive()
        except (ChannelClosed, ProtocolError) as error:
            _LOG.info("the engine is gone: %s", error)
            self._end()
            return
        if messages:
            self._gate.beat(now_ns())
        for message, _ in messages:
            self._handle(message)

    def _handle(self, order: Any) -> None:
        match order:
            case injection.Inject():
                self._inject(order)
            case injection.Configure():
                self._configure(order)
            case injection.FocusTarget():
                self._backend.focus_target()
            case injection.Rearm():
                if self._console_gone:
                    self._latch(
                        StopCause.CONSOLE_GONE, "The console is gone: there is no one to stop it.", now_ns()
                    )
                elif order.seen is not None and order.seen < self._latches:
                    _LOG.info("not armed: the engine did not know of the last stop yet")
                elif self._gate.unsafe:
                    self._stop_unsafe()
                else:
                    self._arm_backend(True)
                    self._gate.rearm(now_ns())
                    self._watch_people()
            case injection.Disarm():
                self._release(self._gate.disarm())
                self._watch_people()
                self._arm_backend(False)
            case injection.Latch():
                self._latch(order.cause, "The emergency stop was pressed.", now_ns())

    def _configure(self, order: injection.Configure) -> None:
        seat = self._backend.own_seat
        hidden, faults = self._backend.configure(order)
        self._gate.configure(order)
        self._gate.has_target = self._backend.has_target
        self._hidden = hidden
        self._take_obstacle(self._backend.obstacle)
        self._report_ready(answers=1)
        for fault in faults:
            self._send(fault)
        if self._backend.own_seat is not seat:  # what was held came up with the earlier devices
            self._react([FocusMoved(holder=FocusHolder.OTHER, at_ns=now_ns())])
        self._react([FocusMoved(holder=self._backend.holder, at_ns=now_ns())])
        self._report_modifiers()
        self._watch_people()

    def _take_obstacle(self, obstacle: injection.Obstacle | None) -> None:
        """Let no agent play while there is an obstacle; stop one that plays."""
        self._obstacle, self._gate.unsafe = obstacle, obstacle is not None
        if obstacle is not None and self._gate.live:
            self._stop_unsafe()

    def _stop_unsafe(self) -> None:
        assert self._obstacle is not None
        self._latch(StopCause.UNSAFE, f"{self._obstacle.what} {self._obstacle.fix}", now_ns())

    def _arm_backend(self, armed: bool) -> None:
        for fault in self._backend.arm(armed):
            self._send(fault)
        self._report_seat()

    def _watch_people(self) -> None:
        gate = self._gate
        looks = gate.follows or (gate.goes_on and (gate.person or gate.limits.takeover))
        self._backend.watch_people(looks, playing=gate.person or gate.follows)

    # ---- events

    def _inject(self, order: injection.Inject) -> None:
        if self._gate.live and not releases_only(order.events):
            with self._backend.still():
                while heard := self._backend.hear():  # earlier events count
                    self._react(heard)
                sent = [self._inject_event(event, order.observed_ns, still=True) for event in order.events]
        else:
            sent = [self._inject_event(event, order.observed_ns, still=False) for event in order.events]
        self._send(injection.Receipt(batch=order.batch, events=tuple(sent)))
        self._report_held()

    def _inject_event(self, event: InputEvent, observed_ns: int, *, still: bool) -> SentEvent:
        if not self._backend.knows(event):
            return SentEvent(event=event, sent_ns=None, refused=Refusal.UNKNOWN_KEY)
        desktop = self._backend.desktop_state(event) if still and self._gate.live else UNFOCUSED
        at_ns = now_ns()
        held_since = None
        if event.kind in ("key_down", "mouse_down"):
            held_since = self._gate.ledger.since(held_name(event))
        refusal = self._gate.admit(event, desktop, now_ns=at_ns, observed_ns=observed_ns)
        if refusal is not None:
            return SentEvent(event=event, sent_ns=None, refused=refusal)
        if held_since is not None:
            return SentEvent(event=event, sent_ns=held_since)
        self._backend.emit(event, self._place(event, desktop, observed_ns))
        return SentEvent(event=event, sent_ns=now_ns())

    def _place(self, event: InputEvent, desktop: DesktopState, observed_ns: int) -> tuple[int, int] | None:
        """Return the place to move to before an event; a release moves only where a move alone would pass."""
        if event.kind != "mouse_up" or desktop.place is None:
            return desktop.place
        move = InputEvent(kind="mouse_move", x=event.x, y=event.y)
        refused = self._gate.admit(move, desktop, now_ns=now_ns(), observed_ns=observed_ns)
        return None if refused is not None else desktop.place

    def _release(self, events: list[InputEvent]) -> int:
        """Release these keys and buttons; return when they were up."""
        if not events:
            return now_ns()
        for event in events:
            self._backend.emit(event)
        up_ns = self._backend.settle()
        self._report_held()
        return up_ns

    # ---- the desktop, the stop line

    def _react(self, heard: list[Heard]) -> None:
        for news in heard:
            match news:
                case FocusMoved():
                    if news.holder is not FocusHolder.GAME:
                        self._release(self._gate.release_all())
                    self._send(injection.FocusChanged(holder=news.holder, at_ns=news.at_ns))
                case HotkeyHeard(name="stop"):
                    self._latch(StopCause.HOTKEY, f"{news.text} was pressed.", news.at_ns)
                case HotkeyHeard(name="start") if self._backend.holder is not FocusHolder.GAME:
                    pass  # it was meant for another window
                case HotkeyHeard(name="pause" | "start" | "overlay" | "clip" | "keep" as name):
                    self._send(injection.HotkeyPressed(name=name, at_ns=news.at_ns))
                case HumanInput() if not self._gate.is_of_another_side(news.event):
                    if not self._gate.person and self._gate.goes_on and self._gate.limits.takeover:
                        self._latch(StopCause.TAKEOVER, news.text, news.at_ns)
                    tells = self._gate.follows or (self._gate.person and self._gate.live)
                    if tells and news.event is not None:
                        self._send(injection.PersonActed(event=news.event, at_ns=news.at_ns))
                case TargetGone():
                    self._gate.has_target = False
                    self._release(self._gate.release_all())

    def _read_stop_line(self) -> None:
        assert self._stop_line is not None
        try:
            ended = not self._stop_line.recv(4096)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            ended = True
        if not ended:
            self._latch(StopCause.CONSOLE, "The emergency stop was pressed.", now_ns())
            return
        self._selector.unregister(self._stop_line)
        self._console_gone = True
        self._latch(StopCause.CONSOLE_GONE, "The console is gone.", now_ns())

    def _latch(self, cause: StopCause, detail: str, heard_ns: int) -> None:
        latched = self._gate.latched
        if latched not in (None, StopCause.ENGINE_HUNG) and cause not in _STRONG:
            return
        released = self._gate.ledger.names
        up_ns = self._release(self._gate.latch(cause))
        self._watch_people()
        self._report_latched(cause, detail, heard_ns=heard_ns, up_ns=up_ns, released=released)
        if cause is not StopCause.ENGINE_HUNG:  # after a hiccup play goes on: the game keeps the focus
            self._arm_backend(False)

    def _stand_in(self) -> None:
        heard_ns = now_ns()
        released = self._backend.sweep(everything=True)
        self._gate.latch(StopCause.STAND_IN)
        up_ns = now_ns()
        self._sweeps = [up_ns + after for after in _AFTERSWEEPS_NS]
        self._report_latched(
            StopCause.STAND_IN,
            "The first broker died; the second released every key and took over.",
            heard_ns=heard_ns,
            up_ns=up_ns,
            released=released,
        )

    # ---- reports

    def _report_latched(
        self, cause: StopCause, detail: str, *, heard_ns: int, up_ns: int, released: tuple[str, ...]
    ) -> None:
        self._latches += 1
        self._send(
            injection.Latched(cause=cause, detail=detail, heard_ns=heard_ns, up_ns=up_ns, released=released)
        )

    def _report_held(self) -> None:
        names = self._gate.ledger.names
        if names != self._reported_held:
            self._reported_held = names
            self._send(injection.Held(keys=names, at_ns=now_ns()))

    def _report_seat(self) -> None:
        if self._reported_seat not in (None, (self._backend.own_seat, self._backend.gives_way)):
            self._report_ready()

    def _report_ready(self, *, answers: int = 0) -> None:
        self._reported_seat = self._backend.own_seat, self._backend.gives_way
        self._send(
            injection.Ready(
                pid=os.getpid(),
                backend=self._backend.name,
                standby=False,
                configured=True,
                own_seat=self._backend.own_seat,
                gives_way=self._backend.gives_way,
                answers=answers,
                hotkeys=self._hidden,
                obstacle=self._obstacle,
            )
        )

    def _report_modifiers(self) -> None:
        names = () if self._gate.person else tuple(sorted(self._backend.foreign_modifiers))
        if names != self._reported_modifiers:
            self._reported_modifiers = names
            self._send(injection.ModifiersHeld(modifiers=names))

    def _report_display_lost(self, error: DisplayError) -> None:
        at_ns = now_ns()
        with contextlib.suppress(ChannelClosed):
            self._send(injection.BrokerFault(what=error.what, fix=error.fix))
            self._report_latched(
                StopCause.DISPLAY, error.what, heard_ns=at_ns, up_ns=at_ns, released=self._gate.ledger.names
            )
            self._channel.flush(0.2)

    def _send(self, message: Any) -> None:
        self._channel.send(message)

    def _end(self) -> None:
        self._ending = True
