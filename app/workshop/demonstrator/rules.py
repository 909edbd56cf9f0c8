"""What a game's rules tell a player, and how it begins a game again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pitwall.core.observations import Value
from workshop.demonstrator.hands import FORESEEN_S, Press


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at the window.

    Attributes:
        seen: the fields that stand in it. now_s: when it was seen.
        meant: presses whose effect is not in it yet.
    """

    seen: Mapping[str, Value]
    now_s: float
    meant: Sequence[Press] = ()

    def number(self, name: str) -> float | None:
        """Return a field's number; None where it has none."""
        value = self.seen.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def busy(self, *keys: str) -> bool:
        """Return whether one of these keys (any, without a name) is still meant."""
        return any(not keys or press.key in keys for press in self.meant)

    @property
    def soonest_s(self) -> float:
        """Return when a press that is decided on now can come as it is meant."""
        return self.now_s + FORESEEN_S


class Rules(Protocol):
    """Decides while a game is being played."""

    def decide(self, look: Look) -> Press | None:
        """Return what to press for this look; None: nothing more than is meant."""
