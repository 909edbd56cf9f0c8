"""Demon Attack's state reader: from pixels alone, the cannon, the lowest demon and what falls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pitwall.games.native_digits import Digits, WithNumbers
from pitwall.games.native_picture import Pixels, native, patches, patches_of

_CANNON, _OWN_SHOT = 0xB846A2, 0xD48CFC
_SKY, _LOW = (24, 150), (120, 187)
"""Rows of the demons, and those where what falls is near."""
_NEAR_PX = 13
_LEFT, _RIGHT = 16, 144
"""Where the cannon can go."""


def reader(folder: Path) -> WithNumbers:
    """A reader without memory."""
    return WithNumbers(
        Eyes(),
        score=Digits(folder / "digits.txt", (50, 4, 110, 18), 0xDFB755),
    )


class Eyes:
    """Reads Demon Attack's window."""

    def read(self, pixels: Pixels) -> Mapping[str, float | str | None]:
        """The fields of a frame."""
        picture = native(pixels)
        seen = (picture != 0) & (picture != _OWN_SHOT) & (picture != _CANNON)
        cannon = next(iter(patches(picture, _CANNON, box=(0, 170, 160, 188))), None)
        if cannon is None:
            return {}
        wide = np.repeat(np.repeat(seen[_SKY[0] : _SKY[1] : 2, ::4], 2, axis=0), 4, axis=1)
        demons = [one for one in patches_of(wide, top=_SKY[0]) if one.width >= 8]
        falling = [one.x for one in patches_of(seen[_LOW[0] : _LOW[1]], top=_LOW[0]) if one.width <= 4]
        near = [x for x in falling if abs(x - cannon.x) <= _NEAR_PX]
        return {
            "cannon_x": cannon.x,
            "target": max(demons, key=lambda one: one.bottom).x if demons else None,
            "flee": _flee(cannon.x, near) if near else None,
        }


def _flee(x: float, near: list[float]) -> str:
    """Return the side on which the way out of what falls is shorter."""
    shorter = x - min(near) < max(near) - x
    return "left" if (shorter and x > _LEFT) or x > _RIGHT else "right"
