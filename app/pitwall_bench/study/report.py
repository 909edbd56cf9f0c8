"""A study's report: a table for each part, as text and as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from pitwall.core.quantities import NONE, counted, share
from pitwall_bench.study.paper import PaperRow
from pitwall_bench.study.report_parts import ending_lines, ending_sections, suites_section
from pitwall_bench.study.results import CellResult, StudyResult
from pitwall_bench.study.sheet import StudySheet, tables
from pitwall_bench.study.spike_grid import PARTS
from pitwall_bench.suites.report.figure_format import interval, share_text
from pitwall_bench.suites.statistics import Mean, Share
from pitwall_evaluation.html_report import figure_cells, figure_table, study_page

TITLES = {
    "baselines": "Baselines",
    "trigger": "Trigger",
    "routing": "Who decides when",
    "memory": "Memory",
}
HEAD = (
    "cell",
    "runs",
    "success",
    "Budgeted SR",
    "progress",
    "tokens/run",
    "tokens/step",
    "s/step",
    "strategic/step",
    "recovery/stuck",
    "by the model",
)


def rows_of(result: StudyResult, part: str) -> Iterator[tuple[CellResult, tuple[str, ...], tuple[str, ...]]]:
    """Return each cell of a part with its figures and the paper's, in the order of `HEAD`.

    SPIKE's own cell leads each part: it is what the others are compared with.
    """
    for cell in result.cells:
        if cell.part == part or cell.cell == "spike":
            yield cell, _figures(cell), _paper_figures(cell.paper)


def _figures(cell: CellResult) -> tuple[str, ...]:
    runs = f"{cell.runs}{f' +{cell.unplayed} not played' if cell.unplayed else ''}"
    return (
        cell.cell,
        runs,
        _share(cell.success),
        _share(cell.budgeted),
        _mean(cell.progress, 2),
        _mean(cell.tokens, 0),
        _mean(cell.tokens_step, 0),
        _mean(cell.step_s, 2),
        _mean(cell.strategic_step, 2),
        "no stuck events" if cell.ratio is None and cell.runs else _mean(cell.ratio, 2),
        share(cell.own),
    )


def _paper_figures(row: PaperRow | None) -> tuple[str, ...]:
    if row is None:
        return ("the paper has none", *[NONE] * (len(HEAD) - 1))
    per_run = f"{row.tokens_k:g}k" if row.tokens_k is not None else NONE
    figures = (f"{row.success:g} %", _plain(row.budgeted, " %"), NONE, per_run, NONE)
    others = (_plain(row.step_s), _plain(row.strategic_step), _plain(row.ratio), NONE)
    return (f"the paper: {row.name}, {row.table}", NONE, *figures, *others)


def _plain(value: float | None, unit: str = "") -> str:
    return NONE if value is None else f"{value:g}{unit}"


def _share(figure: Share | None) -> str:
    return NONE if figure is None else f"{share_text(figure)} [{interval(figure, exact=True)}]"


def _mean(figure: Mean | None, digits: int) -> str:
    if figure is None:
        return NONE
    if figure.n == 1:  # one run has no interval
        return f"{figure.mean:,.{digits}f}"
    low, high = (f"{bound:,.{digits}f}" for bound in (figure.low, figure.high))
    return f"{figure.mean:,.{digits}f} [{low} … {high}]"


def sheet_of(result: StudyResult, page: str) -> StudySheet:
    """Return the study as its folder keeps it."""
    parts = (
        (TITLES[part], HEAD, [line for _, own, paper in rows_of(result, part) for line in (own, paper)], "")
        for part in _parts(result)
    )
    title = f"SPIKE's study with {result.model}"
    return StudySheet(
        title=title, verdict=result.about, suites=result.suites, page=page, tables=tables(parts)
    )


def text_lines(result: StudyResult, table: Callable[..., Iterator[str]]) -> Iterator[str]:
    """Format a study for a terminal. table: aligns a head and rows."""
    yield f"{result.study}: {result.model}, {_about(result)}, {result.state}"
    yield result.about
    for part in _parts(result):
        rows = [line for cell, own, paper in rows_of(result, part) for line in (own, _short(cell, paper))]
        yield from ("", TITLES[part], *table(HEAD, rows))
    yield from ending_lines(result)


def _about(result: StudyResult) -> str:
    return f"{', '.join(result.games)}, {counted(result.seeds, 'seed')}"


def _short(cell: CellResult, paper: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paper's line for a terminal, which has no room for the row's name."""
    return (f"the paper, {cell.paper.table}" if cell.paper is not None else paper[0], *paper[1:])


def _parts(result: StudyResult) -> list[str]:
    """Return the parts that have a cell beside SPIKE's own."""
    there = {cell.part for cell in result.cells if cell.cell != "spike"}
    return [part for part in PARTS if part in there] or ["baselines"]


def html_of(result: StudyResult) -> str:
    """Write the page."""
    return study_page(f"SPIKE's study with {result.model}", _sections(result))


def _sections(result: StudyResult) -> Iterator[str]:
    yield f"<p>{escape(result.about)}</p>"
    yield suites_section(result, _about(result))
    yield (
        "<p>Each cell has two lines: what was measured here, with 95 % intervals over runs (shares: Clopper "
        "and Pearson; means: Student's t up to five runs, else bootstrap), and what the paper reports.</p>"
    )
    for part in _parts(result):
        yield _table(result, part)
    yield from ending_sections(result)


def _table(result: StudyResult, part: str) -> str:
    rows = []
    for cell, own, paper in rows_of(result, part):
        about = f'{escape(own[0])}<br><span class="dim">{escape(cell.about)}</span>'
        rows.append(f'<tr><th scope="row" class="wide">{about}</th>{figure_cells(own[1:])}</tr>')
        rows.append(f'<tr class="dim"><td class="wide">{escape(paper[0])}</td>{figure_cells(paper[1:])}</tr>')
    return f"<section>\n<h2>{TITLES[part]}</h2>\n{figure_table(HEAD, rows)}\n</section>"
