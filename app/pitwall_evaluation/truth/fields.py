"""Truth of the kind "fields": scores that the state reader reads from the pixels; never verified."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from pitwall.core.errors import PitwallError
from pitwall.core.observations import GameStatus, Value
from pitwall_evaluation.truth.state import TrueState
from pitwall_evaluation.truth.values import state_from_values

_STANDS_S = 0.25
"""Seconds after which a single reading counts although no other confirms it: the picture does not change."""


class FieldsTruth:
    """True states built from the readings that the run reports.

    A misread digit must not win a task: of two successive readings the smaller number counts, and a text or a
    status only if both agree. A value that was not read stays as it was.

    Args:
        game_id: included in the states.
        fields: dotted path → name of a field.
        clock: monotonic, in seconds.
    """

    def __init__(
        self, game_id: str, fields: Mapping[str, str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._game_id = game_id
        self._fields = dict(fields)
        self._clock = clock
        self._before: dict[str, Value] = {}
        self._newest: dict[str, Value] = {}
        self._values: dict[str, Value] = {}
        self._status = self._newest_status = GameStatus.LOADING
        self._heard_s: float | None = None
        self._problem = ""

    def hear(self, status: GameStatus, readings: Mapping[str, Value]) -> None:
        """Take in the readings of one frame."""
        if status is self._newest_status:
            self._status = status
        self._newest_status, self._heard_s = status, self._clock()
        self._before, self._newest = self._newest, {}
        for path, name in self._fields.items():
            if (value := readings.get(name)) is None:
                continue
            self._newest[path] = value
            if path in self._before:
                self._agree(path, self._before[path], value)

    def read(self) -> TrueState | None:
        """Return the newest state; None while nothing was read."""
        if self._heard_s is None:
            return None
        if self._clock() - self._heard_s >= _STANDS_S:
            self._values.update(self._newest)
            self._status = self._newest_status
        try:
            state, self._problem = state_from_values(self._game_id, self._values, self._status), ""
        except PitwallError as error:
            self._problem = str(error)
            return None
        return state

    def complaint(self) -> str:
        """Describe why there is no state, or which fields were never read; "" if nothing is missing."""
        if self._problem:
            return self._problem
        unread = [name for path, name in self._fields.items() if path not in self._values]
        if not unread:
            return ""
        return f"the state reader never read {', '.join(unread)}."

    def close(self) -> None:
        """Do nothing: no file is held open."""

    def _agree(self, path: str, before: Value, now: Value) -> None:
        if _is_number(before) and _is_number(now):
            assert isinstance(before, int | float)
            assert isinstance(now, int | float)
            self._values[path] = min(before, now)
        elif before == now:
            self._values[path] = now


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
