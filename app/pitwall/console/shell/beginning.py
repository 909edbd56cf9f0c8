"""Begins a console before Qt is imported: its display, its data folder, and the engine of the game it opens.

Engine and window take about a second each to import what they need, and neither waits for the other.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from dataclasses import replace

from pitwall.console.shell.qt_platform import choose_platform
from pitwall.core import commands
from pitwall.core.errors import PitwallError
from pitwall.core.keys import QT_WITHOUT_DEVICES
from pitwall.core.paths import DataFolder
from pitwall.core.settings import load_settings
from pitwall.link.engine_session import EngineSession
from pitwall.store.lease import Lease

_log = logging.getLogger(__name__)


class EarlyEngine:
    """Holds an engine that was started before the window, until the console opens its game.

    Args:
        opening: the game to open; None: no engine is started.
    """

    def __init__(self, data: DataFolder, opening: commands.Open | None) -> None:
        self._opening = replace(opening, console_pids=(os.getpid(),)) if opening is not None else None
        self._session: EngineSession | None = None
        if self._opening is not None:
            with contextlib.suppress(PitwallError, OSError):  # the console tries again and shows the error
                self._session = EngineSession(data, self._opening)

    def take(self, opening: commands.Open) -> EngineSession | None:
        """Give the engine away, once; None where there is none, or something else is to be opened."""
        if opening != self._opening:
            self.close()
        session, self._session = self._session, None
        return session

    def close(self) -> None:
        """End the engine if nobody took it."""
        session, self._session = self._session, None
        if session is not None:
            session.close()


@contextlib.contextmanager
def begun(data: DataFolder, opening: commands.Open | None = None) -> Iterator[EarlyEngine]:
    """Hold the data folder for a console, and start the engine of the game that it opens.

    Raises:
        DisplayError: there is no display.
        DataFolderError: another console has this data folder, or it cannot be written.
    """
    if note := choose_platform():
        _log.warning("%s", note)
    if load_settings(data.settings).broker.own_seat:
        os.environ.setdefault(QT_WITHOUT_DEVICES, str(os.getpid()))
    with Lease(data, "console"), contextlib.closing(EarlyEngine(data, opening)) as early:
        yield early
