"""Plays runs of a game on its headless twin with the skill planner, and records each choice."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from pitwall.core.actions import SemanticAction
from pitwall.core.errors import PitwallError
from pitwall.core.memories import MemoryEntry
from pitwall.core.observations import Value
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.plugin_loader import World, load_world
from pitwall.games.schema.profile import Game, Profile
from pitwall_bench.study.learner.skills_alone import SkillsAlone

MOST_DECISIONS = 1500
"""Decisions of a run; one that needs more counts as it stands (choice)."""
LEAST_OPTIONS = 2


class _Told(World, Protocol):
    """A world that tells the fields that the game's eyes would read from its picture."""

    @property
    def fields(self) -> Mapping[str, Value]: ...


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices that a game names: action → the field that says what it stands for now.

    A field whose name joins a parameter and one of its values (option_2) names what that value stands for;
    a field with the name of an action (leave) is none where the action cannot be done.
    """

    fields: Mapping[str, str]

    @classmethod
    def of(cls, profile: Profile) -> Choices:
        """Return the choices that a profile's fields name."""
        names = {item.name for item in profile.fields}
        named: dict[str, str] = {}
        for binding in profile.actions:
            if binding.name in names and not binding.parameters:
                named[binding.name] = binding.name
            for parameter, about in binding.parameters.items():
                for value in about.choices:
                    if f"{parameter}_{value}" in names:
                        named[f"{binding.name}({parameter}={value})"] = f"{parameter}_{value}"
        return cls(named)

    def open(self, fields: Mapping[str, Value]) -> dict[str, str]:
        """Return the choices that are open now: action → name."""
        shown = {action: fields.get(name) for action, name in self.fields.items()}
        return {action: str(value) for action, value in shown.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that was made: what the screen showed, what was open, and the action taken."""

    fields: Mapping[str, Value]
    open: Mapping[str, str]
    action: str
    skill: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRun:
    """A run that was played to its end."""

    seed: int
    score: float
    won: bool
    decisions: int
    choices: tuple[Choice, ...]
    uses: Mapping[str, int] = field(default_factory=dict)


class TwinPlayer:
    """Plays runs of one game.

    Raises:
        PitwallError: the game has no twin that tells its fields.
    """

    def __init__(self, game: Game, scenario: str, *, won_at: float) -> None:
        self.profile = game.profile
        self.choices = Choices.of(game.profile)
        self._make, self._scenario, self._won_at = load_world(game), scenario, won_at
        self._vocabulary = Vocabulary(game.profile)
        if not hasattr(self._make(seed=0, scenario=scenario), "fields"):
            raise PitwallError(
                f"the twin of {game.game_id} tells no fields.", "Give its world a property `fields`."
            )

    def skills(self, entries: Sequence[MemoryEntry]) -> SkillsAlone:
        """Return the skill planner with the skills of a memory."""
        return SkillsAlone(self.profile, entries)

    def play(self, seed: int, skills: SkillsAlone, *, explore: float = 0.0) -> PlayedRun:
        """Play a run with the skills of a memory.

        Args:
            explore: share of choices that are made by chance.
        """
        world = cast(_Told, self._make(seed=seed, scenario=self._scenario))
        dice = random.Random(seed)
        skills.begin()
        made: list[Choice] = []
        uses: dict[str, int] = {}
        count = 0
        fields = world.fields
        while count < MOST_DECISIONS:
            decision = skills.decide(fields)
            action, skill = decision.action, decision.skill
            options = self.choices.open(fields)
            if len(options) >= LEAST_OPTIONS:
                if explore and dice.random() < explore:
                    action, skill = skills.parse(dice.choice(sorted(options))), ""
                made.append(Choice(fields, options, str(action), skill))
            if action is None:
                break
            count += 1
            uses[skill] = uses.get(skill, 0) + 1
            self._do(world, action)
            after = world.fields
            if after == fields:
                skills.failed(decision)
            if skills.over(after):
                break
            fields = after
        score = float(world.score)
        return PlayedRun(
            seed=seed,
            score=score,
            won=score >= self._won_at,
            decisions=count,
            choices=tuple(made),
            uses=uses,
        )

    def _do(self, world: World, action: SemanticAction) -> None:
        for timed in self._vocabulary.resolve(action, width=1, height=1).events:
            if timed.event.kind == "key_down":
                world.down(timed.event.key)
