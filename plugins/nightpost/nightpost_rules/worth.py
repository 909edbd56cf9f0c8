"""Estimates of what cards, keepsakes and positions are worth, for the players that choose by numbers."""

from __future__ import annotations

from .beings import hit_for
from .effects import Effect
from .fight import Fight
from .tables import Card, Relic

_GLOW, _ROUNDS, _PLAYS = 4, 4.0, 5.0
"""Glow at hand, rounds that a habit lasts, attacks or tricks played in them: what the estimates assume."""
_GAINS = {"pluck": 6.0, "poise": 4.5, "prickle": 1.2, "mend": 2.2, "feint": 8.0, "ward": 3.0, "glow": 1.5}
_BRINGS = {"shaken": 4.0, "tired": 3.5, "ink": 1.9, "rattled": 0.0}
_PLAIN = {
    "draw": 3.2,
    "energy": 5.5,
    "heal": 1.4,
    "lose": -1.2,
    "max_health": 1.6,
    "gold": 0.14,
    "cheaper": 0.4,
}
_MOMENTS = {
    "fight": 1.0,
    "turn": _ROUNDS,
    "every3": 1.3,
    "end": _ROUNDS,
    "attack": 8.0,
    "trick": 6.0,
    "habit": 1.0,
}
_OUTSIDE = {"victory": 1.6, "rest": 0.5, "pickup": 0.6, "passive": 0.4}
_COST = 6.0
_URGE = 0.35
"""Worth of a point of damage in itself, so that no foe is kept alive for what a habit brings."""


def effect_worth(effect: Effect) -> float:
    """Return what an effect is worth, in points of damage."""
    if effect.when:
        return {**_MOMENTS, **_OUTSIDE}[effect.when] * effect_worth(effect._replace(when=""))
    if effect.cond:
        return 0.5 * effect_worth(effect._replace(cond=""))
    n = effect.n * (_GLOW if effect.per else 1) + effect.bonus * _GLOW
    match effect.op:
        case "damage":
            return n * effect.times * (1.4 if effect.scope == "all" else 1.0)
        case "cover":
            return 0.95 * n
        case "apply":
            return _BRINGS[effect.word] * n * (1.5 if effect.scope == "all" else 1.0)
        case "gain":
            return _GAINS.get(effect.word, 0.0) * n
        case "add":
            return 2.8 * n
        case "double":
            return 7.0
        case "spend":
            return -3.0
    return _PLAIN.get(effect.op, 0.0) * n


def card_worth(card: Card) -> float:
    """Return what a card brings beyond what its cost would bring otherwise."""
    if card.kind == "junk":
        return -8.0
    surplus = sum(map(effect_worth, card.effects)) - _COST * card.cost
    return surplus * (0.75 if card.burns and card.kind != "habit" else 1.0)


def relic_worth(relic: Relic) -> float:
    """Return what a keepsake is worth."""
    return sum(map(effect_worth, relic.effects))


def position_worth(fight: Fight, power: float, potions_used: int) -> float:
    """Return how good a fight looks at the start of a turn. power: damage that the deck deals in a turn.

    Health counts as it is; a foe costs the health that it will take before it falls.
    """
    if fight.lost:
        return -10_000.0 - sum(foe.health for foe in fight.living)
    hero = fight.hero
    value = hero.health - 7.0 * potions_used
    if fight.won:
        return 1_000.0 + value
    left = sum(max(0.0, foe.health + 0.5 * foe.cover - 0.8 * _ink(foe.of("ink"))) for foe in fight.living)
    rounds = min(9.0, left / power + 0.5)
    value -= _URGE * left + fight.turn
    value -= (
        sum(
            _threat(fight, place) * (0.35 + 0.65 * min(1.0, foe.health / power))
            for place, foe in enumerate(fight.foes)
            if foe.health > 0
        )
        * rounds
        * 0.55
    )
    value += rounds * (1.6 * hero.of("pluck") + 1.4 * hero.of("poise")) + 0.6 * hero.of("prickle") * min(
        rounds, 4
    )
    value += 0.9 * min(hero.of("glow"), 12) + 1.5 * hero.of("mend") + 6.0 * hero.of("feint") + hero.of("ward")
    value -= (
        2.0 * hero.of("shaken") + 2.0 * hero.of("tired") + 1.5 * hero.of("rattled") + 1.5 * hero.of("ink")
    )
    for foe in fight.living:
        value += (
            1.6 * min(3, foe.of("shaken")) + 1.4 * min(3, foe.of("tired")) - 0.7 * foe.of("pluck") * rounds
        )
    for effect in fight.triggers:
        if effect.when != "fight":
            value += effect_worth(effect) / _ROUNDS * min(rounds, 6.0) * 0.5
    return value


def _ink(n: int) -> float:
    return n * (n + 1) / 2


def _threat(fight: Fight, place: int) -> float:
    """Return the damage that a foe deals in a turn, from all of its moves."""
    foe = fight.foes[place]
    moves = foe.kind.moves
    total = sum(
        hit_for(foe, fight.hero, effect.n, foe.damage_percent) * effect.times
        for effects in moves.values()
        for effect in effects
        if effect.op == "damage"
    )
    return total / len(moves)
