"""Draws Arena in flat colours and plain shapes that a state reader can tell apart.

The manifest uses the same colours and boxes: change both together (`plugin.toml`).
"""

from __future__ import annotations

import pygame
from arena_fields import GAUGE_PX, foe_bar_px, opening_frames, sign_of, strike_frames, windup_frames
from arena_figures import GROUND_Y, draw_foe, draw_hero
from arena_glyphs import Colour, text_width, write
from arena_rules import Fight
from arena_stage import backdrop
from arena_tables import BODY, FRAMES_PER_SECOND, HEIGHT, LONGEST_FRAMES, POTIONS, WIDTH

HEALTH: Colour = (92, 206, 108)
STAMINA: Colour = (240, 196, 66)
FLASK: Colour = (78, 176, 240)
FOE_HEALTH: Colour = (222, 62, 74)
PIP: Colour = (232, 150, 88)
PHASE_TWO: Colour = (255, 120, 32)
HERO_MARK: Colour = (40, 224, 236)
FOE_MARK: Colour = (255, 84, 72)
BUSY: Colour = (236, 236, 252)
SIGN_COLOURS: dict[str, Colour] = {"slash": (255, 206, 56), "leap": (194, 112, 255), "charge": (70, 168, 255)}
WINDUP: Colour = (255, 238, 196)
STRIKE: Colour = (255, 64, 56)
OPENING: Colour = (72, 236, 150)
MENU: Colour = (44, 62, 124)
PAUSED: Colour = (96, 64, 136)
OVER: Colour = (250, 236, 210)

HEALTH_BOX = (16, 18, 200, 8)
STAMINA_BOX = (16, 29, 100, 5)
FLASKS_AT = (124, 29)
FOE_BOX = (264, 18, 200, 8)
PIPS_AT = (424, 29)
PHASE_BOX = (264, 29, 22, 5)
SIGN_Y, GAUGE_Y = 132, 149
HERO_MARK_Y, FOE_MARK_Y, BUSY_Y = 259, 266, 273
_MARK = 20
_INK: Colour = (20, 17, 30)
_WELL: Colour = (44, 38, 58)
_FRAME: Colour = (132, 120, 148)
_WHITE: Colour = (246, 242, 250)
_DIM: Colour = (170, 160, 186)
_NAMES = {"boss": "THE WARDEN", "raider": "RAIDER", "veteran": "VETERAN"}


