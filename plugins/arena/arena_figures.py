"""Draws the fighters of Arena: one build of body for all of them, posed by their moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pygame
from arena_rules import Foe, Hero
from arena_tables import MOVES

Colour = tuple[int, int, int]
GROUND_Y = 252
_FLASH: Colour = (255, 255, 255)
_FLASH_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Build:
    """The build of a fighter. `scale`: 1 is a man of 46 px. `blade`: length of the weapon."""

    scale: float
    blade: float
    body: Colour
    trim: Colour
    limbs: Colour
    skin: Colour
    cloak: Colour
    steel: Colour
    head: str


HERO = Build(
    1.05,
    26,
    (78, 98, 138),
    (46, 196, 208),
    (52, 60, 88),
    (236, 196, 160),
    (34, 132, 146),
    (226, 234, 240),
    "hood",
)
FOES = {
    "boss": Build(
        1.9,
        34,
        (72, 66, 84),
        (176, 52, 58),
        (50, 46, 62),
        (34, 28, 40),
        (124, 34, 48),
        (190, 184, 196),
        "horns",
    ),
    "raider": Build(
        1.15,
        20,
        (136, 96, 58),
        (196, 142, 78),
        (92, 62, 46),
        (222, 176, 138),
        (108, 70, 44),
        (196, 200, 204),
        "cap",
    ),
    "veteran": Build(
        1.35,
        25,
        (92, 100, 84),
        (176, 168, 96),
        (64, 66, 58),
        (206, 164, 130),
        (74, 52, 78),
        (204, 210, 214),
        "crest",
    ),
}
_BURNING = replace(FOES["boss"], body=(92, 54, 60), trim=(236, 108, 40), steel=(252, 168, 84))


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a figure: converts lengths of a man of scale 1 to pixels of the surface."""

    x: int
    facing: int
    scale: float
    lift: float

    def at(self, right: float, up: float) -> tuple[int, int]:
        x = round(self.x + self.facing * right * self.scale)
        return x, round(GROUND_Y - (up + self.lift) * self.scale)

    def thick(self, width: float) -> int:
        return max(1, round(width * self.scale))


@dataclass(slots=True)
class Pose:
    """Angles in degrees, 0 straight ahead, 90 up; lengths in pixels of a man of scale 1."""

    blade: float = 62.0
    reach: float = 9.0
    lean: float = 0.0
    crouch: float = 0.0
    stride: float = 0.0
    lift: float = 0.0
    trail: float = 0.0
    rolled: float = 0.0


def hero_pose(hero: Hero, tick: int) -> Pose:
    """Return the hero's pose."""
    pose = Pose(crouch=0.6 * math.sin(tick / 6))
    match hero.move:
        case "light":
            _swing(pose, hero.frame, MOVES["light"].acts_on, MOVES["light"].frames, 130, -38)
        case "heavy":
            _swing(pose, hero.frame, MOVES["heavy"].acts_on, MOVES["heavy"].frames, 168, -60)
        case "dodge":
            pose.rolled = 28.0 * hero.frame * hero.heading * hero.facing
            pose.crouch = 14
        case "potion":
            pose.blade, pose.lean, pose.reach = 108, -4, 5
        case "stun":
            pose.lean, pose.blade, pose.crouch = -8, 15, 4
        case _ if hero.walking:
            pose.stride = 7 * math.sin(tick * 0.8)
            pose.lean = 3.0 * hero.walking * hero.facing
    return pose


def foe_pose(foe: Foe, tick: int) -> Pose:
    """Return a foe's pose."""
    pose = Pose(crouch=0.7 * math.sin(tick / 8))
    sign = foe.attack.sign if foe.attack else ""
    part = foe.frame / max(1, foe.length)
    match foe.stage, sign:
        case "pace", _:
            pose.stride = 6 * math.sin(tick * 0.5)
        case "enter", _:
            pose.stride, pose.blade = 6 * math.sin(tick * 0.5), 80
        case "windup", "slash":
            pose.blade, pose.lean, pose.reach = 70 + 90 * part, -5 * part, 6
        case "windup", "leap":
            pose.crouch, pose.blade, pose.lean = 11 * part, 110, 2
        case "windup", _:
            pose.crouch, pose.lean, pose.blade, pose.reach = 6 * part, -7 * part, -12, 3
        case "strike", "slash":
            pose.blade, pose.lean, pose.reach, pose.trail = 60 - 110 * part, 8, 14, 130
        case "strike", "leap":
            pose.lift = 34 * math.sin(math.pi * min(1.0, foe.frame / max(1, foe.length - 2)))
            pose.blade, pose.lean, pose.reach = 120 - 160 * part, 4, 10
        case "strike", _:
            pose.lean, pose.blade, pose.reach, pose.stride = 12, -6, 14, 8 * math.sin(tick * 1.4)
        case "recover", _:
            pose.crouch, pose.blade, pose.lean = 8 * (1 - part), -48, 6
        case "stagger", _:
            pose.lean, pose.blade, pose.crouch = -9, 20, 6
        case "roar", _:
            pose.blade, pose.lean, pose.reach = 96, -6 + 2 * math.sin(tick), 4
        case _:
            pose.crouch, pose.lean, pose.blade = 22 * part, -10 * part, -60
    return pose


