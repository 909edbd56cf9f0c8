"""Space Invaders' state reader: from pixels alone, the cannon, the invaders and the bombs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Native, Patch, Pixels, native, patches

_CANNON, _INVADER, _SHOT = 0x328432, 0x86861D, 0x8E8E8E
_AHEAD_PX = 40
"""Height above the cannon at which a bomb counts."""
_NEAR_PX = 8
_LEFT, _RIGHT = 42, 118
"""Between them the cannon can step to either side."""
_LEAD_PX = 3.0
"""How far an invader walks until a shot arrives, from low down."""


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (0, 8, 66, 20), 0x328432),
    )


class Eyes:
    """Reads Space Invaders' window; it remembers how the invaders walk and how shots fly."""

    def __init__(self) -> None:
        self._shots: list[list[Patch]] = []
        self._left = 0
        self._walk = 0.0

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        cannon = next(iter(patches(picture, _CANNON, box=(20, 180, 150, 195))), None)
        rows = patches(picture, _INVADER, box=(0, 28, 160, 180))
        bombs = self._bombs(picture)
        if cannon is None:
            return {"invaders": len(rows)}
        near = [one.x for one in bombs if abs(one.x - cannon.x) <= _NEAR_PX]
        return {
            "cannon_x": cannon.x,
            "invaders": len(rows),
            "target": self._target(cannon, rows),
            "danger": min((x - cannon.x for x in near), key=abs, default=None),
            "flee": _flee(cannon.x, near) if near else None,
        }

    def _bombs(self, picture: Native) -> list[Patch]:
        shots = [one for one in patches(picture, _SHOT, box=(0, 28, 160, 195)) if one.width <= 4]
        before = [one for earlier in self._shots for one in earlier]
        self._shots = [*self._shots[-3:], shots]
        shown = [*shots, *self._shots[-2]] if len(self._shots) > 1 else shots  # drawn every other frame
        return [one for one in shown if one.bottom > 185 - _AHEAD_PX and not _rises(one, before)]

    def _target(self, cannon: Patch, rows: list[Patch]) -> float | None:
        if not rows:
            return None
        left = min(one.left for one in rows)
        if left != self._left and abs(left - self._left) < 6:
            self._walk = 1.0 if left > self._left else -1.0
        self._left = left
        lowest: dict[int, Patch] = {}
        for one in rows:
            column = one.left // 8
            if column not in lowest or one.bottom > lowest[column].bottom:
                lowest[column] = one
        aims = [one.x + self._walk * _LEAD_PX * min(1.0, (180 - one.y) / 90) for one in lowest.values()]
        return min(aims, key=lambda x: abs(x - cannon.x))


def _rises(shot: Patch, before: list[Patch]) -> bool:
    return any(abs(one.x - shot.x) <= 1 and 0 < one.top - shot.top <= 16 for one in before)


def _flee(x: float, near: list[float]) -> str:
    """Return the side on which the way out of the bombs is shorter."""
    shorter = x - min(near) < max(near) - x
    return "left" if (shorter and x > _LEFT) or x > _RIGHT else "right"
