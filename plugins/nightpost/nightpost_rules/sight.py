"""What the screen shows of a run, as data: the window draws it, the eyes read it back, players decide by it.

Nothing else is drawn: what is not in a `Sight` the player does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .beings import Foe, hit_for
from .course import LANES, ROWS, SIGNS
from .effects import Effect, describe
from .fight import Fight
from .rooms import Option
from .run import Run
from .tables import TABLES, Card

SHOWN_RELICS = 14
"""Keepsakes named on every screen, the newest; the book has them all."""
_TITLES = {"map": "The way up", "rest": "A quiet corner", "shop": "The night market"}
_LEAVES = {"card": "Leave the cards", "shop": "Leave the market", "pick": "Leave the deck as it is"}


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card in hand."""

    name: str
    cost: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SeenFoe:
    """A foe that stands or has fallen (health 0). intent: what it will do, in words."""

    name: str
    health: int
    most: int
    cover: int
    intent: str
    statuses: str


@dataclass(frozen=True, slots=True)
class SeenOption:
    """A choice. price: 0 where it costs nothing. open: it can be taken now."""

    label: str
    text: str
    price: int = 0
    open: bool = True


@dataclass(frozen=True, slots=True)
class Sight:
    """What the screen shows.

    Attributes:
        screen: menu, map, fight, card, relic, event, shop, rest, treasure, pick, over, or book.
        rank: of a fight: normal, elite or boss. rooms: the map, a text for each row from the first, with a
        word for each lane: its sign with the ways out of it (\\ | /), or a dot.
        row, lane: the place on the map.
        leave: what leaving is called; empty: it cannot be left.
    """

    screen: str
    hero: str = ""
    ascension: int = 0
    act: int = 1
    floor: int = 0
    health: int = 0
    most: int = 0
    gold: int = 0
    deck: int = 0
    relics: tuple[str, ...] = ()
    potions: tuple[str, ...] = ()
    title: str = ""
    words: str = ""
    options: tuple[SeenOption, ...] = ()
    leave: str = ""
    rank: str = ""
    turn: int = 0
    energy: int = 0
    cover: int = 0
    statuses: str = ""
    piles: tuple[int, int, int] = (0, 0, 0)
    hand: tuple[SeenCard, ...] = ()
    foes: tuple[SeenFoe, ...] = ()
    rooms: tuple[str, ...] = ()
    row: int = 0
    lane: int = 0


def sight_of(run: Run) -> Sight:
    """Return what the screen shows of a run."""
    fight = run.fight
    shown = dict(
        hero=run.hero.name,
        ascension=run.ascension,
        act=run.act + 1,
        floor=run.floor,
        health=max(0, run.being.health),
        most=run.being.most,
        gold=run.gold,
        deck=len(run.deck),
        relics=tuple(relic.name for relic in run.relics[-SHOWN_RELICS:]),
        potions=tuple(potion.name for potion in run.potions),
    )
    if fight is not None and run.screen == "fight":
        return Sight("fight", **shown, **_of_fight(fight))  # type: ignore[arg-type]
    if run.over:
        return Sight("over", **shown, title=_end_title(run), words=end_words(run))  # type: ignore[arg-type]
    where: dict[str, object] = {}
    if run.screen == "map":
        where = {"rooms": _rooms(run), "row": run.row, "lane": run.lane}
    return Sight(
        run.screen,
        **shown,  # type: ignore[arg-type]
        **where,  # type: ignore[arg-type]
        title=_title(run),
        words=_words(run),
        options=tuple(_option(option) for option in run.options()),
        leave=_LEAVES.get(run.screen, "") if run.may_leave else "",
    )


def _of_fight(fight: Fight) -> dict[str, object]:
    return {
        "rank": fight.rank,
        "turn": fight.turn,
        "energy": fight.energy,
        "cover": fight.hero.cover,
        "statuses": status_text(fight.hero.status),
        "piles": (len(fight.draw), len(fight.discard), len(fight.burnt)),
        "hand": tuple(_card(card) for card in fight.hand),
        "foes": tuple(_foe(foe, fight) for foe in fight.foes),
    }


