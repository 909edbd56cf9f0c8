"""GameWorld's cells as agents of suites: interfaces × protocols × memory rounds, floors and a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pitwall.core.calls import CallFormName
from pitwall.core.errors import PitwallError, suggestion
from pitwall_bench.study.spike_grid import SettingValues, tasks_of
from pitwall_bench.suites.spec import AgentSpec, Limits, Seeds, SuiteSpec

InterfaceName = Literal["semantic", "computer-use"]
ProtocolName = Literal["paused", "real-time"]
INTERFACES: tuple[InterfaceName, ...] = get_args(InterfaceName)
PROTOCOLS: tuple[ProtocolName, ...] = get_args(ProtocolName)
STEPS = 100
"""Actions of a run, as in the paper."""
QUICK_GAMES, QUICK_STEPS, QUICK_SECONDS = ("maze/first_key", "snake/one_fruit"), 12, 40.0
MOST_ROUNDS = 8
FLOORS = ("skills", "random", "idle")
PERSON = "person"
_LONGEST_NAME = 53
"""Letters of a study's name that leave room for "-person" in a suite's."""
_CALLS: dict[InterfaceName, tuple[str, ...]] = {
    "semantic": ("json", "tools"),
    "computer-use": get_args(CallFormName),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameWorldCell:
    """A cell: one model in one interface and protocol, with so many rounds of memory."""

    interface: InterfaceName
    protocol: ProtocolName
    rounds: int

    @property
    def name(self) -> str:
        """Return the cell's name, which is also its agent's."""
        return f"{self.interface}-{self.protocol}-r{self.rounds}"

    @property
    def about(self) -> str:
        """Describe the cell."""
        acts = "named actions" if self.interface == "semantic" else "keys and pointer"
        runs = "the game waits" if self.protocol == "paused" else "the game goes on"
        return f"{acts}; {runs}; {self.rounds} rounds of memory"

    def agent(self, model: str, calls: str, *, grammar: bool) -> AgentSpec:
        """Return the agent: the model alone chooses one action a step, from the paper's four sections."""
        settings: SettingValues = {
            "control.routing": "reactive-only",
            "control.reactive": "model",
            "control.consult": "every-step",
            "control.trust": "model",
            "control.stand_in": "hold",
            "control.enforce_evidence": False,
            "memory.act_directly": False,
            "models.prompt": "sections",
            "models.calls": calls,
            "models.grammar": grammar,
            "models.look": "always",
        }
        return AgentSpec(
            name=self.name,
            kind="model",
            model=model,
            fast_model=model,
            interface=self.interface,
            protocol=self.protocol,
            memory="rounds",
            rounds=self.rounds,
            accept="none",
            settings=dict(settings),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameWorldStudy:
    """The games, cells and budgets of a study.

    Attributes:
        games: GAME, or GAME/TASK; with a star every matching game.
        calls: form of calls by interface. price_in, price_out: money for a million tokens; 0: not given.
        price_cached: for input tokens from a cache; None: as `price_in`.
    """

    name: str
    model: str
    games: tuple[str, ...]
    cells: tuple[GameWorldCell, ...]
    calls: str = "json"
    grammar: bool = False
    repeats: int = 1
    seeds: int = 1
    steps: int = STEPS
    seconds: float | None = None
    parallel: int = 1
    price_in: float = 0.0
    price_out: float = 0.0
    price_cached: float | None = None

    def suite(self) -> SuiteSpec:
        """Return the suite of the cells, with the games' own skills, chance and idleness beside."""
        agents = [cell.agent(self.model, self.form_of(cell), grammar=self.grammar) for cell in self.cells]
        floors = [AgentSpec.model_validate({"name": kind, "kind": kind, "accept": "none"}) for kind in FLOORS]
        return self._suite(self.name, [*agents, *floors])

    def form_of(self, cell: GameWorldCell) -> str:
        """Return the form of a cell's calls: named actions are tools where the form has none."""
        return self.calls if self.calls in _CALLS[cell.interface] else "tools"

    def by_person(self) -> SuiteSpec:
        """Return the suite that a person plays: the same tasks and budget, in real time."""
        agent = AgentSpec(name=PERSON, kind="person", protocol="real-time", accept="none")
        return self._suite(f"{self.name[:_LONGEST_NAME]}-person", [agent]).model_copy(update={"parallel": 1})

    def _suite(self, name: str, agents: Sequence[AgentSpec]) -> SuiteSpec:
        return SuiteSpec(
            schema=1,
            name=name,
            description=f"GameWorld's cells with {self.model}, at most {self.steps} actions a run.",
            games=[tasks_of(game) for game in self.games],
            agents=list(agents),
            seeds=Seeds(count=self.seeds),
            repeats=self.repeats,
            parallel=self.parallel,
            protocol="paused",
            limits=Limits(steps=self.steps, seconds=self.seconds),
        )


def cells_of(
    interfaces: Sequence[str], protocols: Sequence[str], rounds: Sequence[str]
) -> tuple[GameWorldCell, ...]:
    """Return the cells of the named interfaces, protocols and numbers of rounds.

    Raises:
        PitwallError: there is no such interface or protocol, or the rounds are no numbers from 0 to 8.
    """
    _require("interface", interfaces, INTERFACES)
    _require("protocol", protocols, PROTOCOLS)
    counts = [int(text) if text.isdecimal() and text.isascii() else -1 for text in rounds]
    if not all(0 <= count <= MOST_ROUNDS for count in counts):
        raise PitwallError(
            f"rounds are whole numbers from 0 to {MOST_ROUNDS}, not {','.join(rounds)}.",
            "Write --rounds 0,1,2",
        )
    return tuple(
        GameWorldCell(interface=interface, protocol=protocol, rounds=count)
        for interface in INTERFACES
        if interface in interfaces
        for protocol in PROTOCOLS
        if protocol in protocols
        for count in counts
    )


def form_named(calls: str) -> str:
    """Return a form of calls by its name.

    Raises:
        PitwallError: there is none; names the nearest.
    """
    _require("form of calls", [calls], get_args(CallFormName))
    return calls


def name_of(model: str, *, quick: bool) -> str:
    """Return the name of a model's study, which is also its suite's."""
    kind = "study-gameworld-quick" if quick else "study-gameworld"
    return f"{kind}-{re.sub(r'[^A-Za-z0-9._-]', '-', model)}"[:50]


def _require(kind: str, named: Sequence[str], there: Sequence[str]) -> None:
    for name in named:
        if name not in there:
            hint = suggestion(name, there, f"One of: {', '.join(there)}.")
            raise PitwallError(f"a study has no {kind} {name!r}.", hint)
