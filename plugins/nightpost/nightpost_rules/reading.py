"""Parses the window's characters back into what is to be seen; the counterpart of page.py."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import layout as at
from .layout import Cells
from .sight import SeenCard, SeenFoe, SeenOption, Sight

_STATUS = re.compile(
    r"\s*(?P<hero>\w+)   Health (?P<health>\d+)/(?P<most>\d+)   Gold (?P<gold>\d+)   Act (?P<act>\d) \w+"
    r"   Floor (?P<floor>\d+)   Ascension (?P<ascension>\d+)   Deck (?P<deck>\d+)\s*"
)
_MENU = re.compile(r"\s*(\w+)   Ascension (\d+)\s*")
_FIGHT = re.compile(r"(Fight|Elite|Boss)   Turn (\d+)")
_ENERGY = re.compile(r"Energy (\d+)   Hand (\d+)   Draw (\d+)   Discards (\d+)   Burnt (\d+)")
_HEALTH = re.compile(r"Health (\d+)/(\d+)  Cover (\d+)")
_CHOICES = re.compile(r"Choices (\d+)")
_PRICE = re.compile(r"(\d+) gold\. ")
_HERE = re.compile(r"You: row (\d+), lane (\d+)")
_RANKS = {"Fight": "normal", "Elite": "elite", "Boss": "boss"}
_TITLES = {"The way up": "map", "A quiet corner": "rest", "The night market": "shop", "A chest": "treasure",
           "Choose a card": "card", "Choose a keepsake": "relic", "The letter has arrived": "over",
           "The lamp goes out": "over"}  # fmt: skip
_CLOSED = "Not now. "


def read_sight(rows: Sequence[str]) -> Sight | None:
    """Return what the rows of characters show; None where they show no screen of the game."""
    try:
        return _read(rows)
    except (AttributeError, ValueError, IndexError):  # a half-drawn picture
        return None


def _read(rows: Sequence[str]) -> Sight | None:
    title = rows[at.TITLE_ROW][2:100].strip()
    if title.startswith("Book: "):
        words = _block(rows, Cells(at.WORDS_ROW + 1, 4, at.BOOK_ROWS, at.WORDS_WIDTH))
        return Sight("book", title=title.removeprefix("Book: "), words=words)
    status = _STATUS.fullmatch(rows[at.STATUS_ROW])
    if status is None:
        return _menu(rows)
    numbers = {
        name: int(status[name]) for name in ("ascension", "act", "floor", "health", "most", "gold", "deck")
    }
    relics = tuple(name for name in _block(rows, Cells(at.RELIC_ROW, 11, 2, 116)).split(", ") if name)
    shown = {"hero": status["hero"], **numbers, "relics": relics, "potions": _potions(rows)}
    if fight := _FIGHT.fullmatch(title):
        return Sight("fight", **shown, **_fight(rows, _RANKS[fight[1]], int(fight[2])))  # type: ignore[arg-type]
    title = title.split("   ")[0].strip()
    screen = _TITLES.get(title, "pick" if title.endswith("which card?") else "event")
    leave = rows[at.HINT_ROW][2:100].strip()
    return Sight(
        screen,
        **shown,  # type: ignore[arg-type]
        **(_map(rows) if screen == "map" else {"options": _options(rows) if screen != "over" else ()}),
        title=title,
        words="" if screen == "map" else _block(rows, Cells(at.WORDS_ROW, 4, at.WORDS_ROWS, at.WORDS_WIDTH)),
        leave=leave.removeprefix("Space ") if leave.startswith("Space ") else "",
    )


def _menu(rows: Sequence[str]) -> Sight | None:
    match = _MENU.fullmatch(rows[12])
    if match is None:
        return None
    words = _block(rows, Cells(14, 20, 16, 88))
    return Sight("menu", hero=match[1], ascension=int(match[2]), title="Night Post", words=words)


def _block(rows: Sequence[str], box: Cells) -> str:
    lines = (rows[row][box.column : box.column + box.width] for row in range(box.row, box.row + box.height))
    return " ".join(" ".join(lines).split())


def _potions(rows: Sequence[str]) -> tuple[str, ...]:
    cells = (
        rows[at.POTION_ROW][10 + 20 * place : 30 + 20 * place].strip() for place in range(len(at.POTION_KEYS))
    )
    return tuple(cell[2:] for cell in cells if cell[1:2] == " ")


def _fight(rows: Sequence[str], rank: str, turn: int) -> dict[str, object]:
    energy, hand, draw, discard, burnt = map(int, _ENERGY.search(rows[at.ENERGY_ROW]).groups())  # type: ignore[union-attr]
    health = _HEALTH.search(rows[at.HERO_ROW + 1][: at.HERO_WIDTH + 2])
    foes = (_foe(rows, at.foe_box(place)) for place in range(len(at.TARGET_KEYS)))
    return {
        "rank": rank,
        "turn": turn,
        "energy": energy,
        "cover": int(health[3]),  # type: ignore[index]
        "statuses": _block(rows, Cells(at.HERO_ROW + 2, 2, 3, at.HERO_WIDTH)),
        "piles": (draw, discard, burnt),
        "hand": tuple(_card(rows, box) for box in at.hand_boxes(hand)),
        "foes": tuple(foe for foe in foes if foe is not None),
    }


def _foe(rows: Sequence[str], box: Cells) -> SeenFoe | None:
    name = rows[box.row][box.column : box.column + box.width].strip()
    match = _HEALTH.search(rows[box.row + 1][box.column : box.column + box.width])
    if not name or match is None:
        return None
    health, most, cover = map(int, match.groups())
    intent = _block(rows, Cells(box.row + 2, box.column, 3, box.width)).removeprefix("Next:").strip()
    statuses = _block(rows, Cells(box.row + 5, box.column, 3, box.width))
    return SeenFoe(name[2:], health, most, cover, intent if health else "", statuses)


def _card(rows: Sequence[str], box: Cells) -> SeenCard:
    inside, top = box.inside(), at.text_top(box)
    row, right = inside.row + top, inside.column + inside.width
    name = rows[row][inside.column : right].strip()[2:]
    _, cost, kind = rows[row + 1][inside.column : right].split()
    text = _block(rows, Cells(row + 2, inside.column, inside.height - top - 2, inside.width))
    return SeenCard(name, -1 if cost == "-" else int(cost), kind, text)


def _options(rows: Sequence[str]) -> tuple[SeenOption, ...]:
    count = int(_CHOICES.search(rows[at.TITLE_ROW])[1])  # type: ignore[index]
    return tuple(_option(rows, box) for box in at.option_boxes(count))


def _option(rows: Sequence[str], box: Cells) -> SeenOption:
    inside, top = box.inside(), at.text_top(box)
    label = rows[inside.row + top][inside.column : inside.column + inside.width].strip()[2:]
    text = _block(rows, Cells(inside.row + top + 1, inside.column, inside.height - top - 1, inside.width))
    closed = (text + " ").startswith(_CLOSED)
    text = text.removeprefix(_CLOSED.strip()).strip() if closed else text
    price = _PRICE.match(text + " ")
    if price is not None:
        text = text[price.end() :] if price.end() <= len(text) else ""
    return SeenOption(label, text, int(price[1]) if price else 0, not closed)


def _map(rows: Sequence[str]) -> dict[str, object]:
    panel = [row[at.MAP_PANEL :].strip() for row in rows]
    count = int(_CHOICES.search(panel[at.TITLE_ROW])[1])  # type: ignore[index]
    row, lane = map(int, _HERE.search(panel[at.MAP_TOP + 1]).groups())  # type: ignore[union-attr]
    options = []
    for place in range(count):
        label, text = panel[at.MAP_TOP + 3 + 2 * place][2:].split(": ")
        options.append(SeenOption(label, text))
    return {"options": tuple(options), "rooms": tuple(_rooms(rows)), "row": row, "lane": lane - 1}


def _rooms(rows: Sequence[str]) -> list[str]:
    texts = []
    for row in range(1, 16):
        cells = []
        for lane in range(5):
            line, column = at.node(row, lane)
            marks = "".join(rows[line - 1][column - 1 : column + 2].split())
            cells.append(rows[line][column] + marks if rows[line][column] != " " else ".")
        texts.append(" ".join(cells))
    return texts
