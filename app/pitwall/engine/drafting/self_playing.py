"""Presses a new game's actions by chance while it is watched and nobody plays it."""

from __future__ import annotations

import contextlib
import random
from collections import deque

from pitwall.core.actions import InputEvent
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Frame
from pitwall.core.paths import DataFolder
from pitwall.engine.drafting.input_trial import InputTrial
from pitwall.engine.session.game_view import GameView
from pitwall.engine.session.passages import resolved_press
from pitwall.games.drafting.draft import Draft
from pitwall.games.schema.passages import PassageStep

_BETWEEN_S = 0.15
"""Time between two presses (choice)."""


class SelfPlayer:
    """Presses one action after the other, until a person presses something.

    Raises:
        PitwallError: the game does not take the focus.
    """

    def __init__(self, view: GameView, draft: Draft, data: DataFolder) -> None:
        self._screen, self._dice = draft.screen, random.Random(0)
        self._steps = [
            PassageStep(**action.model_dump(include={"keys", "click", "button", "hold_ms"}))
            for action in draft.actions
            if action.presses
        ]
        self._due: deque[tuple[float, InputEvent]] = deque()
        self._next_s = 0.0
        self._open = contextlib.ExitStack()
        self._trial = self._open.enter_context(contextlib.closing(InputTrial(view, draft.screen, data)))
        keys = sorted({key for step in self._steps for key in step.keys})
        mouse = any(step.click is not None for step in self._steps)
        try:
            self._open.enter_context(self._trial.armed(keys, mouse=mouse))
        except PitwallError:
            self._open.close()
            raise

    def turn(self, at_s: float, frame: Frame) -> list[InputEvent]:
        """Send what is due, and return it.

        Args:
            at_s: now, on the monotonic clock.

        Raises:
            PitwallError: a person took over, or the game lost the focus.
        """
        self._trial.wait(0.001)
        if not self._due and self._steps and at_s >= self._next_s:
            step = self._dice.choice(self._steps)
            resolved = resolved_press(step, self._screen, (frame.width, frame.height))
            self._due.extend((at_s + timed.at_ms / 1000, timed.event) for timed in resolved.events)
            self._next_s = at_s + resolved.duration_ms / 1000 + _BETWEEN_S
        sent = []
        while self._due and self._due[0][0] <= at_s:
            sent.append(self._due.popleft()[1])
            self._trial.inject(sent[-1])
        return sent

    def close(self) -> None:
        """Release every key and end the brokers."""
        self._open.close()
