"""The programs that are connected to the X server, and which of them end when a keyboard goes."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import xcffib
import xcffib.res

from pitwall.core.keys import QT_WITHOUT_DEVICES
from pitwall.desktops.linux_processes import born
from pitwall.desktops.x11.display import Display

_PROCESS_ID = int(xcffib.res.ClientIdMask.LocalClientPID)
_QT6 = b"libQt6XcbQpa"


class Clients:
    """The server's connections, by process.

    Qt 6 frees what it knows of a removed master device twice, and ends by that (seen with 6.11).
    """

    def __init__(self, display: Display) -> None:
        self._resources: Any = display.connection(xcffib.res.key)
        self._fragile: dict[tuple[int, int], bool] = {}

    def process_of(self, resource: int) -> int | None:
        """Return the process that made a window or other resource; None if the server does not know it."""
        asked = xcffib.res.ClientIdSpec.synthetic(resource, _PROCESS_ID)
        try:
            for answer in self._resources.QueryClientIds(1, [asked]).reply().ids:
                if answer.length:
                    return int(answer.value[0])
        except xcffib.XcffibException:
            pass
        return None

    def fragile(self, *, unless_in: Collection[int | None] = ()) -> list[str]:
        """Return the names of the programs that end if the agent's devices go at once.

        Args:
            unless_in: processes that do not count.
        """
        try:
            connections = self._resources.QueryClients().reply().clients
        except xcffib.XcffibException:
            return []
        processes = {self.process_of(connection.resource_base) for connection in connections}
        safe = os.environ.get(QT_WITHOUT_DEVICES, "")
        asked = processes - {int(safe) if safe.isdigit() else 0} - set(unless_in)
        return sorted({_name_of(process) for process in asked if process and self._is_fragile(process)})

    def _is_fragile(self, process: int) -> bool:
        key = process, born(process)
        if key not in self._fragile:
            self._fragile[key] = _has_qt6(process)
        return self._fragile[key]


def _has_qt6(process: int) -> bool:
    folder = Path("/proc") / str(process)
    try:
        if _QT6 not in (folder / "maps").read_bytes():
            return False
        return f"{QT_WITHOUT_DEVICES}=".encode() not in (folder / "environ").read_bytes()
    except OSError:
        return False


def _name_of(process: int) -> str:
    try:
        return (Path("/proc") / str(process) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
