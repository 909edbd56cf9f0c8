"""The rules of Arena, without a screen: the window plays them, tests and training run them headless.

A duel on a line, seen from the side, at 30 frames a second. Every attack of a foe is announced: a sign over
its head names the attack, and a gauge shows the progress of its wind-up. A dodge avoids everything in its
first frames; an attack is followed by an opening. One seed and the same keys give the same fight.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from arena_tables import (
    AIM_FRAMES,
    BODY,
    BUFFER_FRAMES,
    FOE_START_X,
    HERO_HEALTH,
    HERO_STAMINA,
    HERO_START_X,
    INVULNERABLE_FRAMES,
    LEFT_WALL,
    LONGEST_FRAMES,
    MOVES,
    NEAR,
    POTION_HEALS,
    POTIONS,
    RIGHT_WALL,
    ROLL,
    ROLL_FRAMES,
    SCENARIOS,
    STAMINA_REST,
    WALK,
    Attack,
    Kind,
    Phase,
)

ENTER_FRAMES, FALL_FRAMES, ROAR_FRAMES, STAGGER_FRAMES = 30, 20, 30, 22


@dataclass(slots=True)
class Hero:
    """The player's fighter.

    Attributes:
        move: its present move ("" for none); `frame`: frames since the move began.
        heading: of a roll, -1 or 1. facing: towards its foe. hurt: frames since it was hit.
        wanted: a press that waits for the end of a move.
    """

    x: int = HERO_START_X
    health: int = HERO_HEALTH
    stamina: int = HERO_STAMINA
    potions: int = POTIONS
    move: str = ""
    frame: int = 0
    heading: int = 1
    facing: int = 1
    walking: int = 0
    hurt: int = 99
    rest: int = 0
    wanted: str = ""
    wanted_heading: int = 0
    wanted_frames: int = 0

    @property
    def busy(self) -> int:
        """Frames until it is free."""
        return MOVES[self.move].frames - self.frame if self.move else 0

    @property
    def invulnerable(self) -> bool:
        return self.move == "dodge" and self.frame <= INVULNERABLE_FRAMES


@dataclass(slots=True)
class Foe:
    """The hero's present foe.

    Attributes:
        stage: "enter", "pace", "windup", "strike", "recover", "roar", "stagger" or "fallen".
        frame: frames since the stage began. length: frames that it will last.
        attack: of a windup, a strike, or the opening after it.
        spent: this strike has hit, or passed. evaded: a dodge avoided it.
    """

    kind: Kind
    x: int
    health: int
    facing: int = -1
    stage: str = "enter"
    frame: int = 0
    length: int = ENTER_FRAMES
    phase: int = 0
    attack: Attack | None = None
    spent: bool = False
    evaded: bool = False
    followed: bool = False
    from_x: int = 0
    target_x: int = 0
    hurt: int = 99

    def begin(self, stage: str, length: int) -> None:
        """Enter a stage."""
        self.stage, self.frame, self.length = stage, 0, length

    @property
    def fights(self) -> Phase:
        """Its present way of fighting."""
        return self.kind.phases[self.phase]


class Fight:
    """One fight from the first bow to its end.

    Args:
        seed: of the foes' choices. scenario: the foes that come (arena_tables.SCENARIOS).

    Attributes:
        frame: frames fought. cause: the reason of its end ("win", "death", "time"); empty while it goes on.
        dealt: points of health taken from foes. counts: number of each event, by name.
    """

    def __init__(self, seed: int, scenario: str = "boss") -> None:
        self.seed, self.scenario = seed, scenario
        self.line = SCENARIOS[scenario]
        self._choice = random.Random(seed)
        self.frame = self.dealt = self.fallen = 0
        self.cause = ""
        self.hero = Hero()
        self.counts = dict.fromkeys(("light", "heavy", "dodge", "potion", "blows", "hits_taken", "evaded"), 0)
        self.foe = self._next_foe(FOE_START_X)

    @property
    def over(self) -> bool:
        return bool(self.cause)

    @property
    def outcome(self) -> str:
        """ "win", "loss", or empty while it goes on."""
        return "" if not self.cause else "win" if self.cause == "win" else "loss"

    @property
    def score(self) -> float:
        """Share of all foes' health that was taken, 0 … 100."""
        return round(100 * self.dealt / self.line.health, 1)

    @property
    def foes_left(self) -> int:
        return len(self.line.foes) - self.fallen

    def step(self, direction: int, press: str = "") -> None:
        """Fight one frame; do nothing once the fight is over.

        Args:
            direction: -1 or 1 while an arrow key is held, else 0.
            press: "light", "heavy", "dodge" or "potion", pressed since the last frame; "" for none.
        """
        if self.cause:
            return
        self.frame += 1
        self._act(direction, press)
        self._foe()
        if self.hero.health <= 0:
            self.cause = "death"
        elif self.fallen == len(self.line.foes):
            self.cause = "win"
        elif self.frame >= LONGEST_FRAMES:
            self.cause = "time"

    # ---- the hero

    def _act(self, direction: int, press: str) -> None:
        hero, foe = self.hero, self.foe
        hero.hurt += 1
        if press:
            hero.wanted, hero.wanted_heading, hero.wanted_frames = press, direction, BUFFER_FRAMES
        if hero.move:
            self._go_on()
        if not hero.move:
            hero.facing = 1 if foe.x >= hero.x else -1
            if hero.wanted:
                self._begin(direction)
            if not hero.move:
                self._walk(direction)
        if hero.wanted_frames:
            hero.wanted_frames -= 1
            if not hero.wanted_frames:
                hero.wanted = ""
        if hero.rest:
            hero.rest -= 1
        elif hero.stamina < HERO_STAMINA:
            hero.stamina += 1

    def _begin(self, direction: int) -> None:
        hero = self.hero
        name = hero.wanted
        move = MOVES[name]
        if hero.stamina < move.effort or (name == "potion" and not hero.potions):
            return
        heading = direction or hero.wanted_heading or -hero.facing
        hero.wanted, hero.wanted_frames = "", 0
        hero.move, hero.frame, hero.walking = name, 0, 0
        if move.effort:
            hero.stamina -= move.effort
            hero.rest = STAMINA_REST + move.frames
        if name == "dodge":
            hero.heading = heading
        self.counts[name] += 1

    def _go_on(self) -> None:
        hero = self.hero
        move = MOVES[hero.move]
        hero.frame += 1
        if hero.move == "dodge":
            if hero.frame <= ROLL_FRAMES:
                hero.x = min(RIGHT_WALL, max(LEFT_WALL, hero.x + ROLL * hero.heading))
        elif hero.frame == move.acts_on:
            self._blow_or_sip()
        if hero.frame >= move.frames:
            hero.move, hero.frame = "", 0

    def _blow_or_sip(self) -> None:
        hero, foe = self.hero, self.foe
        if hero.move == "potion":
            hero.potions -= 1
            hero.health = min(HERO_HEALTH, hero.health + POTION_HEALS)
            return
        move = MOVES[hero.move]
        ahead = (foe.x - hero.x) * hero.facing
        if -BODY < ahead <= move.reach and foe.stage not in ("enter", "roar", "fallen"):
            self._strike_foe(move.damage, heavy=hero.move == "heavy")

    def _strike_foe(self, damage: int, *, heavy: bool) -> None:
        foe = self.foe
        taken = min(damage, foe.health)
        foe.health -= taken
        foe.hurt = 0
        self.dealt += taken
        self.counts["blows"] += 1
        if not foe.health:
            foe.begin("fallen", FALL_FRAMES)
            foe.attack = None
            return
        if foe.phase + 1 < len(foe.kind.phases) and foe.health * 2 <= foe.kind.health:
            foe.phase += 1
            foe.attack = None
            foe.begin("roar", ROAR_FRAMES)
        elif heavy and foe.kind.staggers and foe.stage in ("pace", "windup"):
            foe.attack = None
            foe.begin("stagger", STAGGER_FRAMES)

    def _walk(self, direction: int) -> None:
        hero, foe = self.hero, self.foe
        hero.walking = direction
        x = hero.x + WALK * direction
        if (
            direction
            and foe.stage != "fallen"
            and abs(foe.x - x) < BODY
            and abs(foe.x - x) < abs(foe.x - hero.x)
        ):
            x = foe.x - BODY if foe.x > hero.x else foe.x + BODY
            if (x - hero.x) * direction < 0:
                x = hero.x
        hero.x = min(RIGHT_WALL, max(LEFT_WALL, x))

    # ---- the foe

    def _foe(self) -> None:
        foe = self.foe
        foe.frame += 1
        foe.hurt += 1
        match foe.stage:
            case "pace":
                self._pace(foe)
            case "windup":
                self._wind_up(foe)
            case "strike":
                self._strike(foe)
            case _ if foe.frame >= foe.length:
                self._after(foe)

    def _after(self, foe: Foe) -> None:
        """Choose the next stage after an entry, an opening, a stagger, a roar or a fall."""
        if foe.stage == "fallen":
            self.fallen += 1
            if self.fallen < len(self.line.foes):
                self.foe = self._next_foe(self._choice.choice((LEFT_WALL, RIGHT_WALL)))
            return
        foe.attack = None
        foe.begin("pace", self._choice.randint(*foe.fights.pace))

    def _next_foe(self, x: int) -> Foe:
        kind = self.line.foes[self.fallen]
        return Foe(kind, x, kind.health, facing=1 if x < self.hero.x else -1)

    def _pace(self, foe: Foe) -> None:
        self._face(foe)
        fights = foe.fights
        self._approach(foe, fights.walk, fights.keeps)
        if foe.frame < foe.length:
            return
        near = abs(self.hero.x - foe.x) <= NEAR
        weights = [close if near else far for _, close, far in fights.attacks]
        chosen = self._choice.choices(fights.attacks, weights)[0][0]
        foe.attack, foe.followed = chosen, False
        foe.begin("windup", chosen.windup)

    def _wind_up(self, foe: Foe) -> None:
        attack = foe.attack
        assert attack is not None
        if foe.length - foe.frame >= AIM_FRAMES:
            self._face(foe)
            if attack.advance:
                self._approach(foe, attack.advance, BODY + 8)
        if foe.frame >= foe.length:
            foe.spent = foe.evaded = False
            foe.from_x, foe.target_x = foe.x, self.hero.x
            foe.begin("strike", attack.strike)

    def _strike(self, foe: Foe) -> None:
        attack = foe.attack
        assert attack is not None
        ended = foe.frame >= foe.length
        dangerous = True
        if attack.sign == "leap":
            air = foe.length - 2
            foe.x = foe.from_x + (foe.target_x - foe.from_x) * min(foe.frame, air) // air
            dangerous = foe.frame >= air
        elif attack.sign == "charge":
            foe.x = min(RIGHT_WALL, max(LEFT_WALL, foe.x + attack.speed * foe.facing))
            ended = ended or foe.x in (LEFT_WALL, RIGHT_WALL)
        if dangerous and not foe.spent and self._reaches(foe, attack):
            self._hit(foe, attack)
        if ended:
            self._end_of_strike(foe, attack)

    def _end_of_strike(self, foe: Foe, attack: Attack) -> None:
        if attack.again and not foe.followed and self._choice.random() < attack.again:
            foe.followed = True
            foe.begin("windup", attack.again_windup)
        else:
            foe.begin("recover", attack.recover)

    def _reaches(self, foe: Foe, attack: Attack) -> bool:
        gap = self.hero.x - foe.x
        if attack.sign == "slash":
            return -BODY // 2 <= gap * foe.facing <= attack.reach
        return abs(gap) <= attack.reach

    def _hit(self, foe: Foe, attack: Attack) -> None:
        hero = self.hero
        if hero.invulnerable:
            self.counts["evaded"] += not foe.evaded
            foe.evaded = True
            foe.spent = attack.sign == "charge"
            return
        foe.spent = True
        hero.health = max(0, hero.health - attack.damage)
        hero.hurt = 0
        hero.move, hero.frame, hero.wanted, hero.wanted_frames = "stun", 0, "", 0
        self.counts["hits_taken"] += 1
        push = 1 if hero.x >= foe.x else -1
        hero.x = min(RIGHT_WALL, max(LEFT_WALL, hero.x + 12 * push))

    def _face(self, foe: Foe) -> None:
        if self.hero.x != foe.x:
            foe.facing = 1 if self.hero.x > foe.x else -1

    def _approach(self, foe: Foe, speed: int, distance: int) -> None:
        """Walk towards the hero up to a distance, never through it."""
        gap = self.hero.x - foe.x
        step = min(speed, abs(gap) - distance)
        if step > 0:
            foe.x += step if gap > 0 else -step
