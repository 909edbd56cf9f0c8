"""The report of a GameWorld study: the paper's tables with ours, as text and as one HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pitwall.core.actions import Invalid
from pitwall.core.quantities import NONE, share
from pitwall_bench.study.gameworld_failures import MODES
from pitwall_bench.study.gameworld_paper import PaperAgent
from pitwall_bench.study.gameworld_results import GameWorldCellResult, GameWorldResult, GroupFigures
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
from pitwall_bench.suites.statistics import GENRES, Mean
from pitwall_evaluation.html_report import study_page

_LEVELS = ("timing", "reaction", "navigation", "strategy", "management")
RESULT_HEAD = ("cell", "runs", *(f"{genre} SR / PG" for genre in GENRES), "SR", "PG")
LEVEL_HEAD = ("cell", *(f"level {i + 1}, {name}" for i, name in enumerate(_LEVELS)))
INVALID_HEAD = ("cell", "proposed", "IAR", "no call", "malformed", "out of space")
COST_HEAD = ("cell", "tokens/run", "input/step", "output/step", "s/step", "cost/run", "PG")
FAILURE_HEAD = ("cell", "failed", *MODES)


def tables_of(result: GameWorldResult) -> Iterator[ReportTable]:
    """Return each table of the report: title, head, rows and a sentence below it."""
    rows = [row for cell in result.cells for row in (_result_row(cell), *map(_paper_result, cell.paper))]
    people = [_paper_result(row) for row in result.people]
    yield "Success rate and progress", RESULT_HEAD, [*rows, *people], _ABOUT_RESULTS
    levels = [_level_row(cell) for cell in result.cells if cell.runs]
    yield (
        "Progress by curriculum level",
        LEVEL_HEAD,
        levels,
        "Level 1 is the easiest kind of skill, 5 the widest.",
    )
    invalid = [row for cell in result.cells for row in _invalid_rows(cell)]
    bound = "Replies were bound by a grammar or schema." if result.grammar else "No grammar bound a reply."
    yield "Invalid actions", INVALID_HEAD, invalid, f"{bound} Calls were written as {result.calls}."
    costs = [row for cell in result.cells for row in _cost_rows(cell)]
    yield "Memory rounds, tokens and time", COST_HEAD, costs, "Figures are means of runs."
    failures = [_failure_row(cell) for cell in result.cells if cell.runs and cell.interface]
    rules = " ".join(f"{mode}: {rule}." for mode, rule in result.rules.items())
    yield "Failure modes", FAILURE_HEAD, failures, f"The first rule that holds labels a failed run. {rules}"


_ABOUT_RESULTS = (
    "SR: share of runs that reach the target, 95 % by Clopper and Pearson. PG: mean progress, 95 % by "
    "Student's t of two to five runs, by bootstrap of more. Both in per cent."
)


def _result_row(cell: GameWorldCellResult) -> tuple[str, ...]:
    unplayed = f" +{cell.unplayed} not played" if cell.unplayed else ""
    genres = (_both(cell.genres.get(genre)) for genre in GENRES)
    overall = cell.overall
    success = NONE
    if overall is not None:
        success = f"{share_text(overall.success)} [{interval(overall.success, exact=True)}]"
    return (cell.cell, f"{cell.runs}{unplayed}", *genres, success, _progress(overall))


def _paper_result(row: PaperAgent) -> tuple[str, ...]:
    genres = (f"{pair[0]:g} / {pair[1]:g}" if (pair := row.genres.get(genre)) else NONE for genre in GENRES)
    success = NONE if row.success is None else f"{row.success:g}"
    return (f"the paper: {row.name}, {row.table}", NONE, *genres, success, f"{row.progress:g}")


def _both(group: GroupFigures | None) -> str:
    if group is None:
        return NONE
    progress = NONE if group.progress is None else f"{100 * group.progress.mean:.1f}"
    return f"{100 * group.success.share:.1f} / {progress}"


def _progress(group: GroupFigures | None) -> str:
    if group is None or group.progress is None:
        return NONE
    mean = group.progress
    bounds = f" [{100 * mean.low:.1f} … {100 * mean.high:.1f}]" if mean.n > 1 else ""
    return f"{100 * mean.mean:.1f}{bounds}"


def _level_row(cell: GameWorldCellResult) -> tuple[str, ...]:
    return (cell.cell, *(_progress(cell.levels.get(level)) for level in range(1, 6)))


def _invalid_rows(cell: GameWorldCellResult) -> Iterator[tuple[str, ...]]:
    if not cell.interface:
        return
    rates = (cell.rate(kind) for kind in (None, Invalid.NO_CALL, Invalid.MALFORMED, Invalid.OUT_OF_SPACE))
    yield (cell.cell, f"{cell.proposed:,}", *(share(rate) for rate in rates))
    for row in cell.paper:
        if row.invalid is not None:
            figures = (_percent(row.invalid), _percent(row.no_call), NONE, _percent(row.outside))
            yield (f"the paper: {row.name}, Table 11", NONE, *figures)


def _percent(value: float | None) -> str:
    if value is None:
        return NONE
    return "< 0.1 %" if value == 0.05 else f"{value:g} %"


def _cost_rows(cell: GameWorldCellResult) -> Iterator[tuple[str, ...]]:
    if not cell.interface:
        return
    counts = (_mean(figure, 0) for figure in (cell.tokens, cell.input_step, cell.output_step))
    yield (cell.cell, *counts, _mean(cell.step_s, 2), _mean(cell.cost, 4), _progress(cell.overall))
    for row in cell.paper:
        if row.step_s is not None:
            read = NONE if row.input_tokens is None else f"{row.input_tokens:,.0f}"
            figures = (NONE, read, NONE, f"{row.step_s:g}", NONE, f"{row.progress:g}")
            yield (f"the paper: {row.name}, {row.table}", *figures)


def _mean(figure: Mean | None, digits: int) -> str:
    return NONE if figure is None else f"{figure.mean:,.{digits}f}"


def _failure_row(cell: GameWorldCellResult) -> tuple[str, ...]:
    counts = (str(cell.failures.get(mode, 0)) for mode in MODES)
    return (cell.cell, str(sum(cell.failures.values())), *counts)


def sheet_of(result: GameWorldResult, page: str) -> StudySheet:
    """Return the study as its folder keeps it."""
    title = f"GameWorld's study with {result.model}"
    return StudySheet(title=title, suites=result.suites, page=page, tables=tables(tables_of(result)))


def text_lines(result: GameWorldResult, table: Callable[..., Iterator[str]]) -> Iterator[str]:
    """Format a study for a terminal. table: aligns a head and rows."""
    yield f"{result.study}: {result.model}, {', '.join(result.games)}, {result.state}"
    yield from table_lines(tables_of(result), table)
    yield from ending_lines(result)


def html_of(result: GameWorldResult) -> str:
    """Write the page."""
    return study_page(f"GameWorld's study with {result.model}", _sections(result))


def _sections(result: GameWorldResult) -> Iterator[str]:
    yield suites_section(result, ", ".join(result.games))
    yield cells_section((cell.cell, cell.about) for cell in result.cells)
    yield from table_sections(tables_of(result))
    yield from ending_sections(result)
