"""Hero and foes of a fight: health, cover, statuses, and the moves that a foe announces."""

from __future__ import annotations

from .dice import Dice
from .effects import BAD, Effect
from .tables import FoeKind


class Being:
    """Hero or foe: health, cover and statuses."""

    __slots__ = ("cover", "health", "most", "status")

    def __init__(self, health: int, most: int) -> None:
        self.health, self.most, self.cover = health, most, 0
        self.status: dict[str, int] = {}

    def of(self, status: str) -> int:
        """Return how much of a status it has."""
        return self.status.get(status, 0)

    def add(self, status: str, n: int) -> None:
        """Give it a status, unless a ward keeps it away."""
        if status in BAD and self.of("ward"):
            self.lower("ward")
        else:
            self.status[status] = self.of(status) + n

    def lower(self, status: str) -> None:
        """Lower a status by one."""
        left = self.status.get(status, 0) - 1
        if left > 0:
            self.status[status] = left
        else:
            self.status.pop(status, None)

    def heal(self, n: int) -> None:
        """Give health back, at most up to the full."""
        self.health = min(self.most, self.health + n)


class Foe(Being):
    """A foe with its announced move. past: its last two moves. raged: it follows its second plan."""

    __slots__ = ("damage_percent", "kind", "move", "past", "raged", "step")

    def __init__(self, kind: FoeKind, health: int, damage_percent: int) -> None:
        super().__init__(health, health)
        self.kind, self.damage_percent = kind, damage_percent
        self.move, self.step, self.raged = "", 0, False
        self.past: tuple[str, ...] = ()

    def copy(self) -> Foe:
        """Return the same foe for another fight."""
        other = Foe.__new__(Foe)
        other.kind, other.damage_percent, other.move, other.step = (
            self.kind,
            self.damage_percent,
            self.move,
            self.step,
        )
        other.raged, other.past = self.raged, self.past
        other.health, other.most, other.cover, other.status = (
            self.health,
            self.most,
            self.cover,
            self.status.copy(),
        )
        return other

    def choose(self, dice: Dice) -> None:
        """Announce the next move."""
        style, names, weights = self.kind.second if self.raged and self.kind.second else self.kind.plan
        if style == "cycle":
            self.move = names[self.step % len(names)]
            self.step += 1
            return
        name = names[dice.weighted(weights)]
        if self.past[-2:] == (name, name):
            name = names[(names.index(name) + 1) % len(names)]
        self.move, self.past = name, (*self.past, name)[-2:]

    @property
    def intent(self) -> tuple[Effect, ...]:
        """Return what its announced move does."""
        return self.kind.moves[self.move]


def hit_for(source: Being, target: Being, n: int, percent: int = 100) -> int:
    """Return what a hit of `n` deals after the statuses of both, before cover."""
    amount = (n * percent + 50) // 100 + source.status.get("pluck", 0)
    if "tired" in source.status:
        amount = amount * 3 // 4
    if "shaken" in target.status:
        amount = amount * 3 // 2
    return max(0, amount)
