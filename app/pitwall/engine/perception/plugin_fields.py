"""Fields that a game's own code reads: it may fail or be slow, and perception goes on."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Mapping

from pitwall.core.errors import PitwallError, PluginFailed
from pitwall.core.fault_log import FaultLog
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

    What it raises, or gives that is no value, is told once, and the fields of that frame read none;
    so does a median of more than `SLOW_MS` over 20 frames.

    Args:
        fields: those that the profile declares; anything else it gives is left out.
        reader: the game's code; None where it could not be loaded.
    """

    def __init__(self, fields: list[PythonField], reader: PluginReader | None) -> None:
        self._names = tuple(field.name for field in fields)
        self._reader = reader
        self._took_ms: deque[float] = deque(maxlen=_WINDOW)
        self._faults = FaultLog()

    @property
    def median_ms(self) -> float:
        """Time for one frame, the median of the last 20; 0 before the first."""
        return statistics.median(self._took_ms) if self._took_ms else 0.0

    def read(self, pixels: Pixels) -> Mapping[str, Value]:
        """The fields of a frame; what is missing could not be read."""
        if self._reader is None:
            return _NOTHING
        began = time.perf_counter()
        try:
            given = self._reader.read(pixels)
            values = {name: _plain(given.get(name)) for name in self._names}
        except Exception as error:
            self.tell("failed", PluginFailed(f"The game's code failed: {_where(error)}.", _MEND))
            return _NOTHING
        self._took_ms.append((time.perf_counter() - began) * 1000)
        if len(self._took_ms) == _WINDOW and self.median_ms > SLOW_MS:
            what = f"The game's code takes {self.median_ms:.0f} ms a frame; it should take at most 20."
            self.tell("slow", PluginFailed(what, "Each frame is seen so much later."))
        return values

    def tell(self, kind: str, fault: PitwallError) -> None:
        """Remember a fault for the operator, the first of its kind only."""
        self._faults.add(fault, kind)

    def faults(self) -> list[PitwallError]:
        return self._faults.take()


_MEND = "Its fields cannot be read until that is mended; everything else goes on."


def plugin_fields(game: Game) -> PluginFields | None:
    """Return the reader of a game's own fields; None if it declares none. Code that cannot be loaded, or is
    not trusted, is a fault to tell, and the fields read none."""
    fields = [field for field in game.profile.fields if isinstance(field, PythonField)]
    if not fields or game.profile.python is None:
        return None
    try:
        return PluginFields(fields, load_reader(game))
    except PitwallError as error:
        nothing = PluginFields(fields, None)
        nothing.tell("load", error)
        return nothing


def _plain(value: object) -> Value:
    """A value as the run log can keep it; a number of numpy's becomes Python's."""
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, bool | int | float | str):
        value = item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is not None and not isinstance(value, bool | int | float | str):
        raise TypeError(f"{value!r:.60} is no number, text or truth value")
    return value


def _where(error: Exception) -> str:
    """The error and the line of the game's code that it came from."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = f" ({last.tb_frame.f_code.co_filename}:{last.tb_lineno})" if last is not None else ""
    return f"{type(error).__name__}: {error}{place}"
