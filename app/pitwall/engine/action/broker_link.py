"""The engine's end of the two brokers: one on duty, one on standby, and the change-over when one dies."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import socket
import subprocess
import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

from pitwall.core import injection
from pitwall.core.actions import InputEvent, Refusal, SentEvent
from pitwall.core.clock import NS_PER_MS, NS_PER_S, now_ns
from pitwall.core.errors import ChannelClosed, ChildDied, ProtocolError
from pitwall.core.injection import FocusHolder, StopCause
from pitwall.desktops.here import processes
from pitwall.link.channel import CHANNEL_OPTION, STOP_LINE_OPTION, Channel, pair
from pitwall.link.child_process import Child
from pitwall.link.plain_vocabulary import PlainVocabulary

_LOG = logging.getLogger(__name__)

TO_BROKER = PlainVocabulary(injection.ToBroker)
FROM_BROKER = PlainVocabulary(injection.FromBroker)

_BEAT_NS = 40 * NS_PER_MS
"""A heartbeat is sent after this much silence; any other message is a sign of life too."""
_ANSWER_NS = 2 * NS_PER_S
"""A broker that does nothing for this long while it owes an answer counts as hung and is killed."""
_LATE_NS = 10 * NS_PER_S
"""So does a broker that owes an answer for this long, whatever it does. On a busy machine it is only slow."""
_ASK_NS = NS_PER_S
"""After this long without a batch (as while a key is held) an empty batch checks that the broker lives."""
_RESTART_NS = NS_PER_S
"""Wait before a dead standby broker is replaced."""
_MOST_DEATHS = 3
"""A standby broker that dies so often before it is ready does not come any more."""
_NO_STANDBY = "The second broker, which lets the keys go should the first one die, does not start."
_WAIT_S = 0.001
"""The engine waits this long after a press for the broker to inject it; the broker needs half of it."""
GIVES_WAY = "You type in a program that hears one keyboard alone."
_PRESSES = ("key_down", "mouse_down", "mouse_move", "mouse_look", "scroll")
_LAST_BREATH_S = 0.05
"""Longest time between the end of a broker's channel and its death."""
_ALREADY_DEAD = 0
"""A broker that watches this process id stands in at once."""
_WATCH_OPTION = "--watch"
_OWNER_OPTION = "--owner-pid"


