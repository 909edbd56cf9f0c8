"""Plays a game of which only actions and readings are known, and repeats what raises the score.

Ways of playing take turns, each for a segment of some steps: chance (any legal action), actions named by
readings (such as a click on something seen), held chance (a drawn action, kept for some steps) and learned
values (`action_values`). The way of the next segment is drawn by each way's recent gain a step; chance keeps
a fixed share. The other ways may play only while all ways together bring at least `KEPT` of what chance's
rate would have brought in as many steps, and play only half of the steps until they are significantly better
(a conservative bandit, as in Wu et al. 2016). So where nothing can be learned the agent plays like chance,
and where something can be learned it plays that more and more.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pitwall.core.actions import Proposal, SemanticAction
from pitwall.core.memory_kinds import ActionMemory
from pitwall.core.observations import GameStatus, Value
from pitwall.engine.control.action_values import ActionValues, Estimate
from pitwall.engine.control.baselines import drawn
from pitwall.engine.control.legality import LegalActions, legal, legal_actions, nameable
from pitwall.engine.control.planner import KeptReply, Planner, PlanReply, PlanRequest
from pitwall.engine.control.screen_signature import ScreenSignature

SEGMENT_STEPS = 16
"""Steps of a segment, unless a game ends earlier (choice)."""
FLOOR = 0.15
"""Share of the segments that chance always keeps (choice)."""
KEPT = 0.95
"""Share of chance's gains below which only chance plays (choice)."""
HELD = (2, 3, 4)
_MOST_SEQUENCES = 8
_MOST_GAIN = 8.0
"""Cap of a gain, in mean gains, so that a single misread score does not dominate."""
_NOVELTY = 0.1
_MOST_SCREENS = 1_000
_DRAWS = 4
_STILL = 1e-4
_LOST, _PLAYS, _IDLE = 1.0, 0.5, 0.1
"""In mean gains: the cost of losing, the worth of playing over a menu or a pause, and the cost of a step in a
menu or pause (choice).
"""
_FADES = 0.98
_MOST_KEPT, _LEAST_TRIES, _MOST_TRIES = 200, 3, 40
"""Most memories of a run; least tries of each; most that count later, so that it can think again (choice)."""
_SCREEN = "screen "
KEPT_TAG = "default agent"
_SEPARATOR = "; "
_NAMED = "named"
_WAYS = {
    "chance": "Drawn by chance, to compare the other ways with",
    _NAMED: "Named by a reading of what is seen",
    "held": "Drawn by chance and kept for some steps",
    "learned": "Learned",
}


@dataclass(slots=True)
class _Way:
    """A way of playing: its gain and its steps, both fading with time."""

    gained: float = 0.0
    steps: float = 0.0

    def rate(self, deviations: float = 0.0) -> float:
        """Return the gain a step; with deviations, an upper bound that allows for luck."""
        most = self.gained + deviations * (1.0 + math.sqrt(self.gained))
        return most / self.steps if self.steps else 0.0

    def note(self, gained: float) -> None:
        self.gained += gained
        self.steps += 1

    def fade(self) -> None:
        self.gained *= _FADES
        self.steps *= _FADES


