"""Formats suites, runs and rows for `pitwall suite`."""

from __future__ import annotations

from collections.abc import Iterator

from pitwall.cli.reporter import table
from pitwall.core.quantities import NONE, left, share, tally
from pitwall_bench.suites.human_normalised import PROTOCOL, SOURCE, HumanRow
from pitwall_bench.suites.report.figure_format import deciders_text, interval, mean_text, share_text
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.statistics import LEVELS, Row
from pitwall_bench.suites.summary import ClimbRow, Summary

_MOST_WHY = 160


def run_line(run: TaskRun, board: SuiteProgress) -> str:
    """Format a finished run on one line, with the time left."""
    cell = run.cell
    wave = f" wave {cell.wave + 1}" if cell.wave else ""
    climb = f" rung {cell.rung + 1}, attempt {cell.attempt + 1}" if cell.rung >= 0 else ""
    head = f"[{board.done}/{board.of}] {cell.game}/{cell.task} {cell.agent} seed {cell.seed}{wave}{climb}"
    remaining = f" · {left(board.left_s)}" if board.left_s else ""
    return f"{head}: {run_text(run)}{remaining}"


def run_text(run: TaskRun) -> str:
    """Describe a run's result in one line."""
    if not run.played:
        return f"not played ({run.ended.replace('_', ' ')}): {shortened(run.why)}"
    score = "" if run.score is None else f" ({run.score:g} of {_number(run.target)} {run.unit}".rstrip() + ")"
    read = "" if run.verified else ", read from pixels"
    wrong = sum(run.invalid.values())
    invalid = f", {wrong} of {run.proposed} actions invalid" if wrong else ""
    won = "success" if run.success else f"progress {share(run.progress)}"
    return f"{won}{score} in {run.steps} steps, {run.seconds:.1f} s{invalid}{read} · {_ENDS[run.ended]}"


_ENDS = {
    "target": "target reached",
    "terminal": "game over",
    "end_field": "the task's end",
    "steps": "steps spent",
    "time": "time over",
    "calls": "model calls spent",
    "tokens": "tokens spent",
}


def summary_lines(summary: Summary) -> Iterator[str]:
    """Format a whole suite: tasks, agents, climbs, comparisons, and runs that were not played."""
    yield f"{summary.suite}: {summary.done} of {summary.of} runs, {summary.state}"
    if summary.tasks:
        yield ""
        yield from table(_TASK_HEAD, [_task_cells(row) for row in summary.tasks])
    if summary.agents:
        yield ""
        yield from table(_AGENT_HEAD, [_agent_cells(row) for row in summary.agents])
        yield ""
        yield from table(_CONTROL_HEAD, [_control_cells(row) for row in summary.agents])
    yield from (f"Warning: {warning}" for warning in summary.warnings)
    if summary.human:
        yield ""
        yield from table(_HUMAN_HEAD, [_human_cells(row) for row in summary.human])
        yield from (level.words for level in summary.human_levels)
        yield from (SOURCE, PROTOCOL)
    for row in summary.climbs:
        yield ""
        yield from climb_lines(row)
    if summary.comparisons:
        yield ""
        yield from (comparison.verdict for comparison in summary.comparisons)
    if summary.unplayed:
        yield ""
        yield f"not played: {len(summary.unplayed)}"
        yield from (
            f"  {unplayed.key}: {unplayed.ended}: {shortened(unplayed.why)}" for unplayed in summary.unplayed
        )


_TASK_HEAD = ("task", "agent", "runs", "success", "95 %", "progress", "95 %", "steps", "invalid", "refused")
_AGENT_HEAD = ("agent", "runs", "not played", "success", "95 % exact", "progress", "95 %", "s/step", "tokens")


_HUMAN_HEAD = ("Atari game", "agent", "runs", "score", "human-normalised", "95 %", "random", "human", "DQN")


def _human_cells(row: HumanRow) -> tuple[str, ...]:
    return (
        *(row.game, row.agent, str(row.score.n), f"{row.score.mean:,.1f}"),
        *(mean_text(row.normalised), interval(row.normalised)),
        *(f"{figure:,g}" for figure in (row.random, row.human, row.dqn)),
    )


def _task_cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.game}/{row.task}",
        row.agent,
        f"{row.runs}{f' +{sum(row.unplayed.values())} not' if row.unplayed else ''}",
        share_text(row.success),
        interval(row.success),
        mean_text(row.progress),
        interval(row.progress),
        f"{row.steps:.0f}",
        tally(row.invalid, "0") if row.proposed else "none proposed",
        tally(row.refusals, "0"),
    )


def _agent_cells(row: Row) -> tuple[str, ...]:
    return (
        row.agent,
        str(row.runs),
        tally(row.unplayed, "0"),
        share_text(row.success),
        interval(row.success, exact=True),
        mean_text(row.progress),
        interval(row.progress),
        NONE if row.step_s is None else f"{row.step_s:.2f}",
        f"{row.cost.tokens:.0f}" if row.cost else NONE,
    )


_CONTROL_HEAD = (
    *("agent", "decided by", "within calls", "strategic/step", "tokens/step", "stuck", "recovered", "ratio"),
)


def _control_cells(row: Row) -> tuple[str, ...]:
    return (
        row.agent,
        deciders_text(row),
        share_text(row.budgeted),
        NONE if row.strategic_step is None else f"{row.strategic_step:.2f}",
        NONE if row.tokens_step is None else f"{row.tokens_step:.0f}",
        NONE if row.stuck is None else share(row.stuck),
        NONE if row.recovery is None else share(row.recovery),
        "no stuck events" if row.recovery_ratio is None else f"{row.recovery_ratio:.2f}",
    )


def level_lines(summary: Summary) -> Iterator[str]:
    """Format success and progress by agent and curriculum level."""
    head = ("level", "agent", "runs", "success", "95 % exact", "progress", "95 %")
    rows = [
        (
            f"{row.level} {LEVELS.get(row.level, '')}",
            row.agent,
            str(row.runs),
            share_text(row.success),
            interval(row.success, exact=True),
            mean_text(row.progress),
            interval(row.progress),
        )
        for row in summary.levels
    ]
    yield from table(head, rows)


def climb_lines(row: ClimbRow) -> Iterator[str]:
    """Format an agent's climbs of a ladder."""
    mean = "none is over" if row.mean is None else f"{row.mean:.2f} of {row.of} rungs on average"
    still = f", {row.open} still climbing" if row.open else ""
    yield f"{row.agent} on the ladder of {row.game}: {mean} ({len(row.ends)} climbs{still})"
    for number, rung in enumerate(row.rungs, 1):
        yield f"  {number}. {rung.task}: won {rung.wins} of {rung.attempts}"


def shortened(text: str) -> str:
    """Return the text as one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_WHY else f"{line[:_MOST_WHY]}…"


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"
