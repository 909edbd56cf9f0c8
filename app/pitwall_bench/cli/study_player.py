"""Plays the suites of a study one after another and reports its results: shared by the studies' commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.models.shipped import shipped_entry
from pitwall_bench.cli.suite.format import run_line
from pitwall_bench.suites.own_suites import write_suite
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.summary import Summary, summary_of
from pitwall_bench.tasks.lookup import task_named

AsOption = Annotated[str, typer.Option("--as", help="Keep it under this id.")]
FreshOption = Annotated[
    bool, typer.Option("--fresh", help="Set earlier results aside and play everything again.")
]
OutOption = Annotated[Path | None, typer.Option(help="Folder of the report; default: the suite's own.")]


@dataclass(frozen=True, slots=True)
class StudyPlayer:
    """Plays the suites of a study one after another; what could not be played is tried again at each call."""

    data: DataFolder
    report: Reporter
    fresh: bool
    stopping: Callable[[], bool]

    def play(self, suite: SuiteSpec) -> Summary:
        """Write the suite's file, play it or go on with it, and return its summary."""
        from pitwall_bench.playing.play import play_suite

        file = write_suite(suite, self.data)
        played = play_suite(
            read_suite(file, self.data),
            self.data,
            file=str(file),
            fresh=self.fresh,
            failed_again=True,
            on_run=self._finished,
            should_stop=self.stopping,
        )
        return summary_of(played.folder)

    def _finished(self, run: TaskRun, board: SuiteProgress) -> None:
        body = {"progress": board.done, "of": board.of, "left_s": board.left_s, "run": run.cell.key}
        self.report.event(body, run_line(run, board))


def shipped_model() -> str:
    """Return the shipped model's name.

    Raises:
        PitwallError: this installation has none.
    """
    entry = shipped_entry()
    if entry is None:
        raise PitwallError(
            "no model is named, and none ships here.", "Name one: --agent MODEL; see: pitwall models list"
        )
    return entry.name


def require_tasks(data: DataFolder, named: Iterable[str]) -> None:
    """Check that each GAME or GAME/TASK is there.

    Raises:
        PitwallError: a game or a task is missing; names the nearest.
    """
    registry = Registry(data)
    for text in named:
        game, _, task = text.partition("/")
        loaded = registry.load(game)
        if task:
            task_named(loaded, task)
