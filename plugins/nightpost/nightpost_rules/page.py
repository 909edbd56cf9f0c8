"""Writes what is to be seen into the cells of the window, and knows what a click means where."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

from . import layout as at
from .layout import Cells
from .sight import SeenCard, SeenFoe, SeenOption, Sight

PLAIN, QUIET, BRIGHT, GOOD, BAD, GOLD = range(6)
"""Tints of text."""
_ACTS = ("Cellar", "Parlour", "Attic")


@dataclass
class Page:
    """The window's characters and their tints. spots: box → the key that a click on it stands for."""

    rows: list[list[str]] = field(default_factory=lambda: [[" "] * at.COLUMNS for _ in range(at.ROWS)])
    tints: list[list[int]] = field(default_factory=lambda: [[PLAIN] * at.COLUMNS for _ in range(at.ROWS)])
    spots: list[tuple[Cells, str]] = field(default_factory=list)

    def put(self, row: int, column: int, text: str, tint: int = PLAIN) -> None:
        """Write a text; what does not fit into the row is left out."""
        for place, sign in enumerate(text[: at.COLUMNS - column], column):
            self.rows[row][place] = sign
            self.tints[row][place] = tint

    def block(self, box: Cells, text: str, tint: int = PLAIN) -> None:
        """Write a text into a box, wrapped."""
        for number, line in enumerate(textwrap.wrap(text, box.width)[: box.height]):
            self.put(box.row + number, box.column, line, tint)

    def lines(self) -> list[str]:
        """Return the rows of characters."""
        return ["".join(row) for row in self.rows]


def write_page(sight: Sight) -> Page:
    """Return the page of what is to be seen."""
    page = Page()
    if sight.screen == "book":
        page.put(at.TITLE_ROW, 2, f"Book: {sight.title}", BRIGHT)
        page.block(Cells(at.WORDS_ROW + 1, 4, at.BOOK_ROWS, at.WORDS_WIDTH), sight.words)
        page.put(at.HINT_ROW, 2, "Tab Next page   Escape Close", QUIET)
        return page
    if sight.screen == "menu":
        _menu(page, sight)
        return page
    _status(page, sight)
    if sight.screen == "fight":
        _fight(page, sight)
        return page
    page.put(at.TITLE_ROW, 2, sight.title, BRIGHT)
    page.block(Cells(at.WORDS_ROW, 4, at.WORDS_ROWS, at.WORDS_WIDTH), sight.words)
    if sight.screen == "map":
        _map(page, sight)
    elif sight.screen == "over":
        page.put(at.HINT_ROW, 2, "Enter Begin again", GOLD)
        page.spots.append((Cells(0, 0, at.ROWS, at.COLUMNS), "Enter"))
    else:
        page.put(at.TITLE_ROW, 100, f"Choices {len(sight.options)}", QUIET)
        for place, (option, box) in enumerate(
            zip(sight.options, at.option_boxes(len(sight.options)), strict=True)
        ):
            _choice(page, place, option, box)
    hint = f"Space {sight.leave}" if sight.leave else ""
    if hint:
        page.put(at.HINT_ROW, 2, hint, GOLD)
        page.spots.append((Cells(at.HINT_ROW, 1, 1, 30), "Space"))
    page.put(at.HINT_ROW, 112, "Tab Book", QUIET)
    page.spots.append((Cells(at.HINT_ROW, 110, 1, 14), "Tab"))
    return page


def _status(page: Page, sight: Sight) -> None:
    page.put(
        at.STATUS_ROW,
        1,
        f"{sight.hero}   Health {sight.health}/{sight.most}   Gold {sight.gold}"
        f"   Act {sight.act} {_ACTS[sight.act - 1]}   Floor {sight.floor}"
        f"   Ascension {sight.ascension}   Deck {sight.deck}",
        BRIGHT,
    )
    column = 1
    page.put(at.POTION_ROW, column, "Potions", QUIET)
    column += 9
    for key, name in zip(at.POTION_KEYS, sight.potions, strict=False):
        page.put(at.POTION_ROW, column, f"{key} {name}", GOOD)
        page.spots.append((Cells(at.POTION_ROW, column, 1, len(name) + 2), key))
        column += 20
    if not sight.potions:
        page.put(at.POTION_ROW, column, "none", QUIET)
    page.put(at.RELIC_ROW, 1, "Keepsakes", QUIET)
    page.block(Cells(at.RELIC_ROW, 11, 2, 116), ", ".join(sight.relics), GOLD)


def _menu(page: Page, sight: Sight) -> None:
    page.put(12, 20, f"{sight.hero}   Ascension {sight.ascension}", BRIGHT)
    page.block(Cells(14, 20, 16, 88), sight.words)
    page.put(32, 20, "Enter Begin", GOLD)
    page.put(34, 20, "1 Pip   2 Luna   Right Higher   Left Lower", QUIET)
    page.spots += [(Cells(32, 20, 1, 12), "Enter"), (Cells(34, 20, 1, 5), "1"), (Cells(34, 28, 1, 6), "2")]
    page.spots += [(Cells(34, 37, 1, 12), "Right"), (Cells(34, 52, 1, 10), "Left")]