def _card(card: Card) -> SeenCard:
    return SeenCard(card.name, card.cost, card.kind, card.text)


def _foe(foe: Foe, fight: Fight) -> SeenFoe:
    if foe.health <= 0:
        return SeenFoe(foe.kind.name, 0, foe.most, 0, "", "")
    effects = tuple(_as_dealt(effect, foe, fight) for effect in foe.intent)
    return SeenFoe(foe.kind.name, foe.health, foe.most, foe.cover, describe(effects), status_text(foe.status))


def _as_dealt(effect: Effect, foe: Foe, fight: Fight) -> Effect:
    """Return an effect with the damage that it would deal now."""
    if effect.op != "damage":
        return effect
    return effect._replace(n=hit_for(foe, fight.hero, effect.n, foe.damage_percent))


def status_text(statuses: Mapping[str, int]) -> str:
    """Return statuses as the screen shows them."""
    return ", ".join(f"{name} {n}" for name, n in sorted(statuses.items()) if n)


def _option(option: Option) -> SeenOption:
    return SeenOption(option.label, option.text, option.price, option.open)


def _title(run: Run) -> str:
    if run.screen == "event" and run.event is not None:
        return run.event.name
    if run.offer is not None and run.screen in ("card", "relic", "pick", "treasure"):
        return run.offer.title
    return _TITLES[run.screen]


def _words(run: Run) -> str:
    if run.screen == "event" and run.event is not None:
        return run.event.text
    if run.screen in ("card", "relic"):
        return run.loot
    return ""


def _end_title(run: Run) -> str:
    return "The letter has arrived" if run.won else "The lamp goes out"


def end_words(run: Run) -> str:
    """Return how a run ended, in a sentence or two."""
    if run.won:
        return "All three acts are behind you. Score 100."
    return f"You fell on floor {run.floor} to {run.killer}. Score {run.score:.0f}."


def _rooms(run: Run) -> tuple[str, ...]:
    course = run.course
    rows = []
    for row in range(1, ROWS + 1):
        cells = []
        for lane in range(LANES):
            kind = course.rooms.get((row, lane))
            ways = course.ways.get((row, lane), ())
            marks = "".join(
                mark for mark, to in (("\\", lane - 1), ("|", lane), ("/", lane + 1)) if to in ways
            )
            cells.append("." if kind is None else SIGNS[kind] + marks)
        rows.append(" ".join(cells))
    return tuple(rows)


def menu_sight(hero: str, ascension: int, best: float) -> Sight:
    """Return the menu: the character and the level that the next run has."""
    rules = " ".join(f"{level.level}: {level.rule}" for level in TABLES.ascension[:ascension])
    kind = TABLES.heroes[hero]
    return Sight(
        "menu",
        hero=kind.name,
        ascension=ascension,
        title="Night Post",
        words=f"{kind.about} {rules or 'No rule is added.'} Best score {best:.0f}.",
    )


def book_sights(run: Run) -> list[Sight]:
    """Return the pages of the book that Tab opens: deck and piles, keepsakes, words of the game."""
    piles = [("Deck", run.deck)]
    if run.fight is not None:
        piles += [
            ("Draw pile, in no order", run.fight.draw),
            ("Discards", run.fight.discard),
            ("Burnt", run.fight.burnt),
        ]
    words = " ".join(f"{name} ({len(cards)}): {_counted(cards)}." for name, cards in piles)
    relics = " ".join(f"{relic.name}: {relic.text}" for relic in run.relics)
    potions = " ".join(f"{potion.name}: {potion.text}" for potion in run.potions)
    return [
        Sight("book", title="Cards", words=words),
        Sight("book", title="Keepsakes and potions", words=f"{relics} {potions}".strip()),
    ]


def _counted(cards: list[Card]) -> str:
    counts: dict[str, int] = {}
    for card in sorted(cards, key=lambda card: card.name):
        counts[card.name] = counts.get(card.name, 0) + 1
    return ", ".join(f"{n} {name}" if n > 1 else name for name, n in counts.items()) or "none"
