"""Draws the window: the place, panels, pictures, and over them the characters of the page."""

from __future__ import annotations

from functools import lru_cache

import pygame

from . import layout as at
from .figures import picture, shapes
from .layout import CELL_H, CELL_W, Cells
from .page import Page, write_page
from .sight import Sight
from .stage import backdrop
from .tables import TABLES, Card

Colour = tuple[int, int, int]
_TINTS: tuple[Colour, ...] = (
    (226, 222, 212),
    (150, 158, 168),
    (255, 246, 220),
    (150, 226, 160),
    (255, 158, 140),
    (244, 206, 112),
)
"""Colours of text, by the tints of page.py; all far lighter than a panel."""
_PANEL, _EDGE, _CHOSEN = (24, 22, 38), (84, 78, 112), (236, 122, 60)
_KINDS: dict[str, Colour] = {
    "attack": (150, 62, 58),
    "trick": (52, 92, 140),
    "habit": (112, 78, 150),
    "junk": (74, 74, 80),
}
_GLOW_PX = 250
_ROOMS = {"F": "damage", "E": "status", "?": "event", "S": "coin", "R": "rest", "T": "relic", "B": "junk"}
_WORDS = {
    "keepsake": "relic",
    "potion": "potion",
    "Better": "better",
    "Remove": "remove",
    "Heal": "heal",
    "health": "heal",
    "gold": "coin",
    "card": "draw",
}
"""Word in a choice's text → its emblem."""