class DefaultAgent(KeptReply[PlanReply]):
    """Explores actions and short sequences by their gain on similar screens; a `Planner`.

    Args:
        look: returns the picture's present descriptor; None where there is no picture.
        scores: fields whose growth is gain. naming: fields that name actions on something seen. seed: equal
            seeds and screens give equal actions.
        first: a planner that is asked first; its plan is taken wherever it has one.
        known: returns what earlier runs kept; asked at the first request.
    """

    name = "explore"

    def __init__(
        self,
        space: LegalActions,
        *,
        look: Callable[[], NDArray[np.float32] | None],
        scores: Sequence[str],
        naming: Sequence[str] = (),
        seed: int,
        first: Planner | None = None,
        known: Callable[[], Iterable[ActionMemory]] | None = None,
    ) -> None:
        self._space, self._look, self._scores = space, look, tuple(scores)
        self._first = first
        self._dice = random.Random(seed)
        self._signature = ScreenSignature(seed=seed, skipped=frozenset((*scores, *naming)))
        self._values = ActionValues(random.Random(seed + 1))
        self._ways = {name: _Way() for name in _WAYS if naming or name != _NAMED}
        self._way, self._steps = "chance", 0
        self._arms = self._single_actions()
        self._naming = [f"{{{name}}}" for name in naming]
        self._named: tuple[SemanticAction, ...] = ()
        self._sequences: deque[str] = deque(maxlen=_MOST_SEQUENCES)
        self._queue: deque[SemanticAction] = deque()
        self._past: deque[str] = deque(maxlen=2)
        self._best: dict[str, float] = {}
        self._mean_gain, self._gains = 0.0, 0
        self._visits: dict[str, int] = {}
        self._vain: set[str] = set()
        self._status: Value = None
        self._why = ""
        self._known = known

    def kept(self) -> list[ActionMemory]:
        """Return what was learned of screens as their status and fields tell them, the most tried first.

        What it learned of the picture alone is left out: its keys mean nothing in another run.
        """
        rows = (row for row in self._values.records() if "|" not in row[0] and row[2] >= _LEAST_TRIES)
        return [
            ActionMemory(
                state=f"{_SCREEN}{screen}", action=arm, attempts=tries, reward=round(worth, 4), tag=KEPT_TAG
            )
            for screen, arm, tries, worth in sorted(rows, key=lambda row: -row[2])[:_MOST_KEPT]
        ]

    def _recall(self, memory: ActionMemory) -> None:
        arm, parts = memory.action, memory.action.split(_SEPARATOR)
        actions = tuple(action for part in parts if (action := legal(part, self._space)) is not None)
        if len(actions) < len(parts):
            return  # an action that the game no longer has
        self._values.recall(
            memory.state.removeprefix(_SCREEN), arm, min(memory.attempts, _MOST_TRIES), memory.reward
        )
        if len(parts) == 1:
            self._arms.setdefault(arm, actions)
        elif memory.reward > 0 and arm not in self._sequences:
            self._sequences.append(arm)

    def request(self, request: PlanRequest) -> None:
        for memory in self._known() if self._known is not None else ():
            self._recall(memory)
        self._known, picture = None, self._look()
        keys = self._signature.keys(picture, request.values, self._past[-1] if self._past else "")
        self._take_in(request, keys)
        if self._first is not None:
            self._first.request(request)
            known = self._first.poll()
            if known is not None and (known.keep or known.proposal is not None):
                self._past.clear()
                self._queue.clear()
                self._reply = known
                return
        self._named = legal_actions(self._naming, request.values, self._space)
        action = self._next(keys)
        if action is None:
            why = "There is no legal action to draw from."
            self._reply = PlanReply(request_id=request.request_id, proposal=None, why=why)
            return
        self._past.append(str(action))
        proposal = Proposal(
            proposal_id=0,
            situation=_WAYS[self._way],
            subgoal="raise the score" if self._scores else "see what actions do",
            candidates=(action,),
            steps=1,
            source=self.name,
            planned_ns=request.now_ns,
        )
        self._reply = PlanReply(request_id=request.request_id, proposal=proposal, why=self._why)

    # ---- the gain of a step

    def _take_in(self, request: PlanRequest, keys: Sequence[str]) -> None:
        status, before = request.values.get("status"), self._status
        score = self._score(request.values)
        over = status == GameStatus.TERMINAL.value and before != status
        plays, played = (value == GameStatus.PLAYING.value for value in (status, before or status))
        standing = _PLAYS * (plays - played) - _IDLE * (not plays) - _LOST * over
        if request.signals.change > _STILL or status != before:
            self._vain.clear()
        elif self._past:
            self._vain.add(self._past[-1])
            self._queue.clear()
        visits = self._visits[keys[-1]] = self._visits.get(keys[-1], 0) + 1
        if len(self._visits) > _MOST_SCREENS:
            self._visits.pop(next(iter(self._visits)))
        sequence = _SEPARATOR.join(self._past)
        if score and len(self._past) == 2 and sequence not in self._sequences and sequence not in self._arms:
            self._sequences.append(sequence)
        news = _NOVELTY / math.sqrt(visits)
        self._values.gained(score + standing + news, keys, over=over)
        if self._past:
            self._ways[self._way].note(score)
        self._steps += 1
        self._status = status
        if over or self._steps >= SEGMENT_STEPS:
            self._turn_over()

    def _score(self, values: Mapping[str, Value]) -> float:
        """Return the score's growth in mean gains. A falling score belongs to a new game: no loss."""
        gain = 0.0
        for name in self._scores:
            value = values.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            gain += max(0.0, value - self._best.get(name, float(value)))
            self._best[name] = float(value)
        if gain <= 0:
            return 0.0
        self._gains += 1
        self._mean_gain += (gain - self._mean_gain) / self._gains
        return min(gain / self._mean_gain, _MOST_GAIN)

    # ---- the way of the next segment

    def _turn_over(self) -> None:
        """Choose the way of the next segment, and let earlier results fade."""
        self._steps = 0
        self._queue.clear()
        self._way = "chance" if self._chance_is_next() else self._likeliest()
        for way in self._ways.values():
            way.fade()

    def _chance_is_next(self) -> bool:
        """Return whether chance plays next: by its share, or because the others brought too little."""
        chance = self._ways["chance"]
        steps = sum(way.steps for way in self._ways.values())
        gained = sum(way.gained for way in self._ways.values())
        if gained < KEPT * chance.rate() * steps or self._dice.random() < FLOOR:
            return True
        return gained < chance.rate(deviations=1.0) * steps and chance.steps < steps / 2

    def _likeliest(self) -> str:
        """Return the way with the highest rate drawn within its uncertainty; an untried way comes first."""
        untried = [name for name, way in self._ways.items() if way.steps == 0]
        if untried:
            return untried[0]
        steps = sum(way.steps for way in self._ways.values())
        usual = max(sum(way.gained for way in self._ways.values()), 0.5) / steps
        rates = {
            name: self._dice.gammavariate(way.gained + 1.0, 1.0 / (way.steps + 1.0 / usual))
            for name, way in self._ways.items()
        }
        return max(rates, key=lambda name: rates[name])

    # ---- the next action

    def _single_actions(self) -> dict[str, tuple[SemanticAction, ...]]:
        plain = list(nameable(self._space).values())
        shaped = [form for form in self._space.forms if form.arguments]
        plain += [
            action
            for form in shaped
            for _ in range(_DRAWS)
            if (action := drawn((form,), self._space, self._dice))
        ]
        return {str(action): (action,) for action in plain}

    def _next(self, keys: Sequence[str]) -> SemanticAction | None:
        if self._queue:
            return self._queue.popleft()
        self._why = f"{_WAYS[self._way]}."
        if self._way == "learned":
            texts = [*self._arms, *self._sequences]
            texts = [text for text in texts if text.split(_SEPARATOR)[0] not in self._vain] or texts
            if texts:
                best, *rest = self._values.rank(keys, texts)
                self._why = _explained(best, rest, bool(self._gains))
                self._values.took(keys, best.arm)
                sequence = best.arm.split(_SEPARATOR)
                self._queue.extend(self._arms.get(best.arm) or map(self._space.parse, sequence))
                return self._queue.popleft()
        named = self._named if self._way == _NAMED else ()
        action = self._dice.choice(named) if named else self._drawn()
        if action is None:
            return None
        if self._way == _NAMED and not named:
            self._why = f"{_WAYS['chance']}: no reading names an action now."
        self._values.took(keys, str(action))
        if self._way == "held":
            self._queue.extend([action] * (self._dice.choice(HELD) - 1))
        return action

    def _drawn(self) -> SemanticAction | None:
        """Return any legal action; other ways than chance avoid those that just had no effect."""
        action = drawn(self._space.forms, self._space, self._dice)
        for _ in range(_DRAWS if self._way != "chance" else 0):
            if str(action) not in self._vain:
                break
            action = drawn(self._space.forms, self._space, self._dice)
        return action


def _explained(best: Estimate, rest: Sequence[Estimate], scored: bool) -> str:
    """Return a sentence on the chosen arm and the runner-up."""
    met = f"tried {best.met} times on such screens" if best.met else "not tried on such screens yet"
    unit = "mean gains" if scored else "gains of new screens"
    text = f"Learned: {best.arm}, {met}, is expected to bring {best.worth:.2f} {unit}"
    return f"{text}; next to it {rest[0].arm} with {rest[0].worth:.2f}." if rest else f"{text}."
