"""`pitwall suite list`, `show`, `report` and `compare`: what suites came to."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Literal

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.suite.format import level_lines, run_text, summary_lines
from pitwall.cli.terminal import print_safely
from pitwall.suites.folder import open_suite, suites_of
from pitwall.suites.reading import bundled_suites
from pitwall.suites.report.writer import FORMATS, formats_named, write_report
from pitwall.suites.summary import summary_of

SuiteArgument = Annotated[str, typer.Argument(help="Its id, as `pitwall suite list` says.")]


def list_suites(data: DataOption = None, json: JsonOption = False) -> None:
    """List the suites that were run here, and those that come with Pitwall."""
    found = []
    for folder in suites_of(data_folder(data)):
        board, runs = folder.board(), folder.runs()
        found.append(
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
    if json:
        print_json({"suites": found, "bundled": {name: str(file) for name, file in bundled.items()}})
        return
    for one in found:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(float(str(one["at"]))))
        failed = f", {one['failed']} not played" if one["failed"] else ""
        print_safely(
            f"{one['suite']!s:24s} {when}  {one['done']} of {one['of']} runs{failed}  {one['state']}"
        )
    print_safely(f"{'' if found else 'No suite was run here yet. '}Bundled: {', '.join(bundled) or 'none'}")


def show(
    suite: SuiteArgument,
    by: Annotated[
        Literal["summary", "runs", "levels"], typer.Option(help="The whole, every run, or by level.")
    ] = "summary",
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a suite came to, also while it plays."""
    folder = open_suite(data_folder(data), suite)
    summary = summary_of(folder)
    if json:
        board = folder.board()
        print_json({**summary.model_dump(mode="json"), "folder": folder.root, "board": board})
        return
    if by == "runs":
        for run in summary.runs:
            print_safely(f"{run.cell.key}: {run_text(run)}")
        return
    for line in level_lines(summary) if by == "levels" else summary_lines(summary):
        print_safely(line)


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
    if json:
        print_json({"suite": suite, "files": files})
    else:
        for file in files:
            print_safely(str(file))


def compare(
    a: SuiteArgument,
    b: Annotated[str, typer.Argument(help="The other one's id.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Compare two suites, agent by agent, on the tasks both played: which differences are none."""
    from pitwall.suites.comparison import compare_suites

    folder = data_folder(data)
    runs_a, runs_b = (summary_of(open_suite(folder, one)).runs for one in (a, b))
    found = compare_suites(a, runs_a, b, runs_b)
    if json:
        print_json({"a": a, "b": b, "comparisons": found})
        return
    for one in found:
        print_safely(one.verdict)
    if not found:
        print_safely(f"{a} and {b} have no task in common that both played.")