class Painter:
    """Draws what is to be seen on a surface.

    Args:
        surface: of the window, or of a picture.
    """

    def __init__(self, surface: pygame.Surface) -> None:
        self._surface = surface
        self._signs = _Signs()

    def draw(self, sight: Sight, pending: str = "", shake: dict[int, int] | None = None) -> Page:
        """Draw everything.

        Args:
            pending: key of the chosen card. shake: foe (−1: the hero) → pixels beside its place.
        """
        page = write_page(sight)
        act = 0 if sight.screen in ("menu", "book") else sight.act
        self._surface.blit(backdrop(act), (0, 0))
        if sight.screen == "menu":
            self._menu(sight)
        elif sight.screen == "book":
            self._panel(Cells(3, 1, 36, 126))
        else:
            self._panel(Cells(0, 0, 4, 128), radius=0)
            self._screen(sight, pending, shake or {})
        self._write(page)
        return page

    def _screen(self, sight: Sight, pending: str, shake: dict[int, int]) -> None:
        if sight.screen == "fight":
            self._fight(sight, pending, shake)
            return
        self._panel(Cells(39, 0, 1, 128), radius=0)
        if sight.screen == "map":
            self._map(sight)
            return
        self._panel(Cells(at.TITLE_ROW, 1, 5 if sight.words else 1, 126))
        if sight.screen == "over":
            self._end(sight)
        for option, box in zip(sight.options, at.option_boxes(len(sight.options)), strict=True):
            self._panel(box, edge=_edge_of(option.label) if option.open else (52, 50, 62))
            self._box_picture(emblem_of(option.label, option.text), box, dim=not option.open)

    # ---- parts

    def _panel(self, box: Cells, *, edge: Colour = _EDGE, fill: Colour = _PANEL, radius: int = 8) -> None:
        x, y, width, height = box.pixels
        pygame.draw.rect(self._surface, fill, (x, y, width, height), border_radius=radius)
        pygame.draw.rect(self._surface, edge, (x, y, width, height), 2, border_radius=radius)

    def _blit(
        self, name: str, row: int, column: int, rows: int, columns: int, *, grey: bool = False, aside: int = 0
    ) -> None:
        """Draw a picture into the cells, as large as fits; `row` is the lower edge."""
        size = min(rows * CELL_H, columns * CELL_W)
        x = column * CELL_W + (columns * CELL_W - size) // 2 + aside
        self._surface.blit(picture(name, size, grey=grey), (x, row * CELL_H - size))

    def _box_picture(self, name: str, box: Cells, *, dim: bool = False) -> None:
        rows = at.text_top(box)
        if rows >= 3:
            high = min(rows - 1, 7)
            low = box.row + rows - (rows - high) // 2
            self._blit(name, low, box.column, high, box.width, grey=dim)

    def _fight(self, sight: Sight, pending: str, shake: dict[int, int]) -> None:
        self._panel(Cells(at.TITLE_ROW, 1, 1, 26))
        for place, foe in enumerate(sight.foes):
            box = at.foe_box(place)
            big = 10 if sight.rank != "normal" else 9
            self._blit(
                foe.name,
                at.FOE_ROW,
                box.column,
                big,
                box.width,
                grey=not foe.health,
                aside=shake.get(place, 0),
            )
            target = bool(pending) and foe.health > 0
            self._panel(
                Cells(box.row, box.column - 1, box.height, box.width + 1), edge=_CHOSEN if target else _EDGE
            )
            self._bar(box.column, 13, box.width - 2, foe.health / foe.most, (196, 70, 62))
        self._blit(sight.hero, at.HERO_ROW, 2, 11, at.HERO_WIDTH, aside=shake.get(-1, 0))
        self._panel(Cells(at.HERO_ROW, 1, 6, at.HERO_WIDTH + 1))
        self._bar(2, at.HERO_ROW - 1, at.HERO_WIDTH - 2, sight.health / max(1, sight.most), (74, 150, 84))
        self._panel(Cells(at.ENERGY_ROW, 1, 1, 126))
        self._panel(Cells(at.HINT_ROW, 0, 1, 128), radius=0)
        for place, (card, box) in enumerate(zip(sight.hand, at.hand_boxes(len(sight.hand)), strict=True)):
            chosen = pending == at.KEYS[place]
            playable = 0 <= card.cost <= sight.energy
            edge = _CHOSEN if chosen else _KINDS[card.kind] if playable else (52, 50, 62)
            self._panel(box, edge=edge)
            self._box_picture(emblem_of(card.name, card.text), box, dim=not playable)

    def _bar(self, column: int, row: int, columns: int, share: float, colour: Colour) -> None:
        x, y = column * CELL_W, row * CELL_H + 6
        pygame.draw.rect(
            self._surface, (16, 14, 24), (x - 1, y - 1, columns * CELL_W + 2, 11), border_radius=5
        )
        pygame.draw.rect(
            self._surface, colour, (x, y, max(0, int(columns * CELL_W * share)), 9), border_radius=4
        )

    def _menu(self, sight: Sight) -> None:
        self._panel(Cells(11, 18, 26, 92))
        title = self._signs.large("NIGHT POST", 5, (255, 226, 150))
        self._surface.blit(title, ((at.WIDTH - title.get_width()) // 2, 50))
        other = "Pip" if sight.hero == "Luna" else "Luna"
        self._blit(sight.hero, 31, 70, 11, 24)
        self._blit(other, 31, 92, 6, 14, grey=True)

    def _end(self, sight: Sight) -> None:
        """Draw how the run ended: the hero in the light of a lamp, or in the dark."""
        won = sight.health > 0
        middle = (at.WIDTH // 2, 25 * CELL_H)
        for radius in range(_GLOW_PX, 60, -25) if won else ():
            glow = pygame.Surface((2 * radius, 2 * radius), pygame.SRCALPHA)
            pygame.draw.circle(glow, (255, 214, 130, 14), (radius, radius), radius)
            self._surface.blit(glow, (middle[0] - radius, middle[1] - radius))
        title = self._signs.large(sight.title.upper(), 3, (255, 226, 150) if won else (122, 126, 138))
        self._surface.blit(title, ((at.WIDTH - title.get_width()) // 2, 12 * CELL_H))
        self._blit("Luna" if sight.hero == "Luna" else "Pip", 35, 47, 16, 34, grey=not won)

    def _map(self, sight: Sight) -> None:
        self._panel(Cells(at.TITLE_ROW, 1, 35, 86))
        self._panel(Cells(at.TITLE_ROW, 89, 35, 38))
        for row, text in enumerate(sight.rooms, 1):
            for lane, word in enumerate(text.split(" ")):
                for mark in word[1:]:
                    to = lane + {"\\": -1, "|": 0, "/": 1}[mark]
                    taken = row == sight.row and lane == sight.lane
                    self._way((row, lane), (row + 1, to), (150, 110, 50) if taken else (66, 62, 88))
                if row == len(sight.rooms) and word != ".":
                    self._way((row, lane), (row + 1, 2), (66, 62, 88))
        lanes = {option.text for option in sight.options}
        for row, text in enumerate(sight.rooms, 1):
            for lane, word in enumerate(text.split(" ")):
                if word != ".":
                    ahead = row == sight.row + 1 and f"Lane {lane + 1}." in lanes
                    here = (row, lane) == (sight.row, sight.lane)
                    self._node(row, lane, word[0], _CHOSEN if ahead else (70, 120, 76) if here else _EDGE)
        self._node(16, 2, "B", (190, 60, 60))

    def _way(self, start: tuple[int, int], end: tuple[int, int], colour: Colour) -> None:
        (y1, x1), (y2, x2) = at.node(*start), at.node(*end)
        points = [(x * CELL_W + 4, y * CELL_H + 9) for y, x in ((y1, x1), (y2, x2))]
        pygame.draw.line(self._surface, colour, points[0], points[1], 3)

    def _node(self, row: int, lane: int, sign: str, edge: Colour) -> None:
        line, column = at.node(row, lane)
        x, y = column * CELL_W + 4, line * CELL_H + 9
        pygame.draw.circle(self._surface, _PANEL, (x, y), 16)
        pygame.draw.circle(self._surface, edge, (x, y), 16, 3)
        self._surface.blit(picture(_ROOMS[sign], 26), (x + 18, y - 13))

    def _write(self, page: Page) -> None:
        for row, (signs, tints) in enumerate(zip(page.rows, page.tints, strict=True)):
            for column, (sign, tint) in enumerate(zip(signs, tints, strict=True)):
                if sign != " ":
                    self._surface.blit(self._signs.sign(sign, _TINTS[tint]), (column * CELL_W, row * CELL_H))

    def number(self, text: str, at_px: tuple[int, int], colour: Colour) -> None:
        """Draw a large number over the picture, in the middle of a point."""
        image = self._signs.large(text, 2, colour)
        self._surface.blit(image, (at_px[0] - image.get_width() // 2, at_px[1]))


class _Signs:
    """The font's characters as pictures."""

    def __init__(self) -> None:
        self._glyphs = at.read_glyphs()
        self.sign = lru_cache(maxsize=1024)(self._sign)
        self.large = lru_cache(maxsize=256)(self._large)

    def _sign(self, sign: str, colour: Colour) -> pygame.Surface:
        surface = pygame.Surface((CELL_W, CELL_H), pygame.SRCALPHA)
        for y, bits in enumerate(self._glyphs[ord(sign)]):
            for x in range(CELL_W):
                if bits >> (CELL_W - 1 - x) & 1:
                    surface.set_at((x, y), colour)
        return surface

    def _large(self, text: str, size: int, colour: Colour) -> pygame.Surface:
        line = pygame.Surface((CELL_W * len(text), CELL_H), pygame.SRCALPHA)
        for place, sign in enumerate(text):
            line.blit(self._sign(sign, colour), (place * CELL_W, 0))
        return pygame.transform.scale(line, (line.get_width() * size, line.get_height() * size))


@lru_cache(maxsize=512)
def emblem_of(name: str, text: str = "") -> str:
    """Return the emblem of a card, keepsake, potion or choice."""
    if name in TABLES.relics:
        return "relic"
    if name in TABLES.potions:
        return "potion"
    card = TABLES.cards.get(name)
    if card is not None:
        return _card_emblem(card)
    words = {"Remove": "remove", "Throw": "remove", "Sleep": "rest", "Practise": "better", "Gold": "coin"}
    for word, emblem in words.items():
        if name.startswith(word):
            return emblem
    for word, emblem in _WORDS.items():
        if word in text:
            return emblem
    return "event"


def _card_emblem(card: Card) -> str:
    for effect in card.effects:
        name = effect.word if effect.word in ("ink", "glow") else effect.op
        name = {"apply": "status", "add": "draw", "double": "ink", "lose": "energy", "spend": "glow"}.get(
            name, name
        )
        if name in shapes():
            return name
    return "junk"


def _edge_of(label: str) -> Colour:
    card = TABLES.cards.get(label)
    return _KINDS[card.kind] if card is not None else _EDGE
