"""A run through the house: which screen is open, what may be done on it, and what that leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from .beings import Being
from .course import FLOORS, ROWS, SIGNS, Course, make_course
from .dice import Dice
from .effects import Effect
from .encounters import EASY_FIGHTS, choose_group, make_foe
from .fight import Fight
from .moves import Move
from .rooms import Offer, Option, Ware, drop_potion, make_shop, pick_offer, pick_relic, pool_cards
from .tables import TABLES, Card, Event, Potion, Relic

_MAP, _FIGHT, _REWARD, _RELIC = 1, 2, 3, 4
"""Streams of chance: what one of them decides depends on no choice in another."""


class Run:
    """A run.

    Args:
        seed: decides everything that is left to chance.
        hero: pip or luna. ascension: 0 to 10.

    Attributes:
        screen: map, fight, card, relic, event, shop, rest, treasure, pick, or over.
        row, lane: the place on the map; row 0 is below the first. floor: rooms entered in all acts.
        offer: what is chosen from on screens of cards and keepsakes.
        loot: what the last fight left, in words. beaten: fights won, by rank.
    """

    def __init__(self, seed: int, hero: str = "pip", ascension: int = 0) -> None:
        kind = TABLES.heroes[hero]
        self.seed, self.hero, self.ascension = seed, kind, ascension
        self.numbers = TABLES.numbers(ascension)
        self.being = Being(kind.health, kind.health)
        self.deck: list[Card] = [TABLES.cards[name] for name, n in kind.deck.items() for _ in range(n)]
        if "worry" in self.numbers:
            self.deck.append(TABLES.cards["Worry"])
        self.gold: int = TABLES.rewards["start_gold"]
        self.relics: list[Relic] = [TABLES.relics[kind.relic]]
        self.potions: list[Potion] = []
        self.most_potions: int = self.numbers.get("potions", TABLES.rewards["potions"])
        self.act = self.row = self.lane = self.bosses = self.decisions = self.fights = 0
        self.beaten = {"normal": 0, "elite": 0, "boss": 0}
        self.won = False
        self.screen, self.loot, self.killer = "map", "", ""
        self.fight: Fight | None = None
        self.event: Event | None = None
        self.offer: Offer | None = None
        self.shop: list[Ware] = []
        self._queue: list[Offer] = []
        self._seen: list[str] = []
        self._course = self._new_course()
        self.chance = self._dice(_REWARD)

    # ---- what is known of it

    @property
    def floor(self) -> int:
        """Return the rooms entered so far, over all acts."""
        return self.act * FLOORS + self.row

    @property
    def score(self) -> float:
        """Return 100 for a victory, else the floor and 52/3 for each boss."""
        return 100.0 if self.won else self.floor + 52 / 3 * self.bosses

    @property
    def over(self) -> bool:
        """Return whether it has ended."""
        return self.screen == "over"

    @property
    def course(self) -> Course:
        """Return the map of the act."""
        return self._course

    @property
    def ahead(self) -> tuple[int, ...]:
        """Return the lanes that can be entered next; the boss stands in the middle."""
        if self.row == 0:
            return self._course.starts()
        return self._course.ways[self.row, self.lane] if self.row < ROWS else (-1,)

    def options(self) -> list[Option]:
        """Return what can be chosen on a screen other than a fight."""
        match self.screen:
            case "map":
                return [self._way(lane) for lane in self.ahead]
            case "event":
                assert self.event is not None
                return [Option(o.label, o.effects, o.needs <= self.gold) for o in self.event.options]
            case "shop":
                return [ware.option(self.gold, len(self.potions) < self.most_potions) for ware in self.shop]
            case "rest":
                heal = self._rest_heals()
                return [
                    Option("Sleep", (Effect("heal", heal),)),
                    Option("Practise", (Effect("upgrade"),), any(card.better for card in self.deck)),
                ]
            case "treasure":
                assert self.offer is not None
                return [*self.offer.options(), Option("Gold", (Effect("gold", 70),))]
            case "card" | "relic" | "pick":
                assert self.offer is not None
                return self.offer.options()
        return []

    @property
    def may_leave(self) -> bool:
        """Return whether the screen can be left without a choice."""
        return self.screen in ("card", "shop", "pick")

    def moves(self) -> list[Move]:
        """Return everything that may be done now."""
        if self.screen == "fight":
            return self._fight_moves()
        moves = [Move("choose", place) for place, option in enumerate(self.options()) if option.open]
        return [*moves, Move("leave")] if self.may_leave else moves

    def _fight_moves(self) -> list[Move]:
        fight = self.fight
        assert fight is not None
        targets = [place for place, foe in enumerate(fight.foes) if foe.health > 0]
        moves = []
        known: set[Card] = set()
        for place, card in enumerate(fight.hand):
            if card not in known and fight.playable(card):
                known.add(card)
                moves += [Move("play", place, to) for to in targets] if card.aims else [Move("play", place)]
        for place, potion in enumerate(self.potions):
            moves += [Move("potion", place, to) for to in targets] if potion.aims else [Move("potion", place)]
        moves.append(Move("end"))
        return moves

    # ---- doing something

    def do(self, move: Move) -> None:
        """Do a move that `moves` allows."""
        self.decisions += 1
        if self.screen == "fight":
            self._do_in_fight(move)
        elif move.kind == "leave":
            self._leave()
        else:
            self._choices[self.screen](self, move.n)

    def _do_in_fight(self, move: Move) -> None:
        fight = self.fight
        assert fight is not None
        if move.kind == "play":
            fight.play(move.n, move.target)
        elif move.kind == "potion":
            fight.drink(self.potions.pop(move.n).effects, move.target)
        else:
            fight.end_turn()
        if fight.lost:
            self.being.health = 0
            self.killer = " and ".join(dict.fromkeys(foe.kind.name for foe in fight.living))
            self.screen = "over"
        elif fight.won:
            self._after_fight(fight)

    def _choose_way(self, place: int) -> None:
        lane = self.ahead[place]
        self.row, self.lane = self.row + 1, max(lane, 0)
        self.chance = self._dice(_REWARD)
        self.loot = ""
        kind = "boss" if self.row > ROWS else self._course.rooms[self.row, lane]
        if kind in ("fight", "elite", "boss"):
            self._begin_fight("normal" if kind == "fight" else kind)
        elif kind == "treasure":
            self.offer = Offer("treasure", "A chest", [pick_relic(self.chance, self.relics)])
            self.screen = "treasure"
        else:
            if kind == "event":
                fresh = [event for event in TABLES.events if event.name not in self._seen] or TABLES.events
                self.event = self.chance.pick(fresh)
                self._seen.append(self.event.name)
            elif kind == "shop":
                self.shop = make_shop(self.chance, self.hero.id, self.relics)
            self.screen = kind

    def _choose_event(self, place: int) -> None:
        assert self.event is not None
        self._apply(self.event.options[place].effects)

    def _choose_rest(self, place: int) -> None:
        if place == 0:
            self.being.heal(self._rest_heals())
            for effect in self._relic_effects("rest"):
                self._apply_effect(effect)
        else:
            self._apply_effect(Effect("upgrade"))
        self._next()

    def _choose_ware(self, place: int) -> None:
        ware = self.shop[place]
        self.gold -= ware.price
        if isinstance(ware.thing, Card):
            self.deck.append(ware.thing)
        elif isinstance(ware.thing, Relic):
            self._take_relic(ware.thing)
        elif isinstance(ware.thing, Potion):
            self.potions.append(ware.thing)
        else:
            self._apply_effect(Effect("remove"))
        self.shop.pop(place)
        if self._queue:
            self._next()

    def _choose_treasure(self, place: int) -> None:
        assert self.offer is not None
        if place < len(self.offer.things):
            self._take(self.offer, place)
        else:
            self.gold += 70
        self._next()

    def _choose_offer(self, place: int) -> None:
        assert self.offer is not None
        self._take(self.offer, place)
        self._next()

    _choices: ClassVar[dict[str, Callable[[Run, int], None]]] = {
        "map": _choose_way,
        "event": _choose_event,
        "rest": _choose_rest,
        "shop": _choose_ware,
        "treasure": _choose_treasure,
        "card": _choose_offer,
        "relic": _choose_offer,
        "pick": _choose_offer,
    }

    def _leave(self) -> None:
        if self.screen == "shop":
            self.shop = []
        self._next()

    # ---- what follows

    def _take(self, offer: Offer, place: int) -> None:
        thing = offer.things[place]
        if isinstance(thing, Relic):
            self._take_relic(thing)
        elif offer.kind == "card" or offer.purpose == "copy":
            self.deck.append(thing)
        else:
            self.deck.remove(thing)
            if offer.purpose == "upgrade" and thing.better:
                self.deck.append(thing.better)

    def _take_relic(self, relic: Relic) -> None:
        self.relics.append(relic)
        for effect in relic.effects:
            if effect.when == "pickup":
                self._apply_effect(effect)
            elif effect.op == "cheaper":
                for ware in self.shop:
                    ware.price = ware.price * (100 - effect.n) // 100

    def _relic_effects(self, when: str) -> list[Effect]:
        return [effect for relic in self.relics for effect in relic.effects if effect.when == when]

    def _apply(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            self._apply_effect(effect)
        if self.being.health <= 0:
            self.killer, self.screen = "your own curiosity", "over"
        else:
            self._next()

    def _apply_effect(self, effect: Effect) -> None:
        """Let an effect happen outside of fights; what is to be chosen waits in the queue."""
        being, n = self.being, effect.n
        match effect.op:
            case "gold":
                self.gold = max(0, self.gold + n)
            case "heal":
                being.heal(n)
            case "lose":
                being.health -= n
            case "max_health":
                being.most += n
                being.health += n
            case "junk":
                self.deck.append(TABLES.cards[effect.word])
            case "upgrade_random":
                self._better_one()
            case _:
                self._hand_out(effect.op)

    def _hand_out(self, op: str) -> None:
        """Give a potion or keepsake, or let a choice of cards wait."""
        if op == "potion" and len(self.potions) < self.most_potions:
            self.potions.append(drop_potion(self.chance))
        elif op == "relic":
            self._take_relic(pick_relic(self.chance, self.relics))
        elif op in ("card", "rare_card"):
            cards = pool_cards(self.chance, self.hero.id, rare=op == "rare_card")
            self._queue.append(Offer("card", "Choose a card", cards))
        elif op in ("upgrade", "remove", "copy"):
            self._queue.append(Offer("pick", "", [], purpose=op))

    def _better_one(self) -> None:
        plain = [card for card in self.deck if card.better]
        if plain:
            card = self.chance.pick(plain)
            self.deck.remove(card)
            self.deck.append(card.better or card)

    def _next(self) -> None:
        """Open what waits; nothing: the shop again, or the map."""
        while self._queue:
            offer = self._queue.pop(0)
            if offer.kind == "pick":
                offer = pick_offer(self.deck, offer.purpose)
            if offer.things:
                self.offer, self.screen = offer, offer.kind
                return
        self.offer = self.event = None
        self.screen = "shop" if self.shop else "map"
        if self.row > ROWS:
            self._next_act()

    def _rest_heals(self) -> int:
        percent: int = self.numbers.get("rest", TABLES.rewards["rest_percent"])
        return self.being.most * percent // 100

    # ---- fights and acts

    def _begin_fight(self, rank: str) -> None:
        group = choose_group(self.chance, self.act, rank, easy=self.fights < EASY_FIGHTS)
        self.fights += 1
        dice = self._dice(_FIGHT)
        foes = [make_foe(dice, name, self.act, self.numbers) for name in group]
        triggers = [effect for relic in self.relics for effect in relic.effects]
        self.fight = Fight(self.being, self.deck, foes, dice, triggers, rank)
        self.screen = "fight"

    def _after_fight(self, fight: Fight) -> None:
        rewards, rank = TABLES.rewards, fight.rank
        self.fight = None
        self.beaten[rank] += 1
        self.being.cover, self.being.status = 0, {}
        gold = self.chance.between(*rewards["gold"][rank]) * self.numbers.get("gold", 100) // 100
        self.gold += gold
        words = [f"{gold} gold"]
        for effect in self._relic_effects("victory"):
            self._apply_effect(effect)
        if self.chance.below(100) < rewards["potion_percent"] and len(self.potions) < self.most_potions:
            self.potions.append(drop_potion(self.chance))
            words.append(self.potions[-1].name)
        if rank == "elite":
            relic = pick_relic(self.chance, self.relics)
            self._take_relic(relic)
            words.append(relic.name)
        self.loot = "You find " + ", ".join(words) + "."
        if rank == "boss":
            self.bosses += 1
            if self.bosses == len(TABLES.acts):
                self.won, self.screen = True, "over"
                return
        cards = pool_cards(self.chance, self.hero.id, rare=rank == "boss", better=self.act)
        self._queue.append(Offer("card", "Choose a card", cards))
        if rank == "boss":
            held = [*self.relics]
            for _ in range(3):
                held.append(pick_relic(self.chance, held, rare=True))
            self._queue.append(Offer("relic", "Choose a keepsake", held[len(self.relics) :]))
        self._next()

    def _next_act(self) -> None:
        being = self.being
        percent = self.numbers.get("boss_heal", TABLES.rewards["boss_heal_percent"])
        being.heal((being.most - being.health) * percent // 100)
        self.act, self.row, self.lane, self.fights = self.act + 1, 0, 0, 0
        self._course = self._new_course()

    def _new_course(self) -> Course:
        return make_course(self._dice(_MAP))

    def _dice(self, stream: int) -> Dice:
        return Dice((self.seed * 8 + stream) * 64 + self.floor)

    def _way(self, lane: int) -> Option:
        kind = "boss" if lane < 0 else self._course.rooms[self.row + 1, lane]
        words = f"Lane {lane + 1}." if lane >= 0 else "The top."
        return Option(f"{kind.capitalize()} {SIGNS[kind]}", words=words, lane=lane)
