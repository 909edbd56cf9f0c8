"""The ledger: which keys and buttons the broker holds down, and since when. Nothing else knows."""

from __future__ import annotations

from pitwall.core.actions import Button, InputEvent
from pitwall.desktops.input_backend import BUTTON_NAMES

_BUTTONS: dict[str, Button] = {name: button for button, name in BUTTON_NAMES.items()}


def release_of(name: str) -> InputEvent:
    """Return the event that brings a held key or button up."""
    if name in _BUTTONS:
        return InputEvent(kind="mouse_up", button=_BUTTONS[name])
    return InputEvent(kind="key_up", key=name)


class Ledger:
    """Names held down, oldest first, with the monotonic time of their press."""

    def __init__(self) -> None:
        self._down: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._down

    def __len__(self) -> int:
        return len(self._down)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._down)

    def since(self, name: str) -> int | None:
        """Return when it was pressed, in monotonic ns; None if it is not held."""
        return self._down.get(name)

    def press(self, name: str, now_ns: int) -> None:
        """Note a press; if the name is held already, its first time is kept."""
        self._down.setdefault(name, now_ns)

    def release(self, name: str) -> None:
        """Note a release; does nothing if the name is not held."""
        self._down.pop(name, None)

    def overdue(self, now_ns: int, longest_ns: int) -> tuple[str, ...]:
        """Return the names held for at least `longest_ns`."""
        return tuple(name for name, since in self._down.items() if now_ns - since >= longest_ns)

    def next_overdue_ns(self, longest_ns: int) -> int | None:
        """Return when the oldest hold ends; None if nothing is held."""
        return next(iter(self._down.values())) + longest_ns if self._down else None

    def clear(self) -> tuple[str, ...]:
        """Forget everything; return what was held, last pressed first (modifiers come up last)."""
        names = tuple(reversed(self._down))
        self._down.clear()
        return names
