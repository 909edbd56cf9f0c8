"""`pitwall suite list`, `show`, `report` and `compare`: the results of suites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.quantities import date_time
from pitwall_bench.cli.suite.format import level_lines, run_text, summary_lines
from pitwall_bench.suites.folder import open_suite, suites_of
from pitwall_bench.suites.reading import bundled_suites
from pitwall_bench.suites.report.writer import FORMATS, formats_named, write_report
from pitwall_bench.suites.summary import summary_of

SuiteArgument = Annotated[str, typer.Argument(help="Its id, as `pitwall suite list` says.")]


def list_suites(
    game: Annotated[str, typer.Option("--game", help="Id of a game; empty: every game.")] = "",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """List the suites that were run here, and the bundled ones."""
    summaries = []
    for folder in suites_of(data_folder(data)):
        board, runs = folder.board(), folder.runs()
        if game and game not in {run.cell.game for run in runs.values()}:
            continue
        summaries.append(
            {
                "suite": folder.suite,
                "state": board.state if board else "stopped",
                "done": len(runs),
                "of": max(board.of if board else 0, len(runs)),
                "failed": sum(not run.played for run in runs.values()),
                "at": folder.begun().at,
                "folder": folder.root,
            }
        )
    bundled = bundled_suites()
    none = "" if summaries else "No suite was run here yet. "
    Reporter(json).result(
        {"suites": summaries, "bundled": {name: str(file) for name, file in bundled.items()}},
        [*map(_suite_line, summaries), f"{none}Bundled: {', '.join(bundled) or 'none'}"],
    )


def _suite_line(suite: dict[str, object]) -> str:
    when = date_time(float(str(suite["at"])))
    failed = f", {suite['failed']} not played" if suite["failed"] else ""
    return f"{suite['suite']!s:24s} {when}  {suite['done']} of {suite['of']} runs{failed}  {suite['state']}"


def show(
    suite: SuiteArgument,
    by: Annotated[
        Literal["summary", "runs", "levels"], typer.Option(help="The whole, every run, or by level.")
    ] = "summary",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show a suite's results, also while it plays."""
    folder = open_suite(data_folder(data), suite)
    summary = summary_of(folder)
    lines = {
        "runs": (f"{run.cell.key}: {run_text(run)}" for run in summary.runs),
        "levels": level_lines(summary),
        "summary": summary_lines(summary),
    }
    body = {**summary.model_dump(mode="json"), "folder": folder.root, "board": folder.board()}
    Reporter(json).result(body, lines[by])


def report(
    suite: SuiteArgument,
    against: Annotated[str, typer.Option(help="Another suite, to compare with.")] = "",
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", help=f"Repeatable: {', '.join(FORMATS)}. Default: all."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default: report/ in the suite's own.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Write a suite's report: one HTML page that needs no network, CSV, JSON and LaTeX tables."""
    folder = data_folder(data)
    this = open_suite(folder, suite)
    other = summary_of(open_suite(folder, against)) if against else None
    files = write_report(summary_of(this), out or this.root / "report", formats_named(formats or []), other)
    Reporter(json).result({"suite": suite, "files": files}, map(str, files))


def compare(
    a: SuiteArgument,
    b: Annotated[str, typer.Argument(help="The other one's id.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Compare two suites, agent by agent, on the tasks both played, and say which differences are noise."""
    from pitwall_bench.suites.comparison import compare_suites

    folder = data_folder(data)
    runs_a, runs_b = (summary_of(open_suite(folder, name)).runs for name in (a, b))
    comparisons = compare_suites(a, runs_a, b, runs_b)
    none = [f"{a} and {b} have no task in common that both played."]
    body = {"a": a, "b": b, "comparisons": comparisons}
    Reporter(json).result(body, [comparison.verdict for comparison in comparisons] or none)
