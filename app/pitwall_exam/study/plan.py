"""The plan of a study: which episodes are played, and who answers about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.errors import SettingsError, suggestion
from pitwall_exam.answering.opening import AnswererSpec
from pitwall_exam.answering.systems.catalogue import SYSTEMS, SystemName, installed_systems

GAMES = ("crafter", "story")
SEEDS = (1, 42, 43, 100, 123)
"""The paper's seeds."""
STEPS = 200
"""Most steps of an episode, as in the paper."""
QUICK_STEPS = 40
SKILLS = "skills"
PLANNERS = (SKILLS, "explore", "random")
"""Agents that play without a model; any other agent is a model's name."""
OWN_MEMORY, IN_CONTEXT, LAST_TURNS, RECALL = "own-memory", "in-context", "last-10", "recall"
NEED_MODEL = (IN_CONTEXT, LAST_TURNS, OWN_MEMORY)
_DEADLINE_S = 900.0
"""Longest model call: a study waits for a busy machine, so that no answer is lost to it."""
SITTERS = (*NEED_MODEL, *SYSTEMS, RECALL)
"""Everything that can answer in a study, in the order of its tables."""


class Episode(BaseModel):
    """An episode to play.

    Attributes:
        game: the game's id, or id/scenario. agent: one of `PLANNERS`, or the name of a model that plans.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str
    seed: int
    steps: int
    agent: str = SKILLS

    @property
    def key(self) -> str:
        """Return its name in the study's files; the skills' episodes go without the agent."""
        by = "" if self.agent == SKILLS else f"-{self.agent}"
        return f"{self.game}-{self.seed}-{self.steps}{by}"


class StudyPlan(BaseModel):
    """A study's plan.

    Attributes:
        games: ids, or id/scenario. agents: who plays each game with each seed, see `Episode`.
        answerers: names of `SITTERS`. model: reads and answers for them; empty: rules do.
        horizons: each exam asks about steps 1 … N only; 0: the whole episode.
        retrieved: entries that a memory recalls for a question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    games: tuple[str, ...] = Field(min_length=1)
    seeds: tuple[int, ...] = Field(min_length=1)
    steps: int = Field(ge=2)
    answerers: tuple[str, ...] = Field(min_length=1)
    model: str = ""
    horizons: tuple[int, ...] = (0,)
    retrieved: int = 8
    per_template: int = 2
    agents: tuple[str, ...] = Field((SKILLS,), min_length=1)

    @property
    def episodes(self) -> list[Episode]:
        """Return the episodes, by game, agent and seed."""
        return [
            Episode(game=game, seed=seed, steps=self.steps, agent=agent)
            for game in self.games
            for agent in self.agents
            for seed in self.seeds
        ]


def checked_answerers(names: Sequence[str], model: str) -> tuple[str, ...]:
    """Return the answerers in the order of tables; none named: all that can answer here.

    Raises:
        SettingsError: a name is unknown, or needs a model and none is named.
    """
    for name in names:
        if name not in SITTERS:
            raise SettingsError(
                f"no answerer is called {name!r}.",
                suggestion(name, SITTERS, f"There are: {', '.join(SITTERS)}."),
            )
        if name in NEED_MODEL and not model:
            raise SettingsError(f"the answerer {name} asks a language model.", "Name one: --model MODEL")
    wanted = names or (*(NEED_MODEL if model else ()), *installed_systems(), RECALL)
    return tuple(name for name in SITTERS if name in wanted)


def spec_of(name: str, plan: StudyPlan) -> AnswererSpec:
    """Return the specification of a study's answerer."""
    match name:
        case "recall":
            return AnswererSpec(kind="recall")
        case "in-context" | "last-10":
            turns = 10 if name == LAST_TURNS else 0
            return AnswererSpec(kind="in-context", model=plan.model, turns=turns, deadline_s=_DEADLINE_S)
        case "own-memory":
            return AnswererSpec(
                kind="retrieval", model=plan.model, retrieved=plan.retrieved, deadline_s=_DEADLINE_S
            )
    return AnswererSpec(
        kind="system",
        system=cast(SystemName, name),
        model=plan.model,
        retrieved=plan.retrieved,
        deadline_s=_DEADLINE_S,
    )
