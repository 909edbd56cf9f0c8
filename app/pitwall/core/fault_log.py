"""Errors that wait to be shown to the operator, each once."""

from __future__ import annotations

from pitwall.core.errors import PitwallError


class FaultLog:
    """Keeps errors until they are taken; an error with a known key is dropped until `forget`."""

    def __init__(self) -> None:
        self._waiting: list[PitwallError] = []
        self._reported: set[str] = set()

    def add(self, error: PitwallError, key: str = "") -> None:
        """Keep an error; `key` is what makes it the same as an earlier one, empty: it never is."""
        if not key or key not in self._reported:
            self._reported.add(key)
            self._waiting.append(error)

    def forget(self) -> None:
        """Allow a known key to be reported again."""
        self._reported.clear()

    def take(self) -> list[PitwallError]:
        """Take the lines added since the last call."""
        taken, self._waiting = self._waiting, []
        return taken