class Painter:
    """Draws the window's contents.

    Args:
        surface: 480×320 pixels.
    """

    def __init__(self, surface: pygame.Surface) -> None:
        self._surface = surface
        self._backdrop = backdrop()
        self._veil = pygame.Surface((WIDTH, HEIGHT), pygame.SRCALPHA)
        self._veil.fill((14, 10, 24, 120))
        self._danger = pygame.Surface((WIDTH, 30), pygame.SRCALPHA)

    def scene(self, fight: Fight, tick: int) -> None:
        """Draw arena, fighters, their gauges and the bars. `tick`: frames since the window opened."""
        surface, foe = self._surface, fight.foe
        surface.blit(self._backdrop, (0, 0))
        self._warn(fight)
        for x, width in ((fight.hero.x, 34), (foe.x, 70 if foe.kind.name == "boss" else 42)):
            pygame.draw.ellipse(surface, (104, 72, 62), (x - width // 2, GROUND_Y - 3, width, 9))
        draw_foe(surface, foe, tick)
        draw_hero(surface, fight.hero, tick)
        self._marks(fight)
        self._sign(fight)
        self._bars(fight)

    def menu(self, title: str, wins: int) -> None:
        """Draw the panel over the scene before the first fight."""
        self._surface.blit(self._veil, (0, 0))
        self._centred("ARENA", 64, 6, (255, 214, 120), (120, 46, 52))
        self._centred(title, 120, 2, _WHITE, _INK)
        self._button(MENU, "PRESS ENTER", 172)
        rows = ("ARROWS MOVE   SPACE DODGE", "Z LIGHT   X HEAVY   C POTION   P PAUSE")
        for y, row in zip((222, 238), rows, strict=True):
            self._centred(row, y, 1, _WHITE, _INK)
        if wins:
            self._centred(f"WON {wins}", 274, 2, (255, 214, 120), _INK)

    def paused(self) -> None:
        """Draw the panel over the scene while the game is paused."""
        self._surface.blit(self._veil, (0, 0))
        self._button(PAUSED, "PAUSED", 172)

    def over(self, fight: Fight) -> None:
        """Draw the panel over the scene after a fight."""
        self._surface.blit(self._veil, (0, 0))
        panel = pygame.Rect(130, 92, 220, 124)
        pygame.draw.rect(self._surface, _INK, panel.inflate(8, 8), border_radius=10)
        pygame.draw.rect(self._surface, OVER, panel, border_radius=8)
        won = fight.outcome == "win"
        title = "VICTORY" if won else "TIME IS UP" if fight.cause == "time" else "DEFEAT"
        self._centred(title, 106, 3, (40, 132, 76) if won else (190, 50, 54))
        rows = (
            ("FOES", f"{fight.score:.0f} %"),
            ("HEALTH", f"{fight.hero.health}"),
            ("TIME", _clock(fight.frame)),
        )
        for y, (name, value) in zip((140, 156, 172), rows, strict=True):
            write(self._surface, name, (156, y), 1, (120, 96, 76))
            write(self._surface, value, (324 - text_width(value, 1), y), 1, (70, 52, 44))
        self._centred("ENTER: AGAIN", 194, 1, (140, 112, 84))

    # ---- parts

    def _warn(self, fight: Fight) -> None:
        """Mark on the sand where the announced attack will strike."""
        foe, sign = fight.foe, sign_of(fight)
        if not sign or foe.attack is None:
            return
        reach = foe.attack.reach
        left, right = foe.x - BODY // 2, foe.x + reach
        if foe.facing < 0:
            left, right = foe.x - reach, foe.x + BODY // 2
        if sign == "leap":
            middle = foe.target_x if foe.stage == "strike" else fight.hero.x
            left, right = middle - reach, middle + reach
        elif sign == "charge":
            left, right = (foe.x, WIDTH - 40) if foe.facing > 0 else (40, foe.x)
        part = 1.0 if foe.stage == "strike" else foe.frame / max(1, foe.length)
        self._danger.fill((0, 0, 0, 0))
        box = (left, 0, right - left, 28)
        pygame.draw.ellipse(self._danger, (200, 44, 40, round(30 + 90 * part)), box)
        self._surface.blit(self._danger, (0, GROUND_Y - 8))

    def _marks(self, fight: Fight) -> None:
        """Draw bars on the sand: the fighters' places, and the frames until the hero is free."""
        hero, foe, draw = fight.hero, fight.foe, pygame.draw.rect
        draw(self._surface, HERO_MARK, (hero.x - _MARK // 2, HERO_MARK_Y, _MARK, 4))
        if foe.stage != "fallen":
            draw(self._surface, FOE_MARK, (foe.x - _MARK // 2, FOE_MARK_Y, _MARK, 4))
        if hero.busy:
            draw(self._surface, BUSY, (hero.x - _MARK, BUSY_Y, GAUGE_PX * hero.busy, 4))

    def _sign(self, fight: Fight) -> None:
        """Draw the sign over the foe's head and the gauge below it: warning, danger, or opening."""
        x, surface = fight.foe.x, self._surface
        gauges = (
            (windup_frames(fight), WINDUP),
            (strike_frames(fight), STRIKE),
            (opening_frames(fight), OPENING),
        )
        shown = [(frames, colour) for frames, colour in gauges if frames]
        if not shown:
            return
        frames, colour = shown[0]
        if sign := sign_of(fight):
            pygame.draw.rect(surface, _INK, (x - 11, SIGN_Y - 4, 22, 21), border_radius=5)
            pygame.draw.polygon(surface, SIGN_COLOURS[sign], _sign_shape(sign, x, fight.foe.facing))
        pygame.draw.rect(surface, _INK, (x - 30, GAUGE_Y - 2, 60, 9), border_radius=3)
        pygame.draw.rect(surface, colour, (x - 28, GAUGE_Y, GAUGE_PX * frames, 5))

    def _bars(self, fight: Fight) -> None:
        surface, hero, foe = self._surface, fight.hero, fight.foe
        pygame.draw.rect(surface, _INK, (0, 0, WIDTH, 42))
        pygame.draw.line(surface, (88, 66, 84), (0, 42), (WIDTH, 42), 2)
        write(surface, "HERO", (16, 6), 1, _WHITE)
        name = _NAMES[foe.kind.name]
        write(surface, name, (464 - text_width(name, 1), 6), 1, _WHITE)
        self._bar(HEALTH_BOX, 2 * hero.health, HEALTH)
        self._bar(STAMINA_BOX, hero.stamina, STAMINA)
        self._bar(FOE_BOX, foe_bar_px(fight), FOE_HEALTH, from_right=True)
        for number in range(POTIONS):
            self._flask(FLASKS_AT[0] + 10 * number, FLASKS_AT[1], full=number < hero.potions)
        for number in range(len(fight.line.foes)):
            x = PIPS_AT[0] + 40 - 10 * (number + 1)
            colour = PIP if number < fight.foes_left else _WELL
            pygame.draw.rect(surface, colour, (x + 2, PIPS_AT[1], 8, 5))
        if foe.phase:
            pygame.draw.rect(surface, PHASE_TWO, PHASE_BOX)
        seconds = str(-(-(LONGEST_FRAMES - fight.frame) // FRAMES_PER_SECOND))
        write(surface, seconds, ((WIDTH - text_width(seconds, 2)) // 2, 14), 2, _DIM)

    def _bar(
        self, box: tuple[int, int, int, int], filled: int, colour: Colour, *, from_right: bool = False
    ) -> None:
        x, y, width, height = box
        pygame.draw.rect(self._surface, _FRAME, (x - 1, y - 1, width + 2, height + 2), 1)
        pygame.draw.rect(self._surface, _WELL, box)
        left = x + width - filled if from_right else x
        pygame.draw.rect(self._surface, colour, (left, y, filled, height))

    def _flask(self, x: int, y: int, *, full: bool) -> None:
        pygame.draw.rect(self._surface, _FRAME, (x + 3, y - 2, 2, 2))
        pygame.draw.rect(self._surface, FLASK if full else _WELL, (x, y, 8, 6), border_radius=1)

    def _button(self, colour: Colour, text: str, y: int) -> None:
        pygame.draw.rect(self._surface, colour, (140, y - 12, 200, 40), border_radius=8)
        self._centred(text, y, 2, _WHITE)

    def _centred(self, text: str, y: int, size: int, colour: Colour, shade: Colour | None = None) -> None:
        write(self._surface, text, ((WIDTH - text_width(text, size)) // 2, y), size, colour, shade)


def _sign_shape(sign: str, x: int, facing: int) -> list[tuple[int, int]]:
    """Return the corners of a sign, 14 pixels high: a blade, an arrow down, or two arrow heads."""
    y = SIGN_Y
    if sign == "slash":
        corners = [(-7, 13), (-3, 5), (6, 0), (7, 3), (2, 9), (-4, 13)]
    elif sign == "leap":
        corners = [(-3, 0), (3, 0), (3, 6), (7, 6), (0, 13), (-7, 6), (-3, 6)]
    else:
        corners = [(-7, 0), (-1, 6), (-1, 0), (7, 7), (-1, 13), (-1, 8), (-7, 13), (-4, 7)]
    return [(x + facing * right, y + down) for right, down in corners]


def _clock(frames: int) -> str:
    return f"{frames / FRAMES_PER_SECOND:.0f} S"
