"""Bars choices that brought no progress, for a growing number of steps.

As in reactive tabu search (Battiti and Tecchiolli 1994): a choice with as many steps without progress as make
a stall, s, is barred for 2s steps, the next time for 4s, 8s … 256s; its own progress clears its record. So
whatever a model prefers, of m useless choices none is left after at most s · m · N steps without progress, N
the least number with 2^N > m · N: s steps for one, 6s for two, 12s for three (the longest bar lets this hold
for up to 31).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pitwall.core.actions import ActionForm, Proposal, SemanticAction
from pitwall.core.errors import IllegalAction
from pitwall.core.observations import GameStatus
from pitwall.engine.control.legality import LegalActions

MOST_DOUBLINGS = 8
"""Longest bar: 2^8 times the patience (choice)."""

ESCALATE = "an escalation"
"""The choice of a reactive model to ask for a plan."""
WRITE = "a plan of its own"
"""The choice of a strategic model to write a plan out, where it could name a skill."""

Bars = Mapping[str, int]
"""A barred choice → the first step in which it can be made again."""


def skill_choice(name: str) -> str:
    return f"skill {name!r}"


def module_choice(name: str) -> str:
    return f"module {name!r}"


def action_choice(action: SemanticAction | str) -> str:
    return f"action {action}"


def plan_choice(proposal: Proposal) -> str:
    """Return the choice that a plan came from."""
    if proposal.skill:
        return skill_choice(proposal.skill)
    return module_choice(proposal.module) if proposal.module else WRITE


class TabuList:
    """Counts each choice's steps without progress, separately for each status of the game.

    Attributes:
        patience: steps without progress that a choice may have, at least 1; 0: nothing is barred.
    """

    def __init__(self, patience: int = 0) -> None:
        self.patience = patience
        self._fruitless: dict[tuple[GameStatus, str], int] = {}
        self._doublings: dict[tuple[GameStatus, str], int] = {}
        self._until: dict[tuple[GameStatus, str], int] = {}

    def note(self, choices: Iterable[str], status: GameStatus, *, step: int, progressed: bool) -> None:
        """Note whether a step, taken by these choices, brought progress."""
        keys = [(status, choice) for choice in choices]
        if progressed:
            self._fruitless.clear()
            for key in keys:
                self._doublings.pop(key, None)
                self._until.pop(key, None)
            return
        for key in keys:
            self._fruitless[key] = self._fruitless.get(key, 0) + 1
            if self.patience and self._fruitless[key] >= self.patience:
                doublings = min(self._doublings.get(key, 0) + 1, MOST_DOUBLINGS)
                self._doublings[key] = doublings
                self._until[key] = step + 1 + self.patience * 2**doublings
                del self._fruitless[key]

    def bars(self, status: GameStatus, step: int) -> dict[str, int]:
        """Return the choices that are barred in a step."""
        if not self.patience:
            return {}
        return {
            choice: until
            for (known, choice), until in self._until.items()
            if known is status and until > step
        }


def still_open(choices: Sequence[str], bars: Bars) -> list[str]:
    """Return the choices that are not barred; if all are, the choice whose bar ends first."""
    unbarred = [choice for choice in choices if choice not in bars]
    return unbarred or sorted(choices, key=lambda choice: bars[choice])[:1]


class OpenActions:
    """The legal actions that are not barred, or all of them if every one is barred; a `LegalActions`.

    Args:
        spared: actions that stay, barred or not.
    """

    def __init__(self, space: LegalActions, bars: Bars, spared: Iterable[SemanticAction] = ()) -> None:
        barred = {choice for choice in bars if choice.startswith(action_choice(""))}
        barred -= {action_choice(action) for action in spared}
        self._space = space
        self.forms: tuple[ActionForm, ...] = tuple(
            form for form in space.forms if form.arguments or action_choice(form.name) not in barred
        )
        self._barred = barred if self.forms else frozenset()
        self.forms = self.forms or space.forms

    def parse(self, text: str) -> SemanticAction:
        """Return the action that a text names.

        Raises:
            IllegalAction: it is unknown, outside the role's controls, or barred.
        """
        action = self._space.parse(text)
        if action_choice(action) in self._barred:
            raise IllegalAction(f"{str(action)!r} brought no progress and cannot be chosen for now.")
        return action


def bars_in_words(bars: Bars, step: int) -> str:
    """Return a sentence for the operator on the barred choices and their length; empty for none."""
    barred = [f"{choice} ({until - step} steps more)" for choice, until in sorted(bars.items())]
    return f"Set aside, as it brought no progress: {', '.join(barred)}." if barred else ""
