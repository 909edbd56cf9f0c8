"""`pitwall suite`: plays suites, and stops them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pitwall.cli.options import INTERRUPTED, DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.cli.stop_request import stop_requested
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import left
from pitwall_bench.cli.suite.format import run_line, summary_lines
from pitwall_bench.cli.suite.memory import adopt, memory
from pitwall_bench.cli.suite.new import FileArgument, cells, check, new
from pitwall_bench.cli.suite.show import compare, list_suites, report, show
from pitwall_bench.suites.folder import SuiteFolder, open_suite
from pitwall_bench.suites.reading import read_suite, suite_file
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.summary import summary_of
from pitwall_evaluation.aside import start_aside
from pitwall_evaluation.ray_cluster import WORKERS_HELP

_STOPPING_S = 90.0


def run(
    file: FileArgument,
    as_: Annotated[str, typer.Option("--as", help="Keep it under this id; default: the suite's name.")] = "",
    parallel: Annotated[
        int | None, typer.Option(min=1, max=64, help="Sessions side by side; default: the suite's.")
    ] = None,
    workers: Annotated[str, typer.Option(help=WORKERS_HELP)] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Set earlier results aside and play everything again.")
    ] = False,
    failed_again: Annotated[
        bool, typer.Option("--failed-again", help="Play again what could not be played.")
    ] = False,
    keep_frames: Annotated[
        bool, typer.Option("--keep-frames", help="Keep pictures of the steps in each session.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Start it aside; it outlives this command.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a suite. Ctrl+C ends it cleanly; the same command continues where it ended."""
    from pitwall_bench.playing.play import play_suite

    folder, path = data_folder(data), suite_file(file)
    plan = read_suite(path, folder)
    report = Reporter(json)
    if detach:
        more = ["--parallel", str(parallel)] if parallel is not None else []
        more += ["--workers", workers] if workers else []
        wanted = {"--fresh": fresh, "--failed-again": failed_again, "--keep-frames": keep_frames}
        more += [option for option, asked in wanted.items() if asked]
        _detached(folder, path, as_ or plan.spec.name, more, report)
        return
    with stop_requested() as stopping:
        played = play_suite(
            plan,
            folder,
            suite=as_,
            file=str(path),
            workers=workers,
            parallel=parallel,
            fresh=fresh,
            failed_again=failed_again,
            keep_frames=keep_frames,
            on_begin=lambda board: _begun(report, board),
            on_run=lambda run, board: _finished(report, run, board),
            should_stop=stopping,
        )
    summary = summary_of(played.folder)
    body: dict[str, Any] = {"folder": played.folder.root, "kept": played.kept, "aside": played.aside}
    kept = f"kept in {played.folder.root}; report: pitwall suite report {played.folder.suite}"
    lines = ["", *summary_lines(summary), "", kept]
    report.result({**body, **summary.model_dump(mode="json")}, lines)
    if played.board.state == "stopped":
        raise typer.Exit(INTERRUPTED)


def stop(
    suite: Annotated[str, typer.Argument(help="Its id.")],
    wait: Annotated[bool, typer.Option(help="Until everything it started is gone.")] = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Stop a running suite: its runs end cleanly, and finished ones are kept."""
    folder = open_suite(data_folder(data), suite)
    playing = folder.holder() is not None
    if playing:
        folder.stop.touch()
    until_s = time.monotonic() + _STOPPING_S
    while wait and playing and folder.holder() is not None and time.monotonic() < until_s:
        time.sleep(0.1)
    gone = folder.holder() is None
    state = ("is stopped" if gone else "is asked to stop") if playing else "does not play"
    body = {"suite": suite, "played": playing, "stopped": playing and gone}
    Reporter(json).result(body, [f"{suite} {state}."])


def _detached(data: DataFolder, file: Path, suite: str, more: Sequence[str], report: Reporter) -> None:
    """Start `pitwall suite run` in the background, and wait until its board reports."""
    began_s, output = time.time(), data.logs / f"suite-{suite}.log"

    def lives() -> bool:
        board = SuiteFolder(data, suite).board()
        return board is not None and board.at >= began_s - 1

    arguments = ["suite", "run", str(file), "--as", suite, *more, "--data", str(data.root)]
    pid = start_aside(arguments, output, lives)
    line = f"{suite} plays as process {pid}; follow it: pitwall suite show {suite}"
    report.result({"suite": suite, "pid": pid, "output": output}, [line])


def _begun(report: Reporter, board: SuiteProgress) -> None:
    remaining = f"; {left(board.left_s)}" if board.left_s else ""
    kept = f", {board.done} of them finished before{remaining}" if board.done else ""
    body = {"progress": board.done, "of": board.of, "left_s": board.left_s}
    report.event(body, f"{board.of} runs{kept}")


def _finished(report: Reporter, run: TaskRun, board: SuiteProgress) -> None:
    result = run.model_dump(mode="json", exclude={"summary"})
    colour = "green" if run.success else None if run.played else "red"
    body = {"progress": board.done, "of": board.of, "left_s": board.left_s, "run": result}
    report.event(body, Line(run_line(run, board), colour=colour))


app = command_group(
    "Suites: tasks × agents × seeds × repeats, played, counted and compared.",
    list_suites,
    *(run, stop, show, report, compare, memory, adopt, cells, check, new),
)
