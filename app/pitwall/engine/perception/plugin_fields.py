"""Reads fields by a game's own code; if it fails or is slow, perception continues."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Mapping

from pitwall.core.errors import FaultLog, PitwallError, PluginFailed
from pitwall.core.frames import Pixels
from pitwall.core.observations import Value
from pitwall.games.plugin_loader import PluginReader, load_reader
from pitwall.games.schema.fields import PythonField
from pitwall.games.schema.profile import Game

SLOW_MS = 20.0
_WINDOW = 20
_NOTHING: Mapping[str, Value] = {}


class PluginFields:
    """Asks a game's code for its fields, frame by frame.

    An exception or an invalid value is reported once, and the fields of that frame are not read. A median
    time of more than `SLOW_MS` over 20 frames is reported too.

    Args:
        fields: the declared fields; other results are ignored.
        reader: the game's code; None where it could not be loaded.
    """

    def __init__(self, fields: list[PythonField], reader: PluginReader | None) -> None:
        self._names = tuple(field.name for field in fields)
        self._reader = reader
        self._took_ms: deque[float] = deque(maxlen=_WINDOW)
        self._faults = FaultLog()

    @property
    def median_ms(self) -> float:
        """Return the median time of the last 20 frames; 0 before the first."""
        return statistics.median(self._took_ms) if self._took_ms else 0.0

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """Return the fields of a frame; a missing field could not be read."""
        if self._reader is None:
            return _NOTHING
        began = time.perf_counter()
        try:
            given = self._reader.read(pixels)
            values = {name: _plain(given.get(name)) for name in self._names}
        except Exception as error:
            last = error.__traceback__
            while last is not None and last.tb_next is not None:
                last = last.tb_next
            place = f" ({last.tb_frame.f_code.co_filename}:{last.tb_lineno})" if last is not None else ""
            fault = f"The game's code failed: {type(error).__name__}: {error}{place}."
            self.report("failed", PluginFailed(fault, _MEND))
            return _NOTHING
        self._took_ms.append((time.perf_counter() - began) * 1000)
        if len(self._took_ms) == _WINDOW and self.median_ms > SLOW_MS:
            fault = f"The game's code takes {self.median_ms:.0f} ms a frame; it should take at most 20."
            self.report(
                "slow", PluginFailed(fault, "Make the code faster: it delays each frame by that time.")
            )
        return values

    def report(self, kind: str, fault: PitwallError) -> None:
        """Report the first fault of each kind to the operator."""
        self._faults.add(fault, kind)

    def faults(self) -> list[PitwallError]:
        return self._faults.take()


_MEND = "Its fields cannot be read until it is fixed; everything else works."


def plugin_fields(game: Game) -> PluginFields | None:
    """Return the reader of a game's own fields; None if it declares none.

    Code that cannot be loaded, or is not trusted, is reported as a fault, and its fields are not read.
    """
    fields = [field for field in game.profile.fields if isinstance(field, PythonField)]
    if not fields or game.profile.python is None:
        return None
    try:
        return PluginFields(fields, load_reader(game))
    except PitwallError as error:
        unloaded = PluginFields(fields, None)
        unloaded.report("load", error)
        return unloaded


def _plain(value: object) -> Value:
    """Return a value that the run log can keep; NumPy's numbers become Python's."""
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, bool | int | float | str):
        value = item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is not None and not isinstance(value, bool | int | float | str):
        raise TypeError(f"{value!r:.60} is no number, text or truth value")
    return value
