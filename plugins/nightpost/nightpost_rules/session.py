"""The program behind the window: menu, run, book, and what each key means now. No drawing here."""

from __future__ import annotations

from . import layout as at
from .moves import Move
from .run import Run
from .sight import Sight, book_sights, menu_sight, sight_of
from .tables import TABLES, VERSION


class Session:
    """Runs one after the other.

    Args:
        seed: of the first run; the next has the next number. hero, ascension: of the first run.

    Attributes:
        pending: place in the hand, or of a potion, whose foe is yet to be chosen, as (kind, place).
    """

    def __init__(self, seed: int, hero: str = "pip", ascension: int = 0) -> None:
        self.seed, self.hero, self.ascension = seed, hero, ascension
        self.run: Run | None = None
        self.runs = self.wins = 0
        self.best = self.best_floor = 0.0
        self.bosses = self.elites = self.fights = 0
        self.pending: tuple[str, int] | None = None
        self._page = -1

    @property
    def sight(self) -> Sight:
        """Return what the window shows."""
        run = self.run
        if run is None:
            return menu_sight(self.hero, self.ascension, self.best)
        if self._page >= 0:
            return book_sights(run)[self._page]
        return sight_of(run)

    def press(self, key: str) -> bool:
        """Press a key: a sign, or Enter, Space, Tab, Escape, Left, Right. Return whether anything changed."""
        run = self.run
        if run is None:
            return self._in_menu(key)
        if key == "Tab":
            self._page = (self._page + 2) % 3 - 1 if self._page < 1 else -1
            return True
        if self._page >= 0:
            self._page = -1 if key == "Escape" else self._page
            return key == "Escape"
        if run.over:
            return key == "Enter" and self._begin(self.seed + 1)
        move = self._in_fight(run, key) if run.screen == "fight" else self._on_screen(run, key)
        if move is not None and move in run.moves():
            self.pending = None
            run.do(move)
            self._count(run)
            return True
        return key == "Escape" or self.pending is not None

    # ---- keys

    def _in_menu(self, key: str) -> bool:
        heroes = dict(zip("12", TABLES.heroes, strict=True))
        if key in heroes:
            self.hero = heroes[key]
        elif key in ("Left", "Right"):
            step = 1 if key == "Right" else -1
            self.ascension = min(len(TABLES.ascension), max(0, self.ascension + step))
        elif key == "Enter":
            self._begin(self.seed)
        else:
            return False
        return True

    def _begin(self, seed: int) -> bool:
        self.seed, self.runs, self.pending = seed, self.runs + 1, None
        self.run = Run(seed, self.hero, self.ascension)
        return True

    def _on_screen(self, run: Run, key: str) -> Move | None:
        if key == "Space":
            return Move("leave") if run.may_leave else None
        place = at.KEYS.find(key) if len(key) == 1 else -1
        return Move("choose", place) if place >= 0 else None

    def _in_fight(self, run: Run, key: str) -> Move | None:
        """Return the move that a key completes; a card or potion that aims waits for its foe."""
        fight = run.fight
        assert fight is not None
        if key in at.TARGET_KEYS and self.pending is not None:
            kind, place = self.pending
            return Move(kind, place, at.TARGET_KEYS.index(key))
        if key == at.END_KEY:
            return Move("end")
        place = at.KEYS[:10].find(key) if len(key) == 1 else -1
        self.pending = None
        if 0 <= place < len(fight.hand):
            card = fight.hand[place]
            if not card.aims:
                return self._first(run, place)
            if fight.playable(card):
                self.pending = ("play", place)
        elif key in at.POTION_KEYS and at.POTION_KEYS.index(key) < len(run.potions):
            place = at.POTION_KEYS.index(key)
            if not run.potions[place].aims:
                return Move("potion", place)
            self.pending = ("potion", place)
        if self.pending is not None and len(fight.living) == 1 and len(fight.foes) == 1:
            return Move(*self.pending, 0)
        return None

    def _first(self, run: Run, place: int) -> Move:
        """Return the move for a card; of equal cards the first stands for all."""
        assert run.fight is not None
        return Move("play", run.fight.hand.index(run.fight.hand[place]))

    def _count(self, run: Run) -> None:
        self.best, self.best_floor = max(self.best, run.score), max(self.best_floor, run.floor)
        self.bosses = max(self.bosses, run.bosses)
        self.elites = max(self.elites, run.beaten["elite"])
        self.fights = max(self.fights, sum(run.beaten.values()))
        self.wins += run.won

    # ---- truth

    def true_state(self, now_ms: int) -> dict[str, object]:
        """Return the true state for evaluators (the GameWorld state contract)."""
        run = self.run
        over = run is not None and run.over
        player: dict[str, object] = {}
        if run is not None:
            player = {
                "health": max(0, run.being.health),
                "most": run.being.most,
                "gold": run.gold,
                "deck": [card.name for card in run.deck],
                "relics": [relic.name for relic in run.relics],
                "potions": [potion.name for potion in run.potions],
            }
        return {
            "gameId": "nightpost",
            "version": VERSION,
            "seed": self.seed,
            "timestampMs": now_ms,
            "gameTimeMs": 0 if run is None else run.decisions * 1000,
            "status": "menu" if run is None else "terminal" if over else "playing",
            "terminal": {
                "isTerminal": over,
                "outcome": None if run is None or not over else "win" if run.won else "loss",
                "reason": run.killer or None if run is not None else None,
            },
            "game_state": {
                "score": 0.0 if run is None else run.score,
                "level": 1 if run is None else run.act + 1,
                "progress": 0.0 if run is None else run.score / 100,
                "player": player,
                "floor": 0 if run is None else run.floor,
                "act": 1 if run is None else run.act + 1,
                "bosses": 0 if run is None else run.bosses,
                "character": self.hero,
                "ascension": self.ascension,
            },
            "metrics": {
                "best": self.best,
                "floor": self.best_floor,
                "bosses": self.bosses,
                "elites": self.elites,
                "fights": self.fights,
                "runs": self.runs,
                "wins": self.wins,
                "decisions": 0 if run is None else run.decisions,
            },
            "raw": {"screen": self.sight.screen},
        }
