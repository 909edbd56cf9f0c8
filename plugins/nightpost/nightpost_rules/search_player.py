"""A player that thinks a turn ahead: a beam over the plays of the hand, judged after the foes' next moves.

It knows the rules and what the screen shows, never the order of the draw pile: it thinks with its own dice.
Rooms, rewards and wares it chooses by the estimates of `worth`.
"""

from __future__ import annotations

from collections.abc import Iterator

from .course import ROWS
from .dice import Dice
from .effects import Effect
from .fight import Fight
from .moves import Move
from .run import Run
from .tables import Card, Potion, Relic
from .worth import card_worth, position_worth, relic_worth

_CHANCY = ("draw", "add")
_GOLD = 3.0
"""Worth of the gold that a chest offers in place of its keepsake."""
_ROOMS = {"fight": 1.0, "event": 2.2, "elite": 3.0, "rest": 2.5, "shop": 1.8, "treasure": 4.0, "boss": 0.0}


class SearchPlayer:
    """Plays a run.

    Args:
        width: positions kept at each depth of the beam. seed: of its own dice.
    """

    def __init__(self, width: int = 10, seed: int = 0) -> None:
        self._width = width
        self._dice = Dice(seed)
        self._plan: list[Move] = []

    def move(self, run: Run) -> Move:
        """Return the move to make now."""
        if run.screen == "fight":
            if not self._plan:
                self._plan = self._turn(run)
            return self._plan.pop(0)
        self._plan = []
        moves = run.moves()
        if len(moves) == 1:
            return moves[0]
        return self._choose(run, moves)

    # ---- fights

    def _turn(self, run: Run) -> list[Move]:
        """Return the best plays of this turn, up to the first whose outcome chance decides."""
        fight = run.fight
        assert fight is not None
        power = deck_power(run)
        root = fight.copy(self._dice)
        level: list[tuple[Fight, list[Move], tuple[Potion, ...]]] = [(root, [], tuple(run.potions))]
        best, plan = -1e9, [Move("end")]
        many = len(run.potions)
        while level:
            following: dict[tuple[object, ...], tuple[float, Fight, list[Move], tuple[Potion, ...]]] = {}
            for state, moves, potions in level:
                end = state.copy()
                end.end_turn()
                value = position_worth(end, power, many - len(potions))
                if value > best:
                    best, plan = value, [*moves, Move("end")]
                for move, after, left in self._plays(state, potions):
                    if after.won:
                        value = position_worth(after, power, many - len(left))
                        if value > best:
                            best, plan = value, [*moves, move]
                        continue
                    key = _key(after, left)
                    if key not in following:
                        guess = _guess(after, power, many - len(left))
                        following[key] = (guess, after, [*moves, move], left)
            ranked = sorted(following.values(), key=lambda row: -row[0])[: self._width]
            level = [(state, moves, potions) for _, state, moves, potions in ranked]
        return _certain(run, plan)

    def _plays(
        self, state: Fight, potions: tuple[Potion, ...]
    ) -> Iterator[tuple[Move, Fight, tuple[Potion, ...]]]:
        targets = [place for place, foe in enumerate(state.foes) if foe.health > 0]
        known: set[Card] = set()
        for place, card in enumerate(state.hand):
            if card in known or not state.playable(card):
                continue
            known.add(card)
            for to in targets if card.aims else (-1,):
                after = state.copy()
                after.play(place, to)
                if not after.lost:
                    yield Move("play", place, to), after, potions
        for place, potion in enumerate(potions):
            for to in targets if potion.aims else (-1,):
                after = state.copy()
                after.drink(potion.effects, to)
                yield Move("potion", place, to), after, potions[:place] + potions[place + 1 :]

    # ---- everything else

    def _choose(self, run: Run, moves: list[Move]) -> Move:
        hurt = 1 - run.being.health / run.being.most
        match run.screen:
            case "map":
                return max(moves, key=lambda move: _path(run, run.row + 1, run.ahead[move.n], hurt))
            case "rest":
                return moves[0] if hurt > 0.35 or len(moves) == 1 else moves[1]
            case "event":
                options = run.options()
                return max(moves, key=lambda move: sum(_gain(run, e) for e in options[move.n].effects))
            case "shop":
                return self._buy(run, moves)
        assert run.offer is not None
        offer = run.offer
        if offer.kind in ("relic", "treasure"):
            worths = [relic_worth(thing) for thing in offer.things if isinstance(thing, Relic)]
            return max(moves, key=lambda move: [*worths, _GOLD][move.n])
        return best_card(run, moves, offer.purpose)

    def _buy(self, run: Run, moves: list[Move]) -> Move:
        def gain(move: Move) -> float:
            if move.kind == "leave":
                return 0.0
            thing = run.shop[move.n].thing
            if isinstance(thing, Relic):
                return relic_worth(thing) + 4
            if isinstance(thing, Potion):
                return 2.0
            if thing is None:
                return (
                    5.0 if any(card.kind == "junk" or card.rarity == "basic" for card in run.deck) else -1.0
                )
            return card_worth(thing) - 3.0 - 0.25 * max(0, len(run.deck) - 15)

        return max(moves, key=gain)