def _swing(pose: Pose, frame: int, acts_on: int, frames: int, high: float, low: float) -> None:
    """Raise the blade until the blow, then bring it down."""
    if frame < acts_on:
        pose.blade = 62 + (high - 62) * frame / acts_on
        pose.lean = -3 * frame / acts_on
        return
    after = (frame - acts_on) / max(1, frames - acts_on)
    pose.lean, pose.reach = 6 * (1 - after), 15
    pose.blade = low + (62 - low) * after
    if frame < acts_on + 4:
        pose.trail = high - low


def draw_hero(surface: pygame.Surface, hero: Hero, tick: int) -> None:
    """Draw the hero at its place."""
    build = _lit(HERO) if hero.hurt < _FLASH_FRAMES else HERO
    pose = hero_pose(hero, tick)
    if hero.move == "dodge":
        _ball(surface, hero.x, build, pose)
        return
    _figure(surface, hero.x, hero.facing, build, pose, tick)
    if hero.move == "potion":
        at = (hero.x + 8 * hero.facing, GROUND_Y - 40)
        pygame.draw.circle(surface, (40, 48, 70), at, 5)
        pygame.draw.circle(surface, (108, 176, 224), at, 4)


def draw_foe(surface: pygame.Surface, foe: Foe, tick: int) -> None:
    """Draw a foe at its place; a fallen foe sinks away."""
    build = FOES[foe.kind.name]
    if foe.phase:
        build = _BURNING
        _embers(surface, foe.x, tick)
    if foe.hurt < _FLASH_FRAMES:
        build = _lit(build)
    _figure(surface, foe.x, foe.facing, build, foe_pose(foe, tick), tick)
    if foe.stage == "roar":
        radius = 20 + 6 * (foe.frame % 12)
        pygame.draw.circle(surface, (236, 150, 90), (foe.x, GROUND_Y - 60), radius, 2)


def _lit(build: Build) -> Build:
    return replace(build, body=_FLASH, trim=_FLASH, limbs=_FLASH, cloak=_FLASH)


def _figure(surface: pygame.Surface, x: int, facing: int, build: Build, pose: Pose, tick: int) -> None:
    place = _Place(x, facing, build.scale, pose.lift)
    at, thick = place.at, place.thick
    hip_up = 18 - pose.crouch * 0.6
    hip = at(pose.lean * 0.2, hip_up)
    for side in (-1, 1):
        foot = at(side * 5 + side * pose.stride, 0 if pose.lift else max(0.0, side * pose.stride * 0.3))
        knee = at(side * 4 + side * pose.stride * 0.7 + pose.crouch * 0.2, hip_up * 0.5)
        pygame.draw.lines(surface, build.limbs, False, [hip, knee, foot], thick(4.2))
        pygame.draw.circle(surface, build.limbs, foot, thick(2.4))
    sway = 2 * math.sin(tick / 5) - abs(pose.stride) * 0.4
    cloak = [
        at(pose.lean - 2, hip_up + 17),
        at(pose.lean - 7, hip_up + 12),
        at(-11 + sway, 6),
        at(-5 + sway, 4),
        at(-2, hip_up),
    ]
    pygame.draw.polygon(surface, build.cloak, cloak)
    torso = [
        at(pose.lean - 6.5, hip_up + 16),
        at(pose.lean + 6, hip_up + 16),
        at(pose.lean * 0.2 + 4.5, hip_up - 1),
        at(pose.lean * 0.2 - 4.5, hip_up - 1),
    ]
    pygame.draw.polygon(surface, build.body, torso)
    pygame.draw.line(
        surface, build.trim, at(pose.lean * 0.3 - 4.5, hip_up + 2), at(4.5, hip_up + 2), thick(2)
    )
    _weapon(surface, place, build, pose, hip_up)
    _head(surface, place, build, pose, hip_up)