class _Broker:
    """A broker process and its channel.

    Attributes:
        latches: number of `Latched` messages that it sent.
        ready: it reported that it can inject (or stands by).
        configured: it took an order, and listens to hotkeys.
        orders: number of orders that it has not answered yet.
        obstacle: why no agent may play, by its last report; None: it may.
    """

    def __init__(self, stop_line: socket.socket | None, log: Path, watch: int | None) -> None:
        ours, theirs = pair()
        sockets = {CHANNEL_OPTION: theirs}
        if stop_line is not None:
            sockets[STOP_LINE_OPTION] = stop_line.dup()
        arguments = [_OWNER_OPTION, str(os.getpid())]
        if watch is not None:
            arguments += [_WATCH_OPTION, str(watch)]
        self.child = Child("broker", arguments, sockets=sockets, log=log)
        self.channel: Channel[Any, Any] = Channel(ours, TO_BROKER, FROM_BROKER)
        self.latches = 0
        self.ready = self.configured = False
        self.orders = 0
        self.obstacle: injection.Obstacle | None = None

    def receive(self) -> tuple[list[Any], bool]:
        """Return its messages, and whether it is dead (True once every message was returned)."""
        try:
            messages = [message for message, _ in self.channel.receive()]
        except ChannelClosed:
            return [], True
        except ProtocolError:
            _LOG.exception("a broker cannot be understood")
            self.child.process.kill()
            return [], True
        self.latches += sum(isinstance(message, injection.Latched) for message in messages)
        reports = [message for message in messages if isinstance(message, injection.Ready)]
        self.ready = self.ready or bool(reports)
        for report in reports:
            if report.configured:
                self.configured, self.obstacle = True, report.obstacle
                self.orders = max(0, self.orders - report.answers)
        return messages, False

    def bury(self) -> ChildDied:
        """Kill and collect the process, and return its death."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.process.wait(_LAST_BREATH_S)
        self.child.process.kill()
        self.child.process.wait()
        self.channel.close()
        return self.child.death()


class BrokerLink:
    """Sends orders to the broker on duty.

    Args:
        stop_line: the broker's end of the stop line; passed to each broker started.
        console_pids: processes whose windows count as the console's, added to every `Configure`.

    Attributes:
        held: keys and buttons that are down, by the last report of the broker on duty.
        focus: who has the keyboard, by its last report.
        modifiers: those that somebody else holds, by its last report: no press passes.
        own_seat: it presses with a keyboard and pointer of the agent's own, by its last report.
        gives_way: those are away while the person types in a program that hears one keyboard alone.
        waited_ns: total time that `inject` has waited for the broker.
    """

    def __init__(
        self, *, stop_line: socket.socket | None, logs: Path, console_pids: tuple[int, ...] = ()
    ) -> None:
        self._stop_line = stop_line
        self._log = logs / "broker.log"
        self._console_pids = console_pids
        self._order: injection.Configure | None = None
        self._batches = 0
        self._unanswered: deque[tuple[int, int, tuple[InputEvent, ...]]] = deque()
        self._beaten_ns = self._worked_ns = 0
        self._busy_s = 0.0
        self._batch_ns = 0
        self._question = 0
        self._heard_ns = 0
        self._next_standby_ns = 0
        self.held: tuple[str, ...] = ()
        self.focus = FocusHolder.OTHER
        self.own_seat = self.gives_way = self._had_own_seat = False
        self.waited_ns = 0
        self.modifiers: tuple[str, ...] = ()
        self._standby_deaths = self._armed_by = 0
        self._duty = _Broker(stop_line, self._log, None)
        self._standby: _Broker | None = _Broker(stop_line, self._log, self._duty.child.pid)

    @property
    def pid(self) -> int:
        return self._duty.child.pid

    @property
    def listens(self) -> bool:
        """Return whether the broker on duty hears the operator's hotkeys and the other stands by."""
        return self._duty.configured and (
            (self._standby is not None and self._standby.ready) or self.obstacle is not None
        )

    @property
    def obstacle(self) -> injection.Obstacle | None:
        """Return why no agent may play now; None: it may."""
        if self._standby_deaths >= _MOST_DEATHS:
            return injection.Obstacle(
                what=_NO_STANDBY, fix="See broker.log (pitwall doctor names its folder)."
            )
        return self._duty.obstacle

    @property
    def answered(self) -> bool:
        """Return whether the broker on duty has answered every order."""
        return self._duty.orders == 0

    def has_answered(self, batch: int) -> bool:
        """Return whether the outcome of this batch and of all before it has come."""
        return not any(number <= batch for number, _, _ in self._unanswered)

    def filenos(self) -> list[int]:
        """Return the files to select on; they change when a broker dies, and may be none."""
        known = [broker.channel.fileno() for broker in (self._duty, self._standby) if broker is not None]
        return [fileno for fileno in known if fileno >= 0]

    def wait(self, timeout_s: float) -> None:
        """Wait for a message of a broker, at most this long; Windows cannot select on no files."""
        if filenos := self.filenos():
            select.select(filenos, [], [], timeout_s)
        else:
            time.sleep(timeout_s)

    # ---- orders (the next `poll` handles a dead broker)

    def configure(self, order: injection.Configure) -> None:
        """Set limits, hotkeys, target and controls; a broker that stands in gets the same order."""
        pids = tuple(dict.fromkeys((*order.console_pids, *self._console_pids)))
        self._order = replace(order, console_pids=pids)
        self._send_order(self._order)

    def inject(self, events: tuple[InputEvent, ...], observed_ns: int = 0) -> int:
        """Inject now, in order; the outcome comes as the `Receipt` of the returned batch."""
        self._batches += 1
        self._batch_ns = now_ns()
        self._unanswered.append((self._batches, self._batch_ns, events))
        self._send(injection.Inject(batch=self._batches, events=events, observed_ns=observed_ns))
        if any(event.kind in _PRESSES for event in events):
            # With few processors the broker would otherwise wait behind this process's next work.
            began = now_ns()
            self.wait(_WAIT_S)
            self.waited_ns += now_ns() - began
        return self._batches

    @property
    def reaches_game(self) -> bool:
        """Return whether presses would reach the game, if need be by the own seat that was there before."""
        return self.focus is FocusHolder.GAME or self._had_own_seat

    def kept_waiting(self, *, person: bool) -> str:
        """Return why the broker does not hear the person yet, or lets no press of the agent pass; else ""."""
        if person:
            return "" if self.has_answered(self._armed_by) else "Waiting until your keys are heard."
        if self.gives_way:
            return GIVES_WAY
        held = " and ".join(self.modifiers)
        return f"{held} is held down: every key of the agent would mean another." if held else ""

    def focus_target(self) -> None:
        self._send(injection.FocusTarget())

    def rearm(self) -> None:
        """Allow presses again. It does not clear a stop that `poll` has not returned yet."""
        self._send(injection.Rearm(seen=self._duty.latches))
        self._armed_by = self.inject(())  # its answer comes after: a person is heard from then on

    def disarm(self) -> None:
        self._had_own_seat = self.own_seat
        self._send(injection.Disarm())

    def latch(self, cause: StopCause = StopCause.CONSOLE) -> None:
        self._send(injection.Latch(cause=cause))

    def heartbeat(self) -> None:
        """Report that the engine lives, and check that the broker does; call it at 10 Hz or faster."""
        if self._duty.ready and not self._unanswered and now_ns() - self._batch_ns >= _ASK_NS:
            self._question = self.inject(())
        if now_ns() - self._beaten_ns >= _BEAT_NS:
            self._send(injection.Heartbeat())

    # ---- answers

    def poll(self) -> list[Any]:
        """Return the brokers' messages, oldest first; never waits.

        When the broker on duty died, the standby takes its place, a new standby is started, the last
        `Configure` is sent again, and unanswered batches are answered as refused. The engine
        gets a `Latched` with the cause STAND_IN. If both died at once, a third is started that releases
        all keys and stands in.

        Raises:
            ChildDied: no broker can be started (any more); has the last one's output.
        """
        messages, duty_died = self._duty.receive()
        if messages:
            self._heard_ns = now_ns()
        for message in messages:
            self._note(message)
        news, standby_died = self._standby.receive() if self._standby is not None else ([], False)
        stands_in = (isinstance(new, injection.Latched) and new.cause is StopCause.STAND_IN for new in news)
        if duty_died or any(stands_in):
            messages += self._change_over(standby_died)
        elif standby_died:
            self._drop_standby()
        if self._standby is not None and self._standby.ready:
            self._standby_deaths = 0
        messages += news
        if self._standby is None and now_ns() >= self._next_standby_ns:
            self._standby = _Broker(self._stop_line, self._log, self._duty.child.pid)
        if self._is_hung():
            _LOG.error("the broker left a batch unanswered and is killed")
            self._duty.child.process.kill()
        return [
            message
            for message in messages
            if not isinstance(message, injection.Receipt) or message.batch != self._question
        ]

    def close(self) -> None:
        """End both brokers; they release every key first."""
        brokers = [broker for broker in (self._duty, self._standby) if broker is not None]
        for broker in brokers:
            broker.channel.close()
        for broker in brokers:
            broker.child.end()

    def _is_hung(self) -> bool:
        if not self._unanswered or not self._duty.ready:
            return False  # a process that starts slowly owes nothing before its first message
        now = now_ns()
        if (busy_s := processes().busy_s(self.pid)) != self._busy_s:
            self._busy_s, self._worked_ns = busy_s, now
        owed_ns = max(self._unanswered[0][1], self._heard_ns)
        return now - max(owed_ns, self._worked_ns) > _ANSWER_NS or now - owed_ns > _LATE_NS

    def _send(self, message: Any) -> None:
        self._beaten_ns = now_ns()
        with contextlib.suppress(ChannelClosed):  # the next poll notices
            self._duty.channel.send(message)

    def _send_order(self, order: injection.Configure) -> None:
        self._duty.orders += 1
        self._send(order)

    def _note(self, message: Any) -> None:
        match message:
            case injection.Held():
                self.held = message.keys
            case injection.FocusChanged():
                self.focus = message.holder
            case injection.ModifiersHeld():
                self.modifiers = message.modifiers
            case injection.Ready() if message.configured:
                self.own_seat, self.gives_way = message.own_seat, message.gives_way
            case injection.Receipt():
                while self._unanswered and self._unanswered[0][0] <= message.batch:
                    self._unanswered.popleft()

    def _change_over(self, standby_died: bool) -> list[Any]:
        had_begun, death = self._duty.ready, self._duty.bury()
        if self._standby is not None and standby_died:
            self._drop_standby()
        if not had_begun and (self._standby is None or not self._standby.ready):
            raise death
        if self._standby is None:
            self._standby = _Broker(self._stop_line, self._log, _ALREADY_DEAD)
        _LOG.warning("%s", death)
        self._duty, self._standby = self._standby, None
        self._next_standby_ns = now_ns()
        self.held = self.modifiers = ()
        refused = []  # every key is up now, so each event of an unanswered batch counts as refused
        for batch, _, events in self._unanswered:
            sent = (SentEvent(event=event, sent_ns=None, refused=Refusal.LATCHED) for event in events)
            refused.append(injection.Receipt(batch=batch, events=tuple(sent)))
        self._unanswered.clear()
        if self._order is not None:
            self._send_order(self._order)
        return refused

    def _drop_standby(self) -> None:
        assert self._standby is not None
        self._standby_deaths += 1
        _LOG.warning("the broker standing by is gone: %s", self._standby.bury())
        self._standby = None
        self._next_standby_ns = now_ns() + _RESTART_NS
