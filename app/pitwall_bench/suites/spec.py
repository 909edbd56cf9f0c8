"""The model of a suite's YAML file. Reading it plays nothing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pitwall.core.model_telemetry import WorkflowName

SCHEMA = 1
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=60)]
ThresholdName = Literal[
    "refresh_steps",
    "scene_change",
    "stall_steps",
    "loop_repeats",
    "loop_stall_steps",
    "repetition_window",
    "failure_level",
]
Carry = Literal["none", "climb", "wave", "agent"]
Accept = Literal["operator", "gate", "none"]
_FORMS = ("layered", "empty", "rounds")
AgentKind = Literal["skills", "model", "explore", "random", "idle", "person"]
OtherKind = Literal["same", "skills", "model", "explore", "random", "idle", "person"]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Evolution(_Table):
    """The budget of an unattended evolution, for each run.

    Attributes:
        skills: most proposed skills that are tried. trials: pairs of plays of each, with it and without it,
            from seeds that no run plays.
        steps: of one play. seconds: of all plays of a run; what is not tried by then waits.
    """

    skills: int = Field(2, ge=0, le=20)
    trials: int = Field(3, ge=1, le=25)
    steps: int = Field(30, ge=1, le=1000)
    seconds: float = Field(600.0, gt=0)


class AgentSpec(_Table):
    """An agent.

    Attributes:
        kind: skills and rules of the game's folder; a model that plans; random legal actions; nobody; a
            person at the keys (same tasks, same budget).
        model, fast_model: of an agent of kind model, names in the model registry; empty: the settings'. An
            agent of kind skills plays without a model, unless its settings name models.fast.
        interface: named actions of the profile, or raw keys and pointer (SPEC §5).
        memory: layered or empty (the layers, which a run begins without entries), rounds (the last `rounds`
            rounds verbatim), or what the runs begin with: a snapshot of the operator's memory (its name or
            hash), or a file that `pitwall memory export` wrote.
        carry: which runs of a game share a memory and are played in order: none (each begins as `memory`
            says), those of a climb, of a wave, or all of the agent.
        accept: what becomes of the skills that a run proposes: operator (they wait), gate (those that pass
            the gate are used by later runs), none (nothing is proposed).
        evolution: the budget of the gate.
        protocol: empty: the suite's.
        ablate, layer: as `pitwall run` takes them. settings: section.name → value. modules: MODULE → version.
        thresholds: of the trigger, in the place of the game's.
        other, other_model: who plays the other side of a task for two, and its model; empty: this agent's.
    """

    name: Name
    kind: AgentKind = "skills"
    model: str = ""
    fast_model: str = ""
    workflow: Literal["", WorkflowName] = ""
    interface: Literal["semantic", "computer-use"] = "semantic"
    memory: str = Field("layered", min_length=1, max_length=1000)
    rounds: int = Field(2, ge=0, le=50)
    carry: Carry = "none"
    accept: Accept = "operator"
    evolution: Evolution = Evolution()
    protocol: Literal["", "real-time", "paused"] = ""
    ablate: list[str] = Field(default_factory=list)
    layer: list[str] = Field(default_factory=list)
    settings: dict[str, str | int | float | bool] = Field(default_factory=dict)
    modules: dict[str, str] = Field(default_factory=dict)
    thresholds: dict[ThresholdName, float] = Field(default_factory=dict)
    other: OtherKind = "same"
    other_model: str = ""

    @property
    def other_side(self) -> AgentSpec:
        """Return the agent that plays the other side of a task for two."""
        changed: dict[str, object] = {"carry": "none", "accept": "none"}
        if self.other != "same":
            changed |= {"name": self.other, "kind": self.other}
        if self.other_model:
            changed |= {"model": self.other_model, "fast_model": ""}
        return self.model_copy(update=changed)

    @property
    def needs_person(self) -> bool:
        """Return whether a person plays one of the sides."""
        return "person" in (self.kind, self.other)

    @property
    def begins_with(self) -> str:
        """Return the snapshot or file that its runs begin with; empty for none."""
        return "" if self.memory in _FORMS else self.memory

    @property
    def form(self) -> Literal["layered", "rounds"]:
        """Return the form of its memory in prompts."""
        return "rounds" if self.memory == "rounds" else "layered"


class GameTasks(_Table):
    """One game of a suite and its tasks: their ids, or all.

    A name with a star stands for every matching game, each with those of the tasks that it has.
    """

    game: str
    tasks: list[str] | Literal["all"] = "all"


class Seeds(_Table):
    """Seeds that count up."""

    first: int = 1
    count: int = Field(1, ge=1, le=10_000)


class Limits(_Table):
    """Bounds in addition to the tasks' own; None: only those.

    Attributes:
        calls, tokens: of models, for each run. seconds: of play.
        by_difficulty: as the source's tasks have it (SPEC §2): "steps", a cap of steps; "calls", a budget of
            calls in the place of the task's steps.
        opening_s: until a game can be played, before it counts as failed.
        again: how often a run that something outside ended is played again.
    """

    steps: int | None = Field(None, ge=1)
    calls: int | None = Field(None, ge=1)
    tokens: int | None = Field(None, ge=1)
    by_difficulty: Literal["", "steps", "calls"] = ""
    seconds: float | None = Field(None, gt=0)
    opening_s: float = Field(90.0, gt=0, le=600)
    again: int = Field(1, ge=0, le=5)


class Ladder(_Table):
    """Tasks that agents climb (SPEC §4): after a success an agent plays the next rung, else the same again.

    The result of a climb is the last rung with a success.

    Attributes:
        rungs: ids of one game's tasks, easiest first. attempts: most runs of one climb.
    """

    game: str
    rungs: list[str] = Field(min_length=2)
    attempts: int = Field(10, ge=1, le=1000)


class SuiteSpec(_Table):
    """A whole suite.

    Attributes:
        presets: `game+task+agent`: one more cell each, besides games × agents.
        ladders: climbs, by every agent and seed.
        repeats: waves: every cell once, then every cell again.
        parallel: sessions side by side, each with its own screen, ports and data.
        protocol: for agents without one.
    """

    schema_version: Literal[1] = Field(1, alias="schema")
    name: Name
    description: str = ""
    games: list[GameTasks] = Field(default_factory=list)
    agents: list[AgentSpec] = Field(min_length=1)
    presets: list[str] = Field(default_factory=list)
    ladders: list[Ladder] = Field(default_factory=list)
    seeds: list[int] | Seeds = Field(default_factory=lambda: [1])
    repeats: int = Field(1, ge=1, le=1000)
    parallel: int = Field(1, ge=1, le=64)
    protocol: Literal["real-time", "paused"] = "real-time"
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _plays_something(self) -> SuiteSpec:
        if not (self.games or self.presets or self.ladders):
            raise ValueError("a suite plays games, presets or ladders: name at least one")
        return self

    @property
    def all_seeds(self) -> tuple[int, ...]:
        """Return the seeds, in order."""
        if isinstance(self.seeds, Seeds):
            return tuple(range(self.seeds.first, self.seeds.first + self.seeds.count))
        return tuple(self.seeds)