def _weapon(surface: pygame.Surface, place: _Place, build: Build, pose: Pose, hip_up: float) -> None:
    at, thick = place.at, place.thick
    shoulder = (pose.lean + 2, hip_up + 14)
    angle = math.radians(pose.blade)
    hand = (
        shoulder[0] + pose.reach * math.cos(angle * 0.5),
        shoulder[1] - 5 + pose.reach * 0.5 * math.sin(angle),
    )
    if pose.trail:
        length = build.blade + 2
        steps = [math.radians(pose.blade + pose.trail * part / 6) for part in range(7)]
        arc = [at(hand[0] + length * math.cos(a), hand[1] + length * math.sin(a)) for a in steps]
        inner = [
            at(hand[0] + 0.7 * length * math.cos(a), hand[1] + 0.7 * length * math.sin(a)) for a in steps
        ]
        pygame.draw.polygon(surface, (248, 240, 226), arc + inner[::-1])
    pygame.draw.line(surface, build.limbs, at(*shoulder), at(*hand), thick(3.4))
    tip = (hand[0] + build.blade * math.cos(angle), hand[1] + build.blade * math.sin(angle))
    pygame.draw.line(surface, build.steel, at(*hand), at(*tip), thick(2.2))
    cross = (3.2 * math.sin(angle), -3.2 * math.cos(angle))
    guard = (hand[0] + 3 * math.cos(angle), hand[1] + 3 * math.sin(angle))
    ends = [at(guard[0] + side * cross[0], guard[1] + side * cross[1]) for side in (-1, 1)]
    pygame.draw.line(surface, build.trim, ends[0], ends[1], thick(1.6))
    pygame.draw.circle(surface, build.skin, at(*hand), thick(2))


def _head(surface: pygame.Surface, place: _Place, build: Build, pose: Pose, hip_up: float) -> None:
    at, thick = place.at, place.thick
    middle = (pose.lean * 1.25 + 1, hip_up + 22)
    pygame.draw.circle(surface, build.skin, at(*middle), thick(5.4))
    left, up = middle
    if build.head == "horns":
        pygame.draw.circle(surface, build.body, at(left, up + 1), thick(5.8))
        for side in (-1, 1):
            horn = [at(left + side * 3, up + 4), at(left + side * 9, up + 8), at(left + side * 8, up + 13)]
            pygame.draw.polygon(surface, build.steel, [*horn, at(left + side * 5, up + 8)])
        pygame.draw.line(surface, build.trim, at(left + 1, up + 1), at(left + 5, up), thick(1.4))
        return
    hood = [
        at(left - 6, up - 3),
        at(left - 5, up + 5),
        at(left + 1, up + 7),
        at(left + 5, up + 3),
        at(left - 1, up + 1),
    ]
    pygame.draw.polygon(surface, build.cloak if build.head == "hood" else build.body, hood)
    if build.head == "hood":
        scarf = [
            at(pose.lean, hip_up + 17),
            at(pose.lean - 9, hip_up + 17),
            at(pose.lean - 15, hip_up + 13),
            at(pose.lean - 8, hip_up + 14),
        ]
        pygame.draw.polygon(surface, build.trim, scarf)
    elif build.head == "crest":
        crest = [at(left - 7, up + 3), at(left - 4, up + 11), at(left + 4, up + 9), at(left + 3, up + 6)]
        pygame.draw.polygon(surface, build.trim, crest)
    pygame.draw.circle(surface, (24, 22, 30), at(left + 3, up), max(1, thick(0.8)))


def _ball(surface: pygame.Surface, x: int, build: Build, pose: Pose) -> None:
    middle = (x, GROUND_Y - 14)
    pygame.draw.circle(surface, build.cloak, middle, 14)
    pygame.draw.circle(surface, build.body, middle, 10)
    for turn, colour in ((0, build.trim), (120, build.limbs), (240, build.skin)):
        angle = math.radians(pose.rolled + turn)
        spot = (round(x + 8 * math.cos(angle)), round(GROUND_Y - 14 + 8 * math.sin(angle)))
        pygame.draw.circle(surface, colour, spot, 4)


def _embers(surface: pygame.Surface, x: int, tick: int) -> None:
    for number in range(9):
        rise = (tick * 2 + number * 37) % 84
        sway = 30 * math.sin(number * 2.1 + tick / 11)
        pygame.draw.circle(
            surface, (244, 148, 66), (round(x + sway), GROUND_Y - 6 - rise), 1 + (number + tick // 4) % 2
        )
