"""What rooms offer: cards, keepsakes, potions and wares, drawn by chance from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .dice import Dice
from .effects import Effect, describe
from .tables import TABLES, Card, Potion, Relic

Thing = Card | Relic | Potion
_RARITIES = ("common", "uncommon", "rare")
MOST_PICKS = 30
"""Different cards that a choice from the deck shows."""
_PURPOSES = {"upgrade": "Better", "remove": "Remove", "copy": "Copy"}
_BETTER_PERCENT = 20
"""Chance for each act before this one that an offered card is a better one."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice on a screen. open: it can be taken now. lane: of a way on the map."""

    label: str
    effects: tuple[Effect, ...] = ()
    open: bool = True
    words: str = ""
    price: int = 0
    lane: int = -1

    @property
    def text(self) -> str:
        """Return what it does, in words."""
        return self.words or describe(self.effects)


@dataclass(frozen=True, slots=True)
class Offer:
    """Things of which one is chosen. kind: card, relic, treasure, or pick (from the deck, for a purpose)."""

    kind: str
    title: str
    things: Sequence[Card | Relic]
    purpose: str = ""

    def options(self) -> list[Option]:
        """Return the things as options."""
        return [option_of(thing, better=self.purpose == "upgrade") for thing in self.things]


@dataclass(slots=True)
class Ware:
    """Something for sale; thing None: the removal of a card."""

    thing: Thing | None
    price: int

    def option(self, gold: int, room: bool) -> Option:
        """Return it as an option. room: another potion fits into the bag."""
        there = self.price <= gold and (room or not isinstance(self.thing, Potion))
        if self.thing is None:
            return Option("Remove a card", (), there, "One card leaves your deck.", self.price)
        shown = option_of(self.thing)
        return Option(shown.label, (), there, shown.text, self.price)


def option_of(thing: Thing, *, better: bool = False) -> Option:
    """Return a thing as an option. better: a card is shown as what it would become."""
    if isinstance(thing, Card):
        shown = thing.better if better and thing.better else thing
        return Option(shown.name, words=f"{cost_of(shown)} {shown.kind}. {shown.text}")
    return Option(thing.name, words=thing.text)


def cost_of(card: Card) -> str:
    """Return a card's cost as the screen shows it."""
    return str(card.cost) if card.cost >= 0 else "-"


def pick_offer(deck: Sequence[Card], purpose: str) -> Offer:
    """Return the cards of a deck that can be bettered, removed or copied, each kind once."""
    cards = list(dict.fromkeys(sorted(deck, key=lambda card: card.name)))[:MOST_PICKS]
    if purpose == "upgrade":
        cards = [card for card in cards if card.better]
    elif purpose == "copy":
        cards = [card for card in cards if card.kind != "junk"]
    return Offer("pick", f"{_PURPOSES[purpose]} which card?", cards, purpose)


def pool_cards(dice: Dice, hero: str, *, rare: bool = False, better: int = 0, n: int = 3) -> list[Card]:
    """Draw different cards of a character. better: acts before this one."""
    cards: list[Card] = []
    while len(cards) < n:
        rarity = "rare" if rare else _RARITIES[dice.weighted((60, 33, 7))]
        card = dice.pick(TABLES.pools[hero, rarity])
        if dice.below(100) < _BETTER_PERCENT * better and card.better:
            card = card.better
        if all(card.name.rstrip("+") != other.name.rstrip("+") for other in cards):
            cards.append(card)
    return cards


def pick_relic(dice: Dice, held: Sequence[Relic], *, rare: bool = False) -> Relic:
    """Draw a keepsake that is not held; rare ones come from bosses alone."""
    wanted = ("rare",) if rare else (("common",), ("uncommon",))[dice.below(100) < 40]
    free = [relic for relic in TABLES.relics.values() if relic not in held and relic.rarity in wanted]
    free = free or [
        relic for relic in TABLES.relics.values() if relic not in held and relic.rarity != "starter"
    ]
    return dice.pick(free or [TABLES.relics["Sugar Cube"]])


def drop_potion(dice: Dice) -> Potion:
    """Draw a potion."""
    return dice.pick(tuple(TABLES.potions.values()))


def make_shop(dice: Dice, hero: str, held: Sequence[Relic]) -> list[Ware]:
    """Draw a shop's wares: five cards, two keepsakes, two potions, and the removal of a card."""
    prices = TABLES.rewards["shop"]
    cheaper = sum(effect.n for relic in held for effect in relic.effects if effect.op == "cheaper")
    relics = [pick_relic(dice, held)]
    relics.append(pick_relic(dice, [*held, *relics]))
    wares = [Ware(card, prices[card.rarity]) for card in pool_cards(dice, hero, n=5)]
    wares += [Ware(relic, prices["relic"]) for relic in relics]
    wares += [Ware(drop_potion(dice), prices["potion"]) for _ in range(2)]
    wares.append(Ware(None, prices["remove"]))
    for ware in wares:
        ware.price = (ware.price + dice.between(-4, 4)) * (100 - cheaper) // 100
    return wares
