"""Presses one harmless key in the game, or moves the pointer there by a pixel, outside of a run."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from pitwall.core import injection
from pitwall.core.actions import EventKind, InputEvent
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.errors import DisplayError, PitwallError, UnsafeStart
from pitwall.core.geometry import WindowRef
from pitwall.desktops.here import this_desktop
from pitwall.engine.action.broker_link import BrokerLink
from pitwall.engine.session.game_session import GameSession

_HARMLESS = ("Shift", "Control", "Alt")
_WAIT_NS = 2 * NS_PER_S
_ARRIVES_S = 1.0

Take = Callable[[Any], None]
"""Takes a message of the broker."""


class TrialPress:
    """Presses in the game that is in view; nothing of it stays down.

    Args:
        take: gets each message of the broker, as in a run.

    Attributes:
        key: the key to press, which the game does not use if possible.
    """

    def __init__(self, session: GameSession, broker: BrokerLink, take: Take) -> None:
        self._session, self._broker, self._take = session, broker, take
        used = session.vocabulary.allowed_keys
        self.key = next((key for key in _HARMLESS if key not in used), _HARMLESS[0])
        self._by_key = bool(used) or not session.vocabulary.allow_mouse

    @contextlib.contextmanager
    def armed(self) -> Iterator[None]:
        """Aim the broker at the game, and allow it this key, until the block ends.

        Raises:
            PitwallError: the game does not take the focus, or the broker does not answer.
        """
        usual = self._session.broker_configuration(self._session.view.window)
        broker = self._broker
        broker.configure(dataclasses.replace(usual, allowed_keys=(self.key,)))
        broker.focus_target()
        broker.rearm()
        try:
            self._send(())  # its receipt comes after: the agent's own keyboard is there, if it is to be
            if broker.focus is not injection.FocusHolder.GAME:
                self.wait_for(_game_has_focus, "the game does not take the keyboard focus.")
            yield
        finally:
            broker.disarm()
            broker.configure(usual)

    def press(self, *kinds: EventKind) -> injection.Receipt:
        """Send events of the key; return the broker's receipt.

        Raises:
            PitwallError: it was refused; says why.
        """
        return self._send(tuple(InputEvent(kind=kind, key=self.key) for kind in kinds))

    def arrives(self) -> bool | None:
        """Press or move, and return whether the game's program was given that.

        Returns:
            None where this desktop does not show it; nothing is pressed then.

        Raises:
            PitwallError: it was refused; says why.
        """
        window = self._session.view.window
        assert window is not None, "pressed without a game in view"
        with contextlib.ExitStack() as watching:
            try:
                arrivals = watching.enter_context(this_desktop().watch_arrivals(window))
            except DisplayError:
                return None
            if self._by_key:
                self.press("key_down", "key_up")
                return arrivals.any("key", _ARRIVES_S)
            self._move(window)
            return arrivals.any("pointer", _ARRIVES_S)

    def wait_for(self, wanted: Callable[[Any], bool], otherwise: str = "the broker does not answer.") -> Any:
        """Return the first message of the broker that is wanted.

        Raises:
            UnsafeStart: the agent was stopped meanwhile.
            PitwallError: it does not come.
        """
        until = now_ns() + _WAIT_NS
        while now_ns() < until:
            self._broker.heartbeat()
            self._broker.wait(0.05)
            messages = self._broker.poll()
            for message in messages:  # also those after the wanted message: a stop may be among them
                self._take(message)
            for message in messages:
                if wanted(message):
                    return message
                if isinstance(message, injection.Latched):
                    raise UnsafeStart(message.detail, "Start again when you are ready.")
        raise PitwallError(otherwise, "Check again with the game in front.")

    def _move(self, window: WindowRef) -> None:
        x, y = window.rect.width // 2, window.rect.height // 2
        self._send(tuple(InputEvent(kind="mouse_move", x=x + step, y=y) for step in (0, 1)))

    def _send(self, events: tuple[InputEvent, ...]) -> injection.Receipt:
        batch = self._broker.inject(events, 0)
        receipt: injection.Receipt = self.wait_for(
            lambda message: isinstance(message, injection.Receipt) and message.batch == batch
        )
        refused = next((sent.refused for sent in receipt.events if sent.refused is not None), None)
        if refused is not None:
            raise PitwallError(
                f"the press was refused ({refused}).", "Click into the game once, then check again."
            )
        return receipt


def _game_has_focus(message: Any) -> bool:
    return isinstance(message, injection.FocusChanged) and message.holder is injection.FocusHolder.GAME
