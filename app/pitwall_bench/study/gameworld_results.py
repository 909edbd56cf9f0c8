"""The results of a GameWorld study: each cell by genre and level, invalid actions, failure modes, cost."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from pitwall.core.actions import Invalid
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.steps import StepRecord
from pitwall.store.run_reader import RunReader
from pitwall_bench.study.gameworld_failures import RULES, failure_mode
from pitwall_bench.study.gameworld_grid import FLOORS, PERSON, GameWorldStudy
from pitwall_bench.study.gameworld_paper import AGENTS, DIFFERENCES, PEOPLE, REAL_TIME, ROUNDS, PaperAgent
from pitwall_bench.study.results import mean_figure, tokens
from pitwall_bench.suites.results import TaskRun
from pitwall_bench.suites.statistics import GENRES, Mean, Share, share_of
from pitwall_bench.suites.summary import Summary

_MILLION = 1e6
Key = TypeVar("Key", str, int)
_FLOOR_WORDS = {
    "skills": "rules and skills of the games' folders; the game waits",
    "random": "any legal action; the game waits",
    "idle": "nothing is pressed; the game waits",
    PERSON: "a person at the keys, in real time",
}


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True)


class GroupFigures(_Figures):
    """Success and progress of a group of runs, with their number."""

    runs: int
    success: Share
    progress: Mean | None


class GameWorldCellResult(_Figures):
    """A cell's figures over its played runs.

    Attributes:
        genres, levels: figures by genre and by curriculum level (1 … 5), where there are runs.
        proposed, invalid: actions that the model proposed, and the invalid ones by kind.
        tokens, input_step, output_step, step_s: means of runs: tokens a run, input and output tokens a step,
            seconds a step.
        cost: money of a run at the given price; None: no price was given, or no model plays.
        failures: failed runs by failure mode. paper: rows of the paper to compare with.
    """

    cell: str
    about: str
    interface: str = ""
    protocol: str = ""
    rounds: int = 0
    runs: int
    unplayed: int
    overall: GroupFigures | None = None
    genres: dict[str, GroupFigures] = {}
    levels: dict[int, GroupFigures] = {}
    proposed: int = 0
    invalid: dict[str, int] = {}
    tokens: Mean | None = None
    input_step: Mean | None = None
    output_step: Mean | None = None
    step_s: Mean | None = None
    cost: Mean | None = None
    failures: dict[str, int] = {}
    paper: tuple[PaperAgent, ...] = ()

    def rate(self, kind: Invalid | None = None) -> float | None:
        """Return the invalid action rate, or the part of a kind, 0 … 1; None where nothing was proposed."""
        count = sum(self.invalid.values()) if kind is None else self.invalid.get(kind.value, 0)
        return count / self.proposed if self.proposed else None


class GameWorldResult(_Figures):
    """A whole study. state: its suites'. rules: of the failure modes, in order."""

    study: str
    model: str
    calls: str
    grammar: bool
    steps: int
    state: str
    games: tuple[str, ...]
    repeats: int
    cells: tuple[GameWorldCellResult, ...]
    suites: tuple[str, ...]
    warnings: tuple[str, ...]
    people: tuple[PaperAgent, ...] = PEOPLE
    rules: dict[str, str] = {str(mode): rule for mode, rule in RULES.items()}
    differences: tuple[str, ...] = DIFFERENCES


def result_of(
    study: GameWorldStudy, played: Summary, sessions: Path, person: tuple[Summary, Path] | None = None
) -> GameWorldResult:
    """Compute a study's results.

    Args:
        sessions: folder of the suite's sessions, whose logs the failure modes are read from.
        person: the suite that a person played, and its sessions; None: nobody did.
    """
    played = _for_one(played)
    cells = [
        _cell(study, played, sessions, cell.name, cell.about).model_copy(
            update={
                "interface": cell.interface,
                "protocol": cell.protocol,
                "rounds": cell.rounds,
                "paper": _paper(cell.interface, cell.protocol, cell.rounds),
            }
        )
        for cell in study.cells
    ]
    cells += [_cell(study, played, sessions, kind, _FLOOR_WORDS[kind]) for kind in FLOORS]
    suites = [played]
    if person is not None:
        suites.append(person[0])
        own = _for_one(person[0])
        cells.append(_cell(study, own, person[1], PERSON, _FLOOR_WORDS[PERSON]))
    states = [summary.state for summary in suites if summary.state != "done"]
    return GameWorldResult(
        study=study.name,
        model=study.model,
        calls=study.calls,
        grammar=study.grammar,
        steps=study.steps,
        state=states[0] if states else "done",
        games=tuple(f"{fact.game}/{fact.task}" for fact in played.facts),
        repeats=study.repeats * study.seeds,
        cells=tuple(cells),
        suites=tuple(summary.suite for summary in suites),
        warnings=tuple(dict.fromkeys(line for summary in suites for line in summary.warnings)),
    )


