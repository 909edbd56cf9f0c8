"""A fight by turns: hero, foes, piles of cards, and what each effect does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .beings import Being, Foe, hit_for
from .dice import Dice
from .effects import FADING, Effect
from .tables import TABLES, Card

HAND, MOST_HAND, ENERGY, MOST_PLAYS = 5, 10, 3, 30
"""Cards drawn each turn, most cards in hand, energy of a turn, most cards played in a turn."""

LATE = 15
"""After this turn the night grows cold: each further turn costs health, one point more each time."""


class Fight:
    """A fight. `triggers`: effects of keepsakes and habits that wait for their moment."""

    __slots__ = (
        "burnt",
        "dice",
        "discard",
        "draw",
        "energy",
        "foes",
        "hand",
        "hero",
        "played",
        "rank",
        "triggers",
        "turn",
    )

    def __init__(
        self,
        hero: Being,
        deck: Iterable[Card],
        foes: Sequence[Foe],
        dice: Dice,
        triggers: Iterable[Effect],
        rank: str,
    ) -> None:
        self.hero, self.foes, self.dice, self.rank = hero, list(foes), dice, rank
        self.draw: list[Card] = list(deck)
        self.hand: list[Card] = []
        self.discard: list[Card] = []
        self.burnt: list[Card] = []
        self.triggers = [effect for effect in triggers if effect.when]
        self.turn, self.energy, self.played = 0, ENERGY, 0
        dice.shuffle(self.draw)
        hero.cover, hero.status = 0, {}
        for foe in self.foes:
            foe.choose(dice)
            for effect in foe.kind.starts:
                self._foe_does(foe, effect)
        self._begin_turn()

    def copy(self, dice: Dice | None = None) -> Fight:
        """Return this fight for thinking ahead.

        Args:
            dice: other chance than the true one; the draw pile is mixed by it.
        """
        other = Fight.__new__(Fight)
        hero = Being(self.hero.health, self.hero.most)
        hero.cover, hero.status = self.hero.cover, self.hero.status.copy()
        other.hero, other.foes = hero, [foe.copy() for foe in self.foes]
        other.draw, other.hand, other.discard, other.burnt = (
            self.draw[:],
            self.hand[:],
            self.discard[:],
            self.burnt[:],
        )
        other.triggers, other.turn, other.energy, other.rank = (
            self.triggers[:],
            self.turn,
            self.energy,
            self.rank,
        )
        other.played = self.played
        other.dice = self.dice.copy() if dice is None else dice
        if dice is not None:
            dice.shuffle(other.draw)
        return other

    # ---- what the player may do

    @property
    def living(self) -> list[Foe]:
        """Return the foes that stand."""
        return [foe for foe in self.foes if foe.health > 0]

    @property
    def won(self) -> bool:
        """Return whether no foe stands."""
        return all(foe.health <= 0 for foe in self.foes)

    @property
    def lost(self) -> bool:
        """Return whether the hero has fallen."""
        return self.hero.health <= 0

    def playable(self, card: Card) -> bool:
        """Return whether there is energy for a card, and this turn has room for it."""
        return 0 <= card.cost <= self.energy and self.played < MOST_PLAYS

    def play(self, place: int, target: int = -1) -> None:
        """Play the card at a place of the hand, at a foe where it aims."""
        card = self.hand.pop(place)
        self.energy -= card.cost
        self.played += 1
        foe = self.foes[target] if card.aims else None
        for effect in card.now:
            self.does(effect, foe)
        if card.kind == "habit":
            self.triggers.extend(card.habits)
        else:
            (self.burnt if card.burns else self.discard).append(card)
        if card.kind != "junk":
            self.fire(card.kind, foe)

    def drink(self, effects: Iterable[Effect], target: int = -1) -> None:
        """Use a potion."""
        foe = self.foes[target] if target >= 0 else None
        for effect in effects:
            self.does(effect, foe)

    def end_turn(self) -> None:
        """End the player's turn: the foes act, then the next turn begins."""
        self.fire("end", None)
        for card in self.hand:
            for effect in card.habits:
                self.does(effect, None)
        self.discard += self.hand
        self.hand = []
        self._mend(self.hero)
        if self.lost or self.won:
            return
        before = [status for status in FADING if status in self.hero.status]
        for foe in self.foes:
            if foe.health > 0 and not self.lost:
                self._foe_acts(foe)
        for status in before:
            self.hero.lower(status)
        for foe in self.foes:
            for status in FADING:
                if status in foe.status:
                    foe.lower(status)
        if not (self.lost or self.won):
            for foe in self.living:
                foe.choose(self.dice)
            self._begin_turn()

    def incoming(self) -> int:
        """Return the damage that the announced moves would deal now, before cover."""
        return sum(
            hit_for(foe, self.hero, effect.n, foe.damage_percent) * effect.times
            for foe in self.foes
            if foe.health > 0
            for effect in foe.intent
            if effect.op == "damage"
        )

    # ---- effects

    def fire(self, when: str, foe: Foe | None) -> None:
        """Let every effect happen that waits for this moment."""
        for effect in self.triggers:
            if effect.when == when:
                self.does(effect, foe)

    def does(self, effect: Effect, foe: Foe | None) -> None:
        """Let an effect of the hero happen."""
        if effect.cond and not self._holds(effect, foe):
            return
        hero, n = self.hero, effect.n
        if effect.per:
            n *= hero.of("glow")
        elif effect.bonus:
            n += effect.bonus * hero.of("glow")
        if (act := _ACTS.get(effect.op)) is not None:
            act(self, effect, n, foe)

    def _apply(self, effect: Effect, n: int, foe: Foe | None) -> None:
        for other in self._aimed(effect, foe):
            other.add(effect.word, n)

    def _more_energy(self, n: int) -> None:
        self.energy += n

    def _lose(self, n: int) -> None:
        self.hero.health -= n

    def _double(self, effect: Effect, foe: Foe | None) -> None:
        if foe is not None and foe.health > 0:
            foe.status[effect.word] = 2 * foe.of(effect.word)

    def _holds(self, effect: Effect, foe: Foe | None) -> bool:
        if effect.cond == "hurt":
            return 2 * self.hero.health <= self.hero.most
        if effect.cond == "ink":
            return foe is not None and foe.of("ink") > 0
        return self.hero.of(effect.cond) >= effect.cond_n

    def _aimed(self, effect: Effect, foe: Foe | None) -> list[Foe]:
        if effect.scope == "all":
            return self.living
        if effect.scope == "random" or foe is None:
            living = self.living
            return [self.dice.pick(living)] if living else []
        return [foe] if foe.health > 0 else []

    def _strike(self, effect: Effect, n: int, foe: Foe | None) -> None:
        for _ in range(effect.times):
            for other in self._aimed(effect, foe):
                self._hit(self.hero, other, hit_for(self.hero, other, n))

    def _hit(self, source: Being, target: Being, amount: int) -> None:
        if target.of("feint"):
            target.lower("feint")
            return
        taken = max(0, amount - target.cover)
        target.cover = max(0, target.cover - amount)
        target.health -= taken
        if (prickle := target.of("prickle")) and target.health > 0:
            source.health -= prickle
        if (
            isinstance(target, Foe)
            and target.kind.rage
            and not target.raged
            and 0 < 2 * target.health <= target.most
        ):
            self._rage(target)

    def _rage(self, foe: Foe) -> None:
        foe.raged, foe.step = True, 0
        for effect in foe.kind.rage:
            self._foe_does(foe, effect)

    def _cover(self, n: int, effect: Effect) -> None:
        amount = n if effect.when else n + self.hero.of("poise")
        self.hero.cover += amount * 3 // 4 if self.hero.of("rattled") else amount

    def _draw(self, n: int) -> None:
        for _ in range(n):
            if not self.draw:
                self.draw, self.discard = self.discard, []
                self.dice.shuffle(self.draw)
            if not self.draw or len(self.hand) >= MOST_HAND:
                return
            self.hand.append(self.draw.pop())

    def _add(self, effect: Effect) -> None:
        card = TABLES.cards[effect.word]
        for _ in range(effect.n):
            if effect.scope == "hand" and len(self.hand) < MOST_HAND:
                self.hand.append(card)
            elif effect.scope == "draw":
                self.draw.insert(self.dice.below(len(self.draw) + 1), card)
            else:
                self.discard.append(card)

    # ---- the course of a turn

    def _begin_turn(self) -> None:
        self.turn += 1
        hero = self.hero
        hero.cover, self.energy, self.played = 0, ENERGY, 0
        if ink := hero.of("ink"):
            hero.health -= ink
            hero.lower("ink")
        hero.health -= max(0, self.turn - LATE)
        self._draw(HAND)
        if self.turn == 1:
            self.fire("fight", None)
        self.fire("turn", None)
        if self.turn % 3 == 0:
            self.fire("every3", None)

    def _mend(self, being: Being) -> None:
        if mend := being.of("mend"):
            being.heal(mend)
            being.lower("mend")

    def _foe_acts(self, foe: Foe) -> None:
        foe.cover = 0
        if ink := foe.of("ink"):
            foe.health -= ink
            foe.lower("ink")
            if foe.health <= 0:
                return
            if foe.kind.rage and not foe.raged and 2 * foe.health <= foe.most:
                self._rage(foe)
        for effect in foe.intent:
            self._foe_does(foe, effect)
        self._mend(foe)

    def _foe_does(self, foe: Foe, effect: Effect) -> None:
        """Let an effect of a foe happen."""
        n = effect.n
        match effect.op:
            case "damage":
                for _ in range(effect.times):
                    if foe.health > 0 and self.hero.health > 0:
                        self._hit(foe, self.hero, hit_for(foe, self.hero, n, foe.damage_percent))
            case "cover":
                foe.cover += n
            case "apply":
                self.hero.add(effect.word, n)
            case "gain":
                for other in self.living if effect.scope == "all" else (foe,):
                    other.add(effect.word, n)
            case "heal":
                foe.heal(n)
            case "add":
                self._add(effect)


_ACTS: dict[str, Callable[[Fight, Effect, int, Foe | None], object]] = {
    "damage": lambda fight, effect, n, foe: fight._strike(effect, n, foe),
    "cover": lambda fight, effect, n, _: fight._cover(n, effect),
    "draw": lambda fight, _, n, __: fight._draw(n),
    "energy": lambda fight, _, n, __: fight._more_energy(n),
    "apply": lambda fight, effect, n, foe: fight._apply(effect, n, foe),
    "gain": lambda fight, effect, n, _: fight.hero.add(effect.word, n),
    "heal": lambda fight, _, n, __: fight.hero.heal(n),
    "lose": lambda fight, _, n, __: fight._lose(n),
    "add": lambda fight, effect, _, __: fight._add(effect),
    "double": lambda fight, effect, _, foe: fight._double(effect, foe),
    "spend": lambda fight, effect, _, __: fight.hero.status.pop(effect.word, None),
}
"""The function of each operation of the hero."""
