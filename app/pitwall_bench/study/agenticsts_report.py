"""The report of an AgenticSTS study: the paper's tables with ours, as text and as one HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pitwall.core.quantities import NONE, share
from pitwall_bench.study.agenticsts_paper import SENTENCES, StsPaperRow
from pitwall_bench.study.agenticsts_results import FisherTest, LearningStep, StsCellResult, StsResult
from pitwall_bench.study.report_parts import (
    ReportTable,
    cells_section,
    ending_lines,
    ending_sections,
    suites_section,
    table_lines,
    table_sections,
)
from pitwall_bench.study.sheet import StudySheet, tables
from pitwall_bench.suites.report.figure_format import interval, share_text
from pitwall_bench.suites.statistics import share_of
from pitwall_evaluation.html_report import study_page

CELLS_HEAD = ("cell", "runs", "success", "Wilson 95 %", "exact 95 %", "score", "mean's 95 %", "memory")
LEARNING_HEAD = ("run", "success", "score", "memory after", "accepted", "retired")
PROMPT_HEAD = (
    "cell",
    "calls a run",
    "first prompt",
    "last prompt",
    "first quarter",
    "last quarter",
    "growth",
    "mean prompt",
)
SECONDS = {
    "strategic": "strategic call",
    "fast": "fast call",
    "analysis": "analysis call",
    "evolution": "evolution call",
    "step": "step",
}
LADDER_HEAD = ("agent", "climbs", "rungs climbed", "of", "attempts of each rung")
_HASH = 12
_Rows = list[tuple[str, ...]]


def tables_of(result: StsResult) -> Iterator[tuple[str, tuple[str, ...], _Rows, str]]:
    """Return each table of the report: title, head, rows and a sentence below it."""
    rows = [row for cell in result.cells for row in (_cell_row(cell), _paper_row(cell.paper))]
    yield "Cells", CELLS_HEAD, rows, " ".join([*map(_test, result.tests), SENTENCES["fisher"]])
    yield "The learner, run by run", LEARNING_HEAD, list(map(_learning_row, result.learning)), _halves(result)
    climbs: _Rows = [
        (
            row.agent,
            str(len(row.ends)),
            NONE if row.mean is None else f"{row.mean:.2f}",
            str(row.of),
            ", ".join(f"{rung.task} {rung.wins}/{rung.attempts}" for rung in row.rungs),
        )
        for row in result.climbs
    ]
    yield "The ladder with learning and without", LADDER_HEAD, climbs, SENTENCES["ladder"]
    prompts = [row for cell in result.cells if (row := _prompt_row(cell)) is not None]
    yield "Tokens of a strategic prompt", PROMPT_HEAD, prompts, SENTENCES["tokens"]
    times = [_seconds_row(cell) for cell in result.cells if cell.seconds]
    yield "Seconds of a decision", ("cell", *SECONDS.values()), times, SENTENCES["seconds"]


def _cell_row(cell: StsCellResult) -> tuple[str, ...]:
    if cell.why:
        return (cell.cell, f"not played: {cell.why}", *[NONE] * 6)
    unplayed = f" +{cell.unplayed} not played" if cell.unplayed else ""
    score = cell.score
    return (
        cell.cell,
        f"{cell.runs}{unplayed}",
        share_text(cell.success),
        interval(cell.success),
        interval(cell.success, exact=True),
        NONE if score is None else f"{score.mean:.1f}",
        NONE if score is None else f"{score.low:.1f} … {score.high:.1f}",
        cell.memory[:_HASH] or NONE,
    )


def _paper_row(row: StsPaperRow | None) -> tuple[str, ...]:
    if row is None:
        return ("the paper has none", *[NONE] * 7)
    figure = share_of(row.wins, row.runs)
    bounds = NONE if row.low is None else f"{row.low:.1f} … {row.high:.1f}"
    exact = interval(figure, exact=True)
    return (
        f"the paper, {row.table}",
        str(row.runs),
        share_text(figure),
        interval(figure),
        exact,
        f"{row.score:.1f}",
        bounds,
        NONE,
    )


def _test(test: FisherTest) -> str:
    return (
        f"{test.a} {test.wins_a}/{test.runs_a} against {test.b} {test.wins_b}/{test.runs_b}: "
        f"Fisher's exact p = {test.p:.3f}."
    )


def _learning_row(step: LearningStep) -> tuple[str, ...]:
    won = "yes" if step.success else "no"
    skills = (", ".join(step.accepted) or NONE, ", ".join(step.retired) or NONE)
    return (step.run, won, f"{step.score:.1f}", step.memory[:_HASH], *skills)


def _halves(result: StsResult) -> str:
    """Compare the first half of the learner's runs with the second."""
    middle = len(result.learning) // 2
    if not middle:
        return "Too few runs to compare."
    halves = [result.learning[:middle], result.learning[-middle:]]
    first, second = (share_of(sum(step.success for step in half), len(half)) for half in halves)
    return (
        f"First half: {share_text(first)}, 95 % {interval(first)}; second half: {share_text(second)}, 95 % "
        f"{interval(second)}. Skills accepted: {sum(len(step.accepted) for step in result.learning)}."
    )


def _prompt_row(cell: StsCellResult) -> tuple[str, ...] | None:
    prompt = cell.prompt
    if prompt is None:
        return None
    growth = share(prompt.late / prompt.early - 1) if prompt.early else NONE
    sizes = (prompt.first, prompt.last, prompt.early, prompt.late)
    figures = (f"{prompt.calls:.1f}", *(f"{size:,.0f}" for size in sizes))
    return (cell.cell, *figures, growth, f"{prompt.mean:,.0f}")


def _seconds_row(cell: StsCellResult) -> tuple[str, ...]:
    times = (cell.seconds.get(name) for name in SECONDS)
    return (cell.cell, *(NONE if time is None else f"{time:.2f}" for time in times))


def sheet_of(result: StsResult, page: str) -> StudySheet:
    """Return the study as its folder keeps it."""
    title = f"AgenticSTS's study with {result.model or 'no model'}: {result.task}"
    verdict = " ".join([*map(_test, result.tests), _halves(result)])
    return StudySheet(
        title=title, verdict=verdict, suites=result.suites, page=page, tables=tables(tables_of(result))
    )


def text_lines(result: StsResult, table: Callable[..., Iterator[str]]) -> Iterator[str]:
    """Format a study for a terminal. table: aligns a head and rows."""
    yield f"{result.study}: {result.model or 'no model'}, {result.task}, {result.seeds} seeds, {result.state}"
    yield from table_lines(_filled(result), table)
    yield from ending_lines(result)


def html_of(result: StsResult) -> str:
    """Write the page."""
    return study_page(f"AgenticSTS's study with {result.model or 'no model'}", _sections(result))


def _sections(result: StsResult) -> Iterator[str]:
    yield suites_section(result, result.task)
    yield cells_section((cell.cell, cell.about) for cell in result.cells)
    yield from table_sections(_filled(result))
    yield from ending_sections(result)


def _filled(result: StsResult) -> Iterator[ReportTable]:
    """Return the tables that have rows."""
    return (part for part in tables_of(result) if part[2])
