"""Keeps the engine away from guarded games: checks before a window is captured and while it is."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from pitwall.core.errors import GuardedGame, reason_of
from pitwall.desktops.process_contract import RunningProgram, file_name
from pitwall.games import anti_cheat

_log = logging.getLogger(__name__)

_LOOK_EVERY_S = 2.0


class FairPlay:
    """Looks for anti-cheat services that guard one game.

    Args:
        data: the data folder, whose own list is added.

    Raises:
        DamagedFile: by every method but `stop`, if that list cannot be read.
    """

    def __init__(self, data: Path) -> None:
        self._guards = anti_cheat.known_guards(data)
        self._ended: threading.Event | None = None
        self._guard: anti_cheat.GuardFound | None = None
        self._blind: GuardedGame | None = None

    def require_startable(self, command: list[str], folder: Path) -> None:
        """Make sure that a game may be started in a folder.

        Raises:
            GuardedGame: a guard runs, or the program is guarded.
        """
        program = Path(command[0])
        places = (program.parent, folder) if program.is_absolute() else (folder,)
        named = RunningProgram(0, file_name(command[0]), tuple(command[1:]), places)
        _refuse(anti_cheat.guard_on_machine(self._guards) or anti_cheat.guard_of_program(named, self._guards))

    def require_playable(self, pid: int) -> None:
        """Make sure that a window of this process may be captured (0: its process is not known).

        Raises:
            GuardedGame: something guards it.
        """
        _refuse(self._look(pid))

    def watch(self, pid: int) -> None:
        """Look again every two seconds on a thread until `stop`."""
        self.stop()
        self._ended = ended = threading.Event()
        threading.Thread(target=self._watch, args=(pid, ended), name="fair-play", daemon=True).start()

    def require_still(self) -> None:
        """Raise if the watch has found a guard; costs nothing.

        Raises:
            GuardedGame: a guard appeared since, or nobody can look for it any more.
        """
        if self._blind is not None:
            raise self._blind
        _refuse(self._guard)

    def stop(self) -> None:
        """End the watch, and forget what it found."""
        if self._ended is not None:
            self._ended.set()
        self._ended = self._guard = self._blind = None

    def _watch(self, pid: int, ended: threading.Event) -> None:
        while not ended.wait(_LOOK_EVERY_S):
            try:
                guard = self._look(pid)
            except Exception as error:
                _log.exception("the watch for anti-cheat services failed")
                if not ended.is_set():
                    what = f"the watch for anti-cheat services failed: {reason_of(error)}."
                    self._blind = GuardedGame(what, "Open the game again.")
                return
            if guard is not None and not ended.is_set():
                self._guard = guard
                return

    def _look(self, pid: int) -> anti_cheat.GuardFound | None:
        return anti_cheat.guard_on_machine(self._guards) or anti_cheat.guard_of_process(pid, self._guards)


def _refuse(guard: anti_cheat.GuardFound | None) -> None:
    if guard is not None:
        raise guard.error()
