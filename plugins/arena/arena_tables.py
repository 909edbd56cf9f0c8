"""The fixed numbers of Arena: the hero's moves, each foe's attacks, and the foes of each scenario.

Lengths are pixels, times frames of 1/30 s, damage and stamina points. A change here is a new VERSION, and
scores of earlier versions cannot be compared with it (see BALANCE.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field

VERSION = "1.0.0"
FRAMES_PER_SECOND = 30
LONGEST_FRAMES = 90 * FRAMES_PER_SECOND
WIDTH, HEIGHT = 480, 320
LEFT_WALL, RIGHT_WALL = 72, 408

HERO_HEALTH = HERO_STAMINA = 100
HERO_START_X, FOE_START_X = 140, 340
POTIONS, POTION_HEALS = 2, 40
WALK = 4
ROLL, ROLL_FRAMES, INVULNERABLE_FRAMES = 8, 10, 9
"""Pixels a frame and frames of a roll; nothing hits the hero in its first frames."""
STUN_FRAMES = 9
STAMINA_REST = 3
"""Frames after an effort until stamina recovers, one point a frame."""
BUFFER_FRAMES = 4
"""Frames that a press is remembered while the hero is still busy."""
BODY = 26
"""Smallest distance between two fighters."""
AIM_FRAMES = 4
"""Frames before a strike at which its direction is fixed."""


@dataclass(frozen=True, slots=True)
class Move:
    """A hero's move.

    Attributes:
        frames: how long it binds the hero. acts_on: frame of its blow or sip. effort: stamina it costs.
    """

    frames: int
    acts_on: int = 0
    effort: int = 0
    damage: int = 0
    reach: int = 0


MOVES = {
    "light": Move(frames=11, acts_on=4, effort=8, damage=5, reach=52),
    "heavy": Move(frames=22, acts_on=12, effort=22, damage=15, reach=58),
    "dodge": Move(frames=13, effort=20),
    "potion": Move(frames=24, acts_on=16),
    "stun": Move(frames=STUN_FRAMES),
}
LONGEST_MOVE = max(move.frames for move in MOVES.values())


@dataclass(frozen=True, slots=True)
class Attack:
    """One announced attack of a foe.

    Attributes:
        sign: the sign over its head: "slash", "leap" or "charge"; it strikes accordingly.
        windup, strike, recover: frames of warning, of danger, and of the opening after it.
        reach: of the blow; of a leap to both sides of its landing.
        advance: pixels a frame towards the hero while winding up. speed: of a charge.
        again: chance that the same attack follows at once, after `again_windup` frames of warning.
    """

    sign: str
    windup: int
    strike: int
    recover: int
    damage: int
    reach: int
    advance: int = 0
    speed: int = 0
    again: float = 0.0
    again_windup: int = 0


@dataclass(frozen=True, slots=True)
class Phase:
    """A foe's way of fighting down to a share of its health.

    Attributes:
        attacks: each with its weight near and far. pace: least and most frames between attacks.
        walk: pixels a frame. keeps: the distance it walks up to.
    """

    attacks: tuple[tuple[Attack, int, int], ...]
    pace: tuple[int, int]
    walk: int
    keeps: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of foe.

    Attributes:
        phases: the next begins when health falls to half. staggers: whether a heavy blow ends its windup.
    """

    name: str
    health: int
    phases: tuple[Phase, ...]
    staggers: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """The foes of a scenario, one after the other."""

    foes: tuple[Kind, ...]
    health: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "health", sum(kind.health for kind in self.foes))


NEAR = 84
"""Largest distance at which a foe chooses its attacks by their near weights."""

BOSS = Kind(
    "boss",
    health=140,
    phases=(
        Phase(
            attacks=(
                (Attack("slash", 18, 3, 24, damage=16, reach=74, advance=3), 5, 1),
                (Attack("leap", 24, 11, 22, damage=20, reach=54), 3, 4),
                (Attack("charge", 22, 22, 26, damage=17, reach=28, speed=14), 2, 5),
            ),
            pace=(10, 26),
            walk=2,
            keeps=56,
        ),
        Phase(
            attacks=(
                (
                    Attack("slash", 14, 3, 20, damage=19, reach=78, advance=3, again=0.5, again_windup=14),
                    5,
                    1,
                ),
                (Attack("leap", 18, 10, 18, damage=24, reach=58), 3, 4),
                (
                    Attack("charge", 17, 20, 22, damage=20, reach=28, speed=16, again=0.5, again_windup=14),
                    2,
                    5,
                ),
            ),
            pace=(6, 16),
            walk=3,
            keeps=56,
        ),
    ),
)

RAIDER = Kind(
    "raider",
    health=15,
    phases=(
        Phase(
            attacks=((Attack("slash", 15, 3, 20, damage=24, reach=60, advance=3), 1, 1),),
            pace=(14, 34),
            walk=2,
            keeps=44,
        ),
    ),
    staggers=True,
)

VETERAN = Kind(
    "veteran",
    health=30,
    phases=(
        Phase(
            attacks=(
                (
                    Attack("slash", 14, 3, 18, damage=22, reach=60, advance=3, again=0.35, again_windup=13),
                    3,
                    1,
                ),
                (Attack("charge", 16, 16, 20, damage=26, reach=26, speed=13), 1, 3),
            ),
            pace=(8, 22),
            walk=3,
            keeps=46,
        ),
    ),
    staggers=True,
)

SCENARIOS = {
    "boss": Line((BOSS,)),
    "mobs": Line((RAIDER,) * 4),
    "hard_mobs": Line((VETERAN,) * 3),
}