def best_card(run: Run, moves: list[Move], purpose: str) -> Move:
    """Return the best choice on a screen of cards."""
    assert run.offer is not None
    things = run.offer.things

    def gain(move: Move) -> float:
        if move.kind == "leave":
            return 0.0 if purpose else 0.6 + 0.14 * max(0, len(run.deck) - 14)
        card = things[move.n]
        assert isinstance(card, Card)
        if purpose == "remove":
            return 20 - card_worth(card) + 3 * (card.rarity == "basic") + (card.kind == "attack")
        if purpose == "upgrade":
            assert card.better is not None
            return card_worth(card.better) - card_worth(card) + 0.2
        return card_worth(card)

    return max(moves, key=gain)


def deck_power(run: Run) -> float:
    """Return about how much damage the deck deals in a turn."""
    return 11.0 + 4.5 * run.act + 0.35 * min(run.row, 16)


def _certain(run: Run, plan: list[Move]) -> list[Move]:
    """Cut a plan after the first move that brings cards which were not in hand."""
    fight = run.fight
    assert fight is not None
    hand, potions, drawing = (
        fight.hand[:],
        run.potions[:],
        any(e.op in _CHANCY and e.when in ("attack", "trick", "habit") for e in fight.triggers),
    )
    for number, move in enumerate(plan):
        if move.kind == "end":
            return plan[: number + 1]
        effects = hand.pop(move.n).now if move.kind == "play" else potions.pop(move.n).effects
        if drawing or any(effect.op in _CHANCY or effect.scope == "random" for effect in effects):
            return plan[: number + 1]
    return plan


def _key(state: Fight, potions: tuple[Potion, ...]) -> tuple[object, ...]:
    hero = state.hero
    return (
        tuple(sorted(map(id, state.hand))),
        state.energy,
        hero.health,
        hero.cover,
        tuple(sorted(hero.status.items())),
        tuple((foe.health, foe.cover, *sorted(foe.status.items())) for foe in state.foes),
        len(state.triggers),
        len(potions),
    )


def _guess(state: Fight, power: float, used: int) -> float:
    """Return how good a position within a turn looks: the foes' next blows count against the cover."""
    blow = max(0, state.incoming() - state.hero.cover)
    return position_worth(state, power, used) - blow + 1.5 * state.energy + 0.8 * len(state.hand)


def _path(run: Run, row: int, lane: int, hurt: float) -> float:
    """Return the worth of going on through a room, with the best way after it."""
    if lane < 0:
        return 0.0
    kind = run.course.rooms[row, lane]
    value = _ROOMS[kind]
    if kind == "elite":
        value = 3.2 - 11.0 * hurt - (2.5 if run.act == 0 and len(run.deck) < 14 else 0)
    elif kind == "rest":
        value = 1.8 + 4.0 * hurt
    elif kind == "shop":
        value = 0.6 + run.gold / 75
    elif kind == "fight":
        value = 1.4 - 2.2 * hurt
    if row >= ROWS:
        return value
    later = max(0.0, hurt - (0.3 if kind == "rest" else -0.06 if kind == "fight" else 0))
    return value + 0.9 * max(_path(run, row + 1, to, later) for to in run.course.ways[row, lane])


def _gain(run: Run, effect: Effect) -> float:
    """Return the worth of an effect outside of fights."""
    hurt = run.being.most - run.being.health
    match effect.op:
        case "heal":
            return min(effect.n, hurt) * (0.5 + 0.8 * hurt / run.being.most)
        case "lose":
            return -99.0 if effect.n >= run.being.health else -effect.n * (0.5 + 0.8 * hurt / run.being.most)
        case "gold":
            return effect.n * 0.12
        case "max_health":
            return effect.n * 1.3
    values = {
        "relic": 12,
        "card": 4,
        "rare_card": 8,
        "remove": 5,
        "upgrade": 5,
        "copy": 4,
        "upgrade_random": 3,
        "potion": 3,
        "junk": -8,
    }
    return float(values.get(effect.op, 0))
