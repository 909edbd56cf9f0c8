"""Input devices, and where a raw event came from: a device, XTEST or the server."""

from __future__ import annotations

from enum import Enum
from typing import Any

from pitwall.desktops.x11.display import Display, RawInput

_ALL_DEVICES = 0
_MASTERS = (1, 2)
_VALUATOR_CLASS = 2
_ABSOLUTE = 1
_XTEST_NAMES = ("XTEST pointer", "XTEST keyboard")


class InputOrigin(Enum):
    """Names the origin of input: a device, XTEST (any program's), or the server itself (pointer warps)."""

    DEVICE = "device"
    XTEST = "xtest"
    SERVER = "server"


class Devices:
    """The devices attached now; read again when one comes or goes."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._origins: dict[int, InputOrigin] = {}
        self._absolute: set[int] = set()
        self._last: dict[tuple[int, int], float] = {}
        self.reload()

    def reload(self) -> None:
        self._origins.clear()
        self._absolute.clear()
        for info in self._display.xinput.XIQueryDevice(_ALL_DEVICES).reply().infos:
            self._origins[info.deviceid] = self._origin_of(info)
            if any(c.type == _VALUATOR_CLASS and c.mode == _ABSOLUTE for c in info.classes):
                self._absolute.add(info.deviceid)

    def origin(self, source: int) -> InputOrigin:
        """Return where a device's input comes from; an unknown device counts as a real one."""
        return self._origins.get(source, InputOrigin.DEVICE)

    def moved(self, event: RawInput) -> tuple[float, float]:
        """Return a motion right and down, in the device's units (pixels for a mouse)."""
        if event.source not in self._absolute:
            return event.axes[0] or 0.0, event.axes[1] or 0.0
        moved = [0.0, 0.0]
        for axis, value in enumerate(event.axes):
            if value is not None:
                moved[axis] = value - self._last.get((event.source, axis), value)
                self._last[event.source, axis] = value
        return moved[0], moved[1]

    @staticmethod
    def _origin_of(info: Any) -> InputOrigin:
        if info.type in _MASTERS:
            return InputOrigin.SERVER
        name = str(info.name.to_string())
        return InputOrigin.XTEST if name.endswith(_XTEST_NAMES) else InputOrigin.DEVICE
