"""Plays the suites of a study one after another, each a file that `pitwall suite run` plays as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.models.shipped import shipped_entry
from pitwall.store.folder_errors import folder_error
from pitwall_bench.cli.suite.format import run_line
from pitwall_bench.suites.reading import read_suite
from pitwall_bench.suites.results import SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.summary import Summary, summary_of


@dataclass(frozen=True, slots=True)
class StudyPlayer:
    """Plays the suites of a study one after another."""

    data: DataFolder
    report: Reporter
    fresh: bool
    stopping: Callable[[], bool]

    def play(self, suite: SuiteSpec) -> Summary:
        """Write the suite's file, play it or go on with it, and return its summary."""
        from pitwall_bench.playing.play import play_suite

        file = written(suite, self.data)
        played = play_suite(
            read_suite(file, self.data),
            self.data,
            file=str(file),
            fresh=self.fresh,
            on_run=self._finished,
            should_stop=self.stopping,
        )
        return summary_of(played.folder)

    def _finished(self, run: TaskRun, board: SuiteProgress) -> None:
        body = {"progress": board.done, "of": board.of, "left_s": board.left_s, "run": run.cell.key}
        self.report.event(body, run_line(run, board))


def written(suite: SuiteSpec, data: DataFolder) -> Path:
    """Write a suite as a file of the operator's own, which `pitwall suite run` plays as well."""
    file = data.suites / f"{suite.name}.yaml"
    text = yaml.safe_dump(
        suite.model_dump(mode="json", by_alias=True, exclude_defaults=True), sort_keys=False
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"schema: 1\n{text}", encoding="utf-8")
    except OSError as error:
        raise folder_error(error, file) from error
    return file


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


def listed(text: str) -> tuple[str, ...]:
    """Return the parts of a text that commas separate."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
