"""Adds up how far a person's mouse moves, in whole units; a fraction waits for the next motion."""

from __future__ import annotations


class Travel:
    """Counts the motions since the last `take`.

    Attributes:
        moved: there were any.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.moved = False
        self._right = self._down = 0.0

    def add(self, right: float, down: float) -> None:
        """Add a motion; a fine mouse that moves slowly gives a fraction of a unit at a time."""
        self.moved = True
        self._right += right
        self._down += down

    def take(self) -> tuple[int, int]:
        """Return the whole units right and down since the last call, so that all calls add up to the way."""
        right, down = round(self._right), round(self._down)
        self.moved = False
        self._right -= right
        self._down -= down
        return right, down
