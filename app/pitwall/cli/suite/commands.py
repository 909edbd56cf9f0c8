"""`pitwall suite`: plays suites, and stops them."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder, print_json
from pitwall.cli.suite import new as suite_new
from pitwall.cli.suite import show as suite_show
from pitwall.cli.suite.format import duration, run_line, summary_lines
from pitwall.cli.terminal import print_safely
from pitwall.suites.folder import open_suite
from pitwall.suites.reading import read_suite, suite_file
from pitwall.suites.results import SuiteProgress, TaskRun
from pitwall.suites.summary import summary_of

app = typer.Typer(
    help="Suites: tasks × agents × seeds × repeats, played, counted and compared.",
    invoke_without_command=True,
)
app.command("list")(suite_show.list_suites)
app.command("show")(suite_show.show)
app.command("report")(suite_show.report)
app.command("compare")(suite_show.compare)
app.command("cells")(suite_new.cells)
app.command("check")(suite_new.check)
app.command("new")(suite_new.new)

FileArgument = Annotated[str, typer.Argument(help="A suite's YAML file, or the name of a bundled one.")]
_STOPPING_S = 90.0
_INTERRUPTED = 130


@app.callback()
def suite(context: typer.Context, data: DataOption = None, json: JsonOption = False) -> None:
    """List the suites there are."""
    if context.invoked_subcommand is None:
        suite_show.list_suites(data=data, json=json)


@app.command("run")
def run(
    file: FileArgument,
    as_: Annotated[str, typer.Option("--as", help="Keep it under this id; default: the suite's name.")] = "",
    parallel: Annotated[
        int | None, typer.Option(min=1, max=64, help="Sessions side by side; default: the suite's.")
    ] = None,
    workers: Annotated[
        str,
        typer.Option(help="Who plays, beside this machine's own processes: local-ray, or ray://HOST:PORT."),
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Set earlier results aside and play everything anew.")
    ] = False,
    failed_again: Annotated[
        bool, typer.Option("--failed-again", help="Play again what could not be played.")
    ] = False,
    keep_frames: Annotated[
        bool, typer.Option("--keep-frames", help="Keep pictures of the steps in each session.")
    ] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Play a suite. Ctrl+C ends it cleanly; asked for again, it goes on where it was."""
    from pitwall.evaluation.suites.play import play_suite

    folder, path = data_folder(data), suite_file(file)
    plan = read_suite(path, folder)
    told = _Told(json)
    with _asked_to_stop() as stop:
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
            on_begin=told.begun,
            on_run=told.run,
            should_stop=lambda: bool(stop),
        )
    summary = summary_of(played.folder)
    if json:
        body: dict[str, Any] = {"folder": played.folder.root, "kept": played.kept, "aside": played.aside}
        print_json({**body, **summary.model_dump(mode="json")})
    else:
        print_safely()
        for line in summary_lines(summary):
            print_safely(line)
        print_safely()
        print_safely(f"kept in {played.folder.root}; report: pitwall suite report {played.folder.suite}")
    if played.board.state == "stopped":
        raise typer.Exit(_INTERRUPTED)


@app.command("stop")
def stop(
    suite: Annotated[str, typer.Argument(help="Its id.")],
    wait: Annotated[bool, typer.Option(help="Until everything it started is gone.")] = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Stop a suite that plays: its runs are ended cleanly, what finished is kept."""
    folder = open_suite(data_folder(data), suite)
    playing = folder.holder() is not None
    if playing:
        folder.stop.touch()
    until_s = time.monotonic() + _STOPPING_S
    while wait and playing and folder.holder() is not None and time.monotonic() < until_s:
        time.sleep(0.1)
    gone = folder.holder() is None
    if json:
        print_json({"suite": suite, "played": playing, "stopped": playing and gone})
    else:
        said = "is stopped" if gone else "is told to stop"
        print_safely(f"{suite} {said}." if playing else f"{suite} does not play.")


class _Told:
    """Runs as they finish, a line each."""

    def __init__(self, json: bool) -> None:
        self._json = json

    def begun(self, board: SuiteProgress) -> None:
        if self._json:
            print_json({"progress": board.done, "of": board.of, "left_s": board.left_s})
            return
        kept = f", {board.done} of them finished before" if board.done else ""
        print_safely(f"{board.of} runs{kept}; {duration(board.left_s)} left" if kept else f"{board.of} runs")

    def run(self, run: TaskRun, board: SuiteProgress) -> None:
        if self._json:
            body = run.model_dump(mode="json", exclude={"summary"})
            print_json({"progress": board.done, "of": board.of, "left_s": board.left_s, "run": body})
        else:
            print_safely(
                run_line(run, board), colour="green" if run.success else None if run.played else "red"
            )


@contextlib.contextmanager
def _asked_to_stop() -> Iterator[list[int]]:
    """Signals that came: the first asks to end cleanly, a second one ends at once."""
    came: list[int] = []

    def heard(number: int, _frame: object) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
