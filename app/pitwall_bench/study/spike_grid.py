"""SPIKE's grid: the cells of the paper's tables as agents of a suite."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pitwall.core.errors import PitwallError, suggestion
from pitwall.core.model_telemetry import WorkflowName
from pitwall.core.signals import Thresholds
from pitwall_bench.suites.spec import AgentSpec, GameTasks, Limits, Seeds, SuiteSpec, ThresholdName

Part = Literal["baselines", "trigger", "routing", "memory"]
PARTS: tuple[Part, ...] = ("baselines", "trigger", "routing", "memory")
GAMES = ("mines/open_40", "maze/first_key", "snake/one_fruit", "tiles/score_200")
"""The tasks of a study that names none: short ones of games that need no fast hand (choice)."""
QUICK_GAMES = GAMES[:2]
QUICK_STEPS, QUICK_SECONDS = 12, 25.0
QUICK_CELLS = (
    "spike",
    "react",
    "reflexion",
    "stardojo",
    "transcript",
    "strategic-only",
    "reactive-only",
    "global",
)
"""The cells of a quick study (choice): one of each kind."""
SettingValues = Mapping[str, str | int | float | bool]

ALONE: SettingValues = {
    "control.trust": "model",
    "control.stand_in": "hold",
    "control.enforce_evidence": False,
    "control.consult": "every-step",
    "memory.act_directly": False,
    "memory.write_failures": False,
    "layers.modules": False,
}
"""Settings of every cell: the model plays alone, no module drives, and memory advises as in the paper."""
_DEFAULT: Mapping[str, float] = Thresholds().model_dump()
"""The paper's thresholds, in every game; the cells of the trigger differ from these."""
_NO_LAYERS: SettingValues = {"memory.action_bank": False, "memory.knowledge_graph": False}
_GLOBAL: SettingValues = {"memory.global_only": True}
_CALLS_WITHOUT_BUDGET = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCell:
    """A cell of the grid.

    Attributes:
        name: also the agent's. paper: key of the paper's row; empty: the paper has none.
        about: the cell in a few words.
        settings, thresholds: what differs from SPIKE's own, whose thresholds are the paper's in every game.
    """

    name: str
    part: Part
    about: str
    paper: str = ""
    workflow: Literal["", WorkflowName] = ""
    protocol: Literal["", "real-time", "paused"] = ""
    settings: SettingValues = field(default_factory=dict)
    thresholds: Mapping[ThresholdName, float] = field(default_factory=dict)

    def agent(self, model: str) -> AgentSpec:
        """Return the agent that plays the cell with a model in both tiers."""
        layers = ["L4=disable"] if self.workflow else []
        return AgentSpec(
            name=self.name,
            kind="model",
            model=model,
            fast_model=model,
            workflow=self.workflow,
            protocol=self.protocol,
            layer=[*layers, "L5=disable"],
            settings={**ALONE, **(_NO_LAYERS if self.workflow else {}), **self.settings},
            thresholds={**_DEFAULT, **self.thresholds},
        )


def _baseline(name: WorkflowName, about: str, paper: str = "") -> StudyCell:
    return StudyCell(name=name, part="baselines", about=about, paper=paper, workflow=name)


def _routing(name: str, about: str, paper: str, **settings: str | bool) -> StudyCell:
    named = {f"control.{key}": value for key, value in settings.items() if key != "global_only"}
    memory = _GLOBAL if settings.get("global_only") else {}
    return StudyCell(name=name, part="routing", about=about, paper=paper, settings={**named, **memory})


def _memory(name: str, about: str, paper: str = "", **settings: str | bool) -> StudyCell:
    named = {f"memory.{key}": value for key, value in settings.items()}
    return StudyCell(name=name, part="memory", about=about, paper=paper, settings=named)


