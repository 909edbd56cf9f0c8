"""A suite's results in one object, the only source for tables, reports and pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from pitwall.core.quantities import counted
from pitwall_bench.suites.comparison import Comparison, compare_agents
from pitwall_bench.suites.folder import SuiteFolder, TaskFacts
from pitwall_bench.suites.human_normalised import HumanLevel, HumanRow, human_levels, human_rows
from pitwall_bench.suites.plan import Climb
from pitwall_bench.suites.results import RESULTS_FILE, SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.statistics import GENRES, Row, rows_by


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class Rung(_Told):
    """One rung of an agent's climbs: its attempts and wins."""

    task: str
    wins: int
    attempts: int


class ClimbRow(_Told):
    """An agent's climbs of one ladder (SPEC §4).

    Attributes:
        of: rungs. ends: rungs climbed in each finished climb. mean: of them; None: none is finished.
    """

    agent: str
    game: str
    of: int
    ends: tuple[int, ...]
    open: int
    mean: float | None
    rungs: tuple[Rung, ...]


class Unplayed(_Told):
    """A run that could not be played, and why."""

    key: str
    agent: str
    game: str
    task: str
    seed: int
    wave: int
    ended: str
    why: str
    tries: int


class Summary(_Told):
    """A whole suite.

    Attributes:
        state: from its board. done, of: runs. tasks … agents: rows by agent and the field's name.
        human, human_levels: Atari games beside the published scores.
        front: agents that no other agent beats in success at no more cost (Pareto).
        comparisons: every pair of agents. warnings: what speaks against a row as it is named.
    """

    suite: str
    name: str
    description: str
    state: str
    done: int
    of: int
    at: float
    file: str
    versions: dict[str, str]
    facts: tuple[TaskFacts, ...]
    agent_names: tuple[str, ...]
    agents: tuple[Row, ...]
    games: tuple[Row, ...]
    levels: tuple[Row, ...]
    genres: tuple[Row, ...]
    tasks: tuple[Row, ...]
    human: tuple[HumanRow, ...]
    human_levels: tuple[HumanLevel, ...]
    climbs: tuple[ClimbRow, ...]
    comparisons: tuple[Comparison, ...]
    front: tuple[str, ...]
    unplayed: tuple[Unplayed, ...]
    warnings: tuple[str, ...] = ()
    runs: tuple[TaskRun, ...]


def summary_of(folder: SuiteFolder) -> Summary:
    """Summarise a suite from its folder as it is now.

    Raises:
        UnknownSuite: there is none. PitwallError: its files are damaged.
    """
    spec, begun, board = folder.spec(), folder.begun(), folder.board()
    runs, unread = folder.read_runs()
    return summarise(
        folder.suite,
        spec,
        list(runs.values()),
        unread=unread,
        board=board,
        facts=begun.tasks,
        file=begun.file,
        versions=begun.versions,
        at=begun.at,
    )


def summarise(
    suite: str,
    spec: SuiteSpec,
    runs: Sequence[TaskRun],
    *,
    unread: int = 0,
    board: SuiteProgress | None = None,
    facts: tuple[TaskFacts, ...] = (),
    file: str = "",
    versions: Mapping[str, str] | None = None,
    at: float = 0.0,
) -> Summary:
    """Summarise runs in an order that does not depend on when they finished.

    Args:
        unread: lines of results that cannot be read.
    """
    agents = [agent.name for agent in spec.agents]
    ordered = sorted(runs, key=lambda run: _order(run, agents))
    by_agent = rows_by(ordered, "agent")
    tasks = tuple(rows_by(ordered, "agent", "game", "task"))
    human = tuple(human_rows(tasks))
    return Summary(
        suite=suite,
        name=spec.name,
        description=spec.description,
        state=board.state if board else "stopped",
        done=len(runs),
        of=max(board.of if board else 0, len(runs)),
        at=at,
        file=file,
        versions=dict(versions or {}),
        facts=facts,
        agent_names=tuple(agents),
        agents=tuple(by_agent),
        games=tuple(rows_by(ordered, "agent", "game", "genre", "level")),
        levels=tuple(sorted(rows_by(ordered, "agent", "level"), key=lambda row: row.level)),
        genres=tuple(sorted(rows_by(ordered, "agent", "genre"), key=_genre)),
        tasks=tasks,
        human=human,
        human_levels=tuple(human_levels(human)),
        climbs=tuple(_climbs(spec, {run.cell.key: run for run in runs})),
        comparisons=tuple(compare_agents(ordered)),
        front=front_of(by_agent),
        unplayed=tuple(_unplayed(run) for run in ordered if not run.played),
        warnings=(
            *played_by_others(by_agent, [agent.name for agent in spec.agents if agent.kind == "model"]),
            *_lost(unread),
        ),
        runs=tuple(ordered),
    )


