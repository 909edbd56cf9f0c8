"""AgenticSTS's cells as agents of suites: five frozen cells, learner, ladder, transfer, transcript."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pitwall_bench.study.spike_grid import ALONE, SettingValues
from pitwall_bench.suites.spec import AgentSpec, Evolution, GameTasks, Ladder, Limits, Seeds, SuiteSpec

LEARNER, CLIMBING, FROZEN, TRANSCRIPT = "learner", "ladder-learning", "ladder-frozen", "transcript"
MODE_A, MODE_B, FULL = "hand-skills", "template-skills", "skills-episodes"
QUICK_STEPS, QUICK_SECONDS = 12, 25.0
LEARNING_SEED = 501
"""Runs that learn begin at this seed; the cells are played from seed 1 on."""
ATTEMPTS = 10
"""Most runs of one climb up the ladder (choice)."""
_NO_HINTS: SettingValues = {"memory.action_bank": False, "memory.knowledge_graph": False}
_FROZEN: SettingValues = {"memory.write": False}


@dataclass(frozen=True, slots=True)
class StsCell:
    """A cell of the paper's Table 2.

    Attributes:
        kind: of the agent where no model plays. layers: switches of the layers.
        memory: which memory it begins with: none, the filled templates or the learned one.
    """

    name: str
    about: str
    kind: str
    layers: tuple[str, ...]
    memory: str = ""


CELLS: tuple[StsCell, ...] = (
    StsCell(
        "no-scaffold",
        "stripped prompt, no knowledge, memory or skills",
        "random",
        ("L1=stripped", "L2=stripped", "L3=off", "L4=disable", "L5=disable"),
    ),
    StsCell("prompt-only", "whole prompt, no L4 and L5", "explore", ("L4=disable", "L5=disable")),
    StsCell(MODE_A, "skills written by hand", "skills", ("L4=disable", "L5=freeze")),
    StsCell(MODE_B, "five templates filled by a model", "skills", ("L4=disable", "L5=freeze"), "templates"),
    StsCell(
        FULL, "skills and the frozen memory of the learner", "skills", ("L4=freeze", "L5=freeze"), "learned"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StsStudy:
    """The game, models, seeds and budgets of a study.

    Attributes:
        model: of both tiers; empty: none, so the skill planner plays. other: a model that gets the frozen
            memory. task: of the game. rungs: tasks of the ladder; fewer than two: no ladder.
        learned, templates: files of the memories, by now; empty: the cell is not played.
    """

    name: str
    game: str
    task: str
    model: str = ""
    other: str = ""
    rungs: tuple[str, ...] = ()
    seeds: int = 10
    learning_runs: int = 20
    parallel: int = 1
    quick: bool = False

    @property
    def budget(self) -> Evolution:
        """Return the budget of the gate for each run that learns."""
        return Evolution(skills=1, trials=3, steps=QUICK_STEPS, seconds=120) if self.quick else Evolution()

    def learning(self) -> SuiteSpec:
        """Return the suite whose runs learn, behind the gate, and hand their memory on."""
        seeds = Seeds(first=LEARNING_SEED, count=self.learning_runs)
        return self._suite("learn", [self.learner(LEARNER, carry="agent")], seeds=seeds)

    def learner(self, name: str, *, carry: str) -> AgentSpec:
        """Return the agent that learns, behind the gate."""
        reviewers = {"models.analysis": self.model, "models.evolution": self.model} if self.model else {}
        return self._agent(
            {"name": name, "carry": carry, "accept": "gate", "evolution": self.budget},
            settings={**(ALONE if self.model else {}), **reviewers},
        )

    def cells(self, memories: Mapping[str, str]) -> SuiteSpec:
        """Return the suite of the cells whose memory is there, with the transcript and the other model.

        Args:
            memories: kind of memory → file.
        """
        cells = [cell for cell in CELLS if not cell.memory or memories.get(cell.memory)]
        agents = [self.cell_agent(cell, self.model, memories.get(cell.memory, "")) for cell in cells]
        if self.model:
            agents.append(
                self._agent(
                    {"name": TRANSCRIPT, "workflow": "transcript", "layer": ["L4=disable", "L5=disable"]},
                    settings={**ALONE, **_NO_HINTS, **_FROZEN},
                )
            )
        if self.other:
            for cell in cells:
                if cell.name in (CELLS[0].name, FULL):
                    agent = self.cell_agent(cell, self.other, memories.get(cell.memory, ""))
                    agents.append(agent.model_copy(update={"name": f"other-{cell.name}"}))
        return self._suite("", agents, seeds=Seeds(count=self.seeds))

    def cell_agent(self, cell: StsCell, model: str, memory: str) -> AgentSpec:
        """Return the agent of a cell; whatever it learns in a run is gone after it."""
        named = {"name": cell.name, "kind": cell.kind, "layer": list(cell.layers), "accept": "none"}
        named |= {"memory": memory} if memory else {}
        hints = _NO_HINTS if model or not memory else {}
        alone = ALONE if model else {}
        return self._agent(named, settings={**alone, **hints, **_FROZEN}, model=model)

    def ladder(self) -> SuiteSpec | None:
        """Return the suite of the climbs with learning and without; None for a game with a single task."""
        if len(self.rungs) < 2:
            return None
        frozen = self.learner(FROZEN, carry="none")
        settings = {**frozen.settings, **_FROZEN}
        frozen = frozen.model_copy(update={"accept": "none", "settings": settings})
        suite = self._suite("ladder", [self.learner(CLIMBING, carry="climb"), frozen], seeds=Seeds(count=1))
        ladder = Ladder(game=self.game, rungs=list(self.rungs), attempts=2 if self.quick else ATTEMPTS)
        return suite.model_copy(update={"games": [], "ladders": [ladder]})

    def _agent(
        self, named: Mapping[str, object], *, settings: SettingValues, model: str | None = None
    ) -> AgentSpec:
        model = self.model if model is None else model
        playing = {"kind": "model", "model": model, "fast_model": model} if model else {}
        return AgentSpec.model_validate({**named, **playing, "settings": dict(settings)})

    def _suite(self, part: str, agents: Sequence[AgentSpec], *, seeds: Seeds) -> SuiteSpec:
        limits = Limits(steps=QUICK_STEPS, seconds=QUICK_SECONDS) if self.quick else Limits()
        return SuiteSpec(
            schema=1,
            name=f"{self.name}-{part}" if part else self.name,
            description=f"AgenticSTS's cells with {self.model or 'no model'}.",
            games=[GameTasks(game=self.game, tasks=[self.task])],
            agents=list(agents),
            seeds=seeds,
            parallel=self.parallel,
            protocol="paused",
            limits=limits,
        )


def name_of(model: str, game: str, *, quick: bool) -> str:
    """Return the name of a study, which is also that of its cells' suite."""
    kind = "study-agenticsts-quick" if quick else "study-agenticsts"
    return f"{kind}-{game}-{re.sub(r'[^A-Za-z0-9._-]', '-', model or 'none')}"[:50]