CELLS: tuple[StudyCell, ...] = (
    StudyCell(name="spike", part="baselines", about="both controllers, trigger, own memories", paper="spike"),
    _baseline("react", "thought, action, observation", "react"),
    _baseline("transcript", "the whole conversation, without bound"),
    _baseline("reflexion", "lessons from failures", "reflexion"),
    _baseline("stardojo", "four calls a step", "stardojo"),
    _baseline("voyager", "curriculum, own skills, self-verification", "voyager"),
    _baseline("cradle", "six modules; the game waits", "cradle"),
    StudyCell(
        name="cradle-unpaused",
        part="baselines",
        about="six modules; the game goes on",
        workflow="cradle",
        protocol="real-time",
        settings={"control.while_thinking": "go-on"},
    ),
    StudyCell(
        name="earlier",
        part="trigger",
        about="refresh 3, scene 0.30, stall 3",
        paper="earlier",
        thresholds={"refresh_steps": 3, "scene_change": 0.30, "stall_steps": 3},
    ),
    StudyCell(
        name="later",
        part="trigger",
        about="refresh 6, scene 0.40, stall 6",
        paper="later",
        thresholds={"refresh_steps": 6, "scene_change": 0.40, "stall_steps": 6},
    ),
    StudyCell(
        name="no-refresh",
        part="trigger",
        about="no periodic refresh",
        paper="no-refresh",
        thresholds={"refresh_steps": 1000},
    ),
    _routing("strategic-only", "the planner at each step", "strategic", routing="strategic-only"),
    _routing(
        "strategic-global",
        "the same, global memory only",
        "strategic-global",
        routing="strategic-only",
        global_only=True,
    ),
    _routing("reactive-only", "no planner", "reactive", routing="reactive-only"),
    _routing(
        "reactive-global",
        "the same, global memory only",
        "reactive-global",
        routing="reactive-only",
        global_only=True,
    ),
    _routing("no-trigger", "a fixed schedule", "no-trigger", routing="fixed-schedule"),
    _routing("no-override", "no local corrections", "no-override", override=False),
    _memory("both", "both memories for both controllers", controllers="both"),
    _memory("swapped", "each controller has the other's memory", controllers="swapped"),
    _memory("shared", "one fused memory", controllers="shared"),
    _memory("no-bank", "no action bank", "no-bank", action_bank=False),
    _memory("no-graph", "no knowledge graph", "no-graph", knowledge_graph=False),
    _memory("global", "global memory only", "global", global_only=True),
)


def cells_of(parts: Sequence[str], *, names: Sequence[str] = (), quick: bool) -> tuple[StudyCell, ...]:
    """Return the cells of some parts and those of some names, all where none is named; SPIKE's own always.

    Raises:
        PitwallError: there is no such part, or no such cell; names the nearest.
    """
    _require("part", parts, PARTS)
    _require("cell", names, [cell.name for cell in CELLS])
    if quick and not parts:
        names = names or QUICK_CELLS
    return tuple(
        cell
        for cell in CELLS
        if not (parts or names) or cell.part in parts or cell.name in names or cell.name == "spike"
    )


def _require(kind: str, named: Sequence[str], there: Sequence[str]) -> None:
    for name in named:
        if name not in there:
            hint = suggestion(name, there, f"One of: {', '.join(there)}.")
            raise PitwallError(f"a study has no {kind} {name!r}.", hint)


def suite_of(
    model: str,
    cells: Sequence[StudyCell],
    *,
    name: str,
    games: Sequence[str],
    seeds: int,
    parallel: int = 1,
    steps: int | None = None,
    quick: bool = False,
    budgeted: bool = False,
) -> SuiteSpec:
    """Return the suite that plays the cells.

    Args:
        games: GAME, or GAME/TASK. steps: most steps of a run, where its task has more.
        budgeted: the call budget in the place of the tasks' steps.
    """
    limits = Limits(steps=steps, by_difficulty="calls") if budgeted else _without_budget(steps)
    if quick:
        limits = _without_budget(steps or QUICK_STEPS, seconds=QUICK_SECONDS)
    cut = f", at most {limits.steps} steps a run" if limits.steps else ""
    return SuiteSpec(
        schema=1,
        name=name,
        description=f"SPIKE's grid with {model}{cut}.",
        games=[tasks_of(game) for game in games],
        agents=[cell.agent(model) for cell in cells],
        seeds=Seeds(count=seeds),
        parallel=parallel,
        protocol="paused",
        limits=limits,
    )


def _without_budget(steps: int | None, *, seconds: float | None = None) -> Limits:
    """Return the bounds of a study by steps: its difficulty's budget of calls silences no planner."""
    return Limits(steps=steps, calls=_CALLS_WITHOUT_BUDGET, seconds=seconds)


def name_of(model: str, *, quick: bool) -> str:
    """Return the name of a model's study, which is also its suite's."""
    kind = "study-spike-quick" if quick else "study-spike"
    return f"{kind}-{re.sub(r'[^A-Za-z0-9._-]', '-', model)}"[:50]


def tasks_of(named: str) -> GameTasks:
    """Return the tasks that GAME or GAME/TASK names."""
    game, _, task = named.rpartition("/")
    return GameTasks(game=game or task, tasks=[task] if game else "all")