def _for_one(played: Summary) -> Summary:
    """Return a suite without runs of tasks for two, unless it has no others: no paused agent plays them."""
    runs = tuple(run for run in played.runs if not run.sides)
    return played.model_copy(update={"runs": runs or played.runs})


def _paper(interface: str, protocol: str, rounds: int) -> tuple[PaperAgent, ...]:
    if protocol == "real-time":
        return (REAL_TIME[interface],)
    more = ROUNDS.get((interface, rounds))
    return (*AGENTS[interface], *([more] if more is not None else []))


def _cell(
    study: GameWorldStudy, played: Summary, sessions: Path, name: str, about: str
) -> GameWorldCellResult:
    own = [run for run in played.runs if run.cell.agent == name]
    runs = [run for run in own if run.played]
    result = GameWorldCellResult(cell=name, about=about, runs=len(runs), unplayed=len(own) - len(runs))
    if not runs:
        return result
    invalid: Counter[str] = Counter()
    for run in runs:
        invalid.update(run.invalid)
    modes = [failure_mode(run, steps_of(run, sessions)) for run in runs if not run.success]
    return result.model_copy(
        update={
            "overall": group_of(runs),
            "genres": _grouped(runs, GENRES, lambda run: run.genre),
            "levels": _grouped(runs, range(1, 6), lambda run: run.level),
            "proposed": sum(run.proposed for run in runs),
            "invalid": dict(invalid),
            "tokens": mean_figure(runs, tokens),
            "input_step": mean_figure(runs, lambda run: _each_step(run, _tokens_of(run)[0])),
            "output_step": mean_figure(runs, lambda run: _each_step(run, _tokens_of(run)[1])),
            "step_s": mean_figure(runs, lambda run: _each_step(run, run.seconds)),
            "cost": mean_figure(
                runs, lambda run: cost_of(run, study.price_in, study.price_out, study.price_cached)
            ),
            "failures": dict(Counter(mode for mode in modes if mode is not None)),
        }
    )


def group_of(runs: Sequence[TaskRun]) -> GroupFigures:
    """Return success and progress of some played runs."""
    return GroupFigures(
        runs=len(runs),
        success=share_of(sum(run.success for run in runs), len(runs)),
        progress=mean_figure(runs, lambda run: run.progress, most=1.0),
    )


def _grouped(
    runs: Sequence[TaskRun], keys: Sequence[Key], key: Callable[[TaskRun], Key]
) -> dict[Key, GroupFigures]:
    groups = {name: [run for run in runs if key(run) == name] for name in keys}
    return {name: group_of(group) for name, group in groups.items() if group}


def steps_of(run: TaskRun, sessions: Path) -> list[StepRecord]:
    """Return the steps of a run's log; none where it is not kept."""
    if run.run_id is None:
        return []
    try:
        with contextlib.closing(RunReader(DataFolder(sessions / run.cell.key))) as reader:
            return reader.steps(run.run_id)
    except PitwallError:
        return []


def _tokens_of(run: TaskRun) -> tuple[float, float]:
    tiers = list(run.summary.tiers.values()) if run.summary is not None else []
    return float(sum(tier.prompt_tokens for tier in tiers)), float(sum(tier.output_tokens for tier in tiers))


def cost_of(
    run: TaskRun, price_in: float, price_out: float, price_cached: float | None = None
) -> float | None:
    """Return the money that a run's tokens cost at prices for a million; None where there is no price.

    Args:
        price_cached: for input tokens that came from a cache; None: they cost as much as the others.
    """
    read, written = _tokens_of(run)
    if not (price_in or price_out) or not (read or written):
        return None
    tiers = run.summary.tiers.values() if run.summary is not None else ()
    saved = 0.0 if price_cached is None else price_in - price_cached
    cached = sum(tier.cached_tokens for tier in tiers)
    return (read * price_in - cached * saved + written * price_out) / _MILLION


def _each_step(run: TaskRun, total: float) -> float | None:
    return total / run.steps if run.steps else None
