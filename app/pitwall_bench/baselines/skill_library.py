"""A library of the agent's own skills: sequences of actions that reached a subgoal in this run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pitwall.engine.control.planner import PastStep
from pitwall.memory.value_format import quoted

MOST_SHOWN = 5
"""Skills that a prompt lists: Voyager retrieves five."""
MOST_KEPT = 200
MOST_ACTIONS = 8
"""Last actions before a success that make a skill (choice)."""
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class OwnSkill:
    """A skill: the subgoal that it reached, and its actions as they were written."""

    subgoal: str
    actions: tuple[str, ...]


class WayTaken:
    """Remembers the steps since a subgoal began: a request's history holds only the last few."""

    def __init__(self) -> None:
        self._steps: dict[int, PastStep] = {}

    def add(self, history: Iterable[PastStep]) -> None:
        """Take the steps of a request's history, of which most are known."""
        self._steps.update((past.step, past) for past in history)

    def since(self, step: int) -> tuple[PastStep, ...]:
        """Return the steps from a number on, and forget those before it."""
        self._steps = {number: past for number, past in self._steps.items() if number >= step}
        return tuple(self._steps[number] for number in sorted(self._steps))


class SkillLibrary:
    """Keeps skills by their subgoal, and finds those whose subgoal shares most words with another."""

    def __init__(self) -> None:
        self._skills: dict[str, OwnSkill] = {}

    def add(self, subgoal: str, actions: tuple[str, ...]) -> bool:
        """Keep a skill; return whether there was anything to keep. A shorter way replaces a longer one."""
        way = actions[-MOST_ACTIONS:]
        known = self._skills.get(subgoal)
        if not subgoal or not way or (known is not None and len(known.actions) <= len(way)):
            return False
        self._skills.pop(subgoal, None)
        self._skills[subgoal] = OwnSkill(subgoal, way)
        while len(self._skills) > MOST_KEPT:
            del self._skills[next(iter(self._skills))]
        return True

    def nearest(self, subgoal: str) -> tuple[OwnSkill, ...]:
        """Return the skills with the greatest overlap of words (Jaccard), best first; none without any."""
        wanted = _words(subgoal)
        ranked = sorted(
            ((_overlap(wanted, _words(skill.subgoal)), skill) for skill in self._skills.values()),
            key=lambda pair: -pair[0],
        )
        return tuple(skill for overlap, skill in ranked[:MOST_SHOWN] if overlap > 0)

    def lines(self, subgoal: str) -> list[str]:
        """List the nearest skills for a prompt."""
        near = self.nearest(subgoal)
        listed = [f"- {quoted(skill.subgoal)}: {', '.join(skill.actions)}" for skill in near]
        return ["Your own skills, which worked before:", *listed] if near else []


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _overlap(wanted: frozenset[str], known: frozenset[str]) -> float:
    union = wanted | known
    return len(wanted & known) / len(union) if union else 0.0
