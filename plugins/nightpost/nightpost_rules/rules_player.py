"""A greedy player: it decides by simple rules from what the screen shows, and thinks no move ahead.

It takes the first card that is offered and buys nothing. In a fight it plays habits and tricks first, covers
itself while ten damage or more are announced, and hits the weakest foe with what deals most for its cost.

Its parts (the best blow, cover and trick) are fields of the eyes, from which skills may choose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .moves import Move
from .sight import SeenFoe, Sight
from .tables import TABLES, Card
from .worth import card_worth, effect_worth

_DEALS = re.compile(r"[Dd]eal (\d+)(?: x(\d+))?")
_GRAVE = 10
"""Announced damage, beyond the cover, against which the player covers itself first."""
_ROOMS = {"R": 1.0, "F": 2.0, "?": 3.0, "S": 1.5, "E": 0.5, "T": 4.0, "B": 0.0}


@dataclass(frozen=True, slots=True)
class Advice:
    """Moves that the rules see in a fight: the best of each kind, None where there is none."""

    strike: Move | None = None
    guard: Move | None = None
    setup: Move | None = None
    potion: Move | None = None


def announced(foe: SeenFoe) -> int:
    """Return the damage that a foe has announced."""
    return sum(int(n) * int(times or 1) for n, times in _DEALS.findall(foe.intent))


def incoming(sight: Sight) -> int:
    """Return the damage that all foes have announced."""
    return sum(announced(foe) for foe in sight.foes if foe.health)


def advise(sight: Sight) -> Advice:
    """Return the best move of each kind in a fight."""
    living = [place for place, foe in enumerate(sight.foes) if foe.health]
    if not living:
        return Advice()
    weakest = min(living, key=lambda place: sight.foes[place].health)
    best: dict[str, tuple[float, Move]] = {}
    for place, seen in enumerate(sight.hand):
        card = TABLES.cards.get(seen.name)
        if card is None or not 0 <= seen.cost <= sight.energy:
            continue
        kind, value = _kind(card), sum(map(effect_worth, card.effects)) / (seen.cost + 0.5)
        if kind and value > best.get(kind, (0.0,))[0]:
            best[kind] = (value, Move("play", place, weakest if card.aims else -1))
    moves = {kind: move for kind, (_, move) in best.items()}
    potion = _potion(sight, weakest)
    return Advice(moves.get("strike"), moves.get("guard"), moves.get("setup"), potion)


def _kind(card: Card) -> str:
    if card.kind == "junk":
        return ""
    if card.kind == "attack":
        return "strike"
    return "guard" if any(effect.op == "cover" for effect in card.now) else "setup"


def _potion(sight: Sight, weakest: int) -> Move | None:
    for place, name in enumerate(sight.potions):
        potion = TABLES.potions.get(name)
        if potion is not None:
            return Move("potion", place, weakest if potion.aims else -1)
    return None


class RulesPlayer:
    """Plays by the rules, from what is to be seen."""

    def move(self, sight: Sight) -> Move:
        """Return the move to make now."""
        if sight.screen == "fight":
            return self._fight(sight)
        if not sight.options:
            return Move("leave")
        places = [place for place, option in enumerate(sight.options) if option.open]
        hurt = sight.health < 0.5 * sight.most
        match sight.screen:
            case "map":
                place = max(places, key=lambda place: _room(sight, place, hurt))
            case "rest":
                place = 0 if hurt or len(places) < 2 else 1
            case "shop":
                return Move("leave")
            case "pick" if sight.title.startswith("Remove"):
                place = min(places, key=lambda place: _card(sight.options[place].label))
            case _:
                place = places[0]
        return Move("choose", place)

    def _fight(self, sight: Sight) -> Move:
        advice = advise(sight)
        if advice.potion and sight.rank != "normal":
            return advice.potion
        danger = incoming(sight) - sight.cover
        first = (advice.guard, advice.strike) if danger >= _GRAVE else (advice.strike, advice.guard)
        return advice.setup or first[0] or first[1] or Move("end")


def _card(name: str) -> float:
    card = TABLES.cards.get(name)
    return card_worth(card) if card is not None else 0.0


def _room(sight: Sight, place: int, hurt: bool) -> float:
    sign = sight.options[place].label[-1]
    return _ROOMS[sign] + (3.0 if hurt and sign == "R" else 0.0)