def _choice(page: Page, place: int, option: SeenOption, box: Cells) -> None:
    tint = BRIGHT if option.open else QUIET
    inside, top = box.inside(), at.text_top(box)
    page.put(inside.row + top, inside.column, f"{at.KEYS[place]} {option.label}"[: inside.width], tint)
    price = f"{option.price} gold. " if option.price else ""
    text = f"{'' if option.open else 'Not now. '}{price}{option.text}"
    below = Cells(inside.row + top + 1, inside.column, inside.height - top - 1, inside.width)
    page.block(below, text, PLAIN if option.open else QUIET)
    page.spots.append((box, at.KEYS[place]))


def _card(page: Page, place: int, card: SeenCard, box: Cells, energy: int) -> None:
    playable = 0 <= card.cost <= energy
    inside, top = box.inside(), at.text_top(box)
    row = inside.row + top
    page.put(row, inside.column, f"{at.KEYS[place]} {card.name}", BRIGHT if playable else QUIET)
    cost = str(card.cost) if card.cost >= 0 else "-"
    page.put(row + 1, inside.column, f"Cost {cost} {card.kind}", GOLD if playable else QUIET)
    below = Cells(row + 2, inside.column, inside.height - top - 2, inside.width)
    page.block(below, card.text, PLAIN if playable else QUIET)
    page.spots.append((box, at.KEYS[place]))


def _fight(page: Page, sight: Sight) -> None:
    rank = {"normal": "Fight", "elite": "Elite", "boss": "Boss"}[sight.rank]
    draw, discard, burnt = sight.piles
    page.put(at.TITLE_ROW, 2, f"{rank}   Turn {sight.turn}", BRIGHT)
    hero = Cells(at.HERO_ROW, 2, 6, at.HERO_WIDTH)
    page.put(hero.row, hero.column, sight.hero, BRIGHT)
    page.put(hero.row + 1, hero.column, f"Health {sight.health}/{sight.most}  Cover {sight.cover}", GOOD)
    page.block(Cells(hero.row + 2, hero.column, 3, hero.width), sight.statuses)
    for place, foe in enumerate(sight.foes):
        _foe(page, place, foe)
    page.put(
        at.ENERGY_ROW,
        2,
        f"Energy {sight.energy}   Hand {len(sight.hand)}   Draw {draw}   Discards {discard}   Burnt {burnt}",
        GOLD,
    )
    page.put(at.ENERGY_ROW, 112, f"{at.END_KEY} End turn", BRIGHT)
    page.spots.append((Cells(at.ENERGY_ROW, 110, 1, 16), at.END_KEY))
    for place, (card, box) in enumerate(zip(sight.hand, at.hand_boxes(len(sight.hand)), strict=True)):
        _card(page, place, card, box, sight.energy)
    page.put(at.HINT_ROW, 2, "A card's key, then the foe's. z x c: potions.", QUIET)
    page.put(at.HINT_ROW, 112, "Tab Book", QUIET)
    page.spots.append((Cells(at.HINT_ROW, 110, 1, 14), "Tab"))


def _foe(page: Page, place: int, foe: SeenFoe) -> None:
    box = at.foe_box(place)
    page.put(box.row, box.column, f"{at.TARGET_KEYS[place]} {foe.name}", BRIGHT if foe.health else QUIET)
    page.put(
        box.row + 1,
        box.column,
        f"Health {foe.health}/{foe.most}  Cover {foe.cover}",
        BAD if foe.health else QUIET,
    )
    page.block(
        Cells(box.row + 2, box.column, 3, box.width), f"Next: {foe.intent}" if foe.health else "Fallen", PLAIN
    )
    page.block(Cells(box.row + 5, box.column, 3, box.width), foe.statuses, GOLD)
    if foe.health:
        page.spots.append((Cells(5, box.column, 17, box.width), at.TARGET_KEYS[place]))


def _map(page: Page, sight: Sight) -> None:
    lanes = {option.text: place for place, option in enumerate(sight.options)}
    for row, text in enumerate(sight.rooms, 1):
        for lane, word in enumerate(text.split(" ")):
            if word == ".":
                continue
            line, column = at.node(row, lane)
            ahead = row == sight.row + 1 and f"Lane {lane + 1}." in lanes
            here = (row, lane) == (sight.row, sight.lane)
            page.put(line, column, word[0], BRIGHT if ahead else GOOD if here else PLAIN)
            for mark in word[1:]:
                page.put(line - 1, column + {"\\": -1, "|": 0, "/": 1}[mark], mark, QUIET)
            if ahead:
                box = Cells(line - 1, column - 3, 2, 7)
                page.spots.append((box, at.KEYS[lanes[f"Lane {lane + 1}."]]))
    line, column = at.node(16, 2)
    page.put(line, column, "B", BAD)
    page.put(at.TITLE_ROW, at.MAP_PANEL, f"Choices {len(sight.options)}", QUIET)
    page.put(at.MAP_TOP + 1, at.MAP_PANEL, f"You: row {sight.row}, lane {sight.lane + 1}", GOOD)
    for place, option in enumerate(sight.options):
        row = at.MAP_TOP + 3 + 2 * place
        page.put(row, at.MAP_PANEL, f"{at.KEYS[place]} {option.label}: {option.text}", BRIGHT)
        page.spots.append((Cells(row, at.MAP_PANEL, 1, 32), at.KEYS[place]))
    legend = ("F fight", "E elite, leaves a keepsake", "? event", "S shop", "R rest", "T treasure", "B boss")
    for place, text in enumerate(legend):
        page.put(at.MAP_TOP + 18 + place, at.MAP_PANEL, text, QUIET)