_HALF = 0.5
_ALONE = {
    "skills": "To measure the model alone, set control.trust to model and control.stand_in to hold.",
    "memory": "To measure the model alone, set memory.act_directly to false.",
    "nobody": "Replies that were invalid, late or missing stand as no action: see the invalid actions.",
    "reflexes": "A module that the model starts plays by itself; count its steps as reflexes.",
    "standing": "No plan was in force in them, and legal actions came in turn: see why the model gave none.",
}
_WORDS = {"standing": "the standing rule (no planner)"}


def played_by_others(rows: Sequence[Row], models: Collection[str]) -> Iterator[str]:
    """Return a warning for each agent named after a model that decided less than half of its steps.

    Args:
        models: names of the agents whose kind is model.
    """
    for row in rows:
        own = row.deciders.get("model", 0.0)
        if row.agent in models and row.deciders and own < _HALF:
            others = {name: part for name, part in row.deciders.items() if name != "model"}
            most = max(others, key=lambda name: others[name])
            advice = _ALONE.get(most, _ALONE["skills"])
            other = _WORDS.get(most, most)
            shares = f"the model decided {own:.0%} of the steps, {other} {others[most]:.0%}"
            yield f"{row.agent}: {shares}. {advice}"


def _lost(unread: int) -> Iterator[str]:
    if unread:
        yield (
            f"{counted(unread, 'line')} of {RESULTS_FILE} cannot be read: their runs are in no figure "
            "unless they were played again. Go on with the suite to play what is missing."
        )


def front_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the Pareto front: agents that no other beats in success or cost without losing in the other."""
    points = [(row.agent, cost_of(row), row.success.share) for row in rows if row.success]
    return tuple(
        agent
        for agent, cost, share in points
        if not any(
            (other <= cost and better >= share) and (other < cost or better > share)
            for _, other, better in points
        )
    )


def cost_of(row: Row) -> float:
    """Return the cost proxy: tokens evaluated and written in an average run."""
    return row.cost.tokens if row.cost else 0.0


def _genre(row: Row) -> int:
    return GENRES.index(row.genre) if row.genre in GENRES else len(GENRES)


def _order(run: TaskRun, agents: Sequence[str]) -> tuple[object, ...]:
    cell = run.cell
    rank = agents.index(cell.agent) if cell.agent in agents else len(agents)
    return rank, cell.game, cell.task, cell.seed, cell.wave, cell.rung, cell.attempt


def _climbs(spec: SuiteSpec, runs: Mapping[str, TaskRun]) -> list[ClimbRow]:
    climbs = [
        Climb(ladder.game, tuple(ladder.rungs), ladder.attempts, agent.name, seed, wave)
        for ladder in spec.ladders
        for agent in spec.agents
        for wave in range(spec.repeats)
        for seed in spec.all_seeds
    ]
    grouped = groupby(climbs, key=lambda climb: (climb.agent, climb.game))
    return [_climb_row(list(group), runs) for _, group in grouped]


def _climb_row(climbs: Sequence[Climb], runs: Mapping[str, TaskRun]) -> ClimbRow:
    first = climbs[0]
    standings = [climb.standing(runs) for climb in climbs]
    ends = tuple(standing.climbed for standing in standings if standing.next is None)
    played = [run for climb in climbs for run in climb.path(runs) if run.played]
    tried = [[run.success for run in played if run.cell.rung == rung] for rung in range(len(first.rungs))]
    return ClimbRow(
        agent=first.agent,
        game=first.game,
        of=len(first.rungs),
        ends=ends,
        open=len(standings) - len(ends),
        mean=fmean(ends) if ends else None,
        rungs=tuple(
            Rung(task=task, wins=sum(won), attempts=len(won))
            for task, won in zip(first.rungs, tried, strict=True)
        ),
    )


def _unplayed(run: TaskRun) -> Unplayed:
    cell = run.cell
    return Unplayed(
        key=cell.key,
        agent=cell.agent,
        game=cell.game,
        task=cell.task,
        seed=cell.seed,
        wave=cell.wave,
        ended=run.ended,
        why=run.why,
        tries=run.tries,
    )
