"""Turns a game's view once around with the mouse, and measures it."""

from __future__ import annotations

import time
from collections.abc import Callable

from pitwall.core.frames import Pixels
from pitwall.engine.drafting.input_trial import InputTrial, share_percent
from pitwall.engine.drafting.turning import Turn, turn_around
from pitwall.games.actions.mouse_look import motions
from pitwall.games.schema.actions import MouseLook

_LOOK_S = 0.03
_STILL_PERCENT = 0.05
"""Share of a picture that changes while it rests."""
_MOST_S = 0.3
"""Longest wait for a picture to rest: somewhere something always moves."""


def measure_turn(
    trial: InputTrial, look: MouseLook, *, progress: Callable[[int], None] = lambda _: None
) -> Turn:
    """Measure a whole turn; takes a minute or two.

    Args:
        progress: called with the number of pictures so far.

    Raises:
        PitwallError: the game does not take the focus, or its picture does not turn, or never repeats.
    """

    def turned(units: int) -> Pixels:
        for timed in motions(units, 0, look):
            trial.inject(timed.event)
            trial.wait(1.0 / look.rate_hz)
        return _at_rest(trial)

    with trial.armed((), mouse=True):
        return turn_around(turned, progress=progress)


def _at_rest(trial: InputTrial) -> Pixels:
    seen, until_s = trial.look(), time.monotonic() + _MOST_S
    while time.monotonic() < until_s:
        trial.wait(_LOOK_S)
        before, seen = seen, trial.look()
        if share_percent(before, seen) < _STILL_PERCENT:
            break
    return seen
