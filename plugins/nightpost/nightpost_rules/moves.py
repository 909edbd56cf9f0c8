"""What the player can do."""

from __future__ import annotations

from typing import NamedTuple


class Move(NamedTuple):
    """What the player does: play, potion, end, choose, or leave; with a number (from 0) and a foe's."""

    kind: str
    n: int = 0
    target: int = -1
