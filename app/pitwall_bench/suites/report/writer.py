"""Writes a suite's report as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pitwall.cli.doctor_report import anonymous
from pitwall.core.errors import PitwallError, suggestion
from pitwall.store.folder_errors import folder_error
from pitwall_bench.suites.report.csv_tables import runs_csv, tasks_csv
from pitwall_bench.suites.report.html_page import html_of
from pitwall_bench.suites.report.latex import latex_of
from pitwall_bench.suites.summary import Summary

Format = Literal["html", "csv", "json", "latex"]
FORMATS: tuple[Format, ...] = ("html", "csv", "json", "latex")


def formats_named(names: Sequence[str]) -> tuple[Format, ...]:
    """Return formats by their names; all of them if none is named.

    Raises:
        PitwallError: there is no such format; names the nearest.
    """
    for name in names:
        if name not in FORMATS:
            hint = suggestion(name, FORMATS, f"One of: {', '.join(FORMATS)}.")
            raise PitwallError(f"there is no report format {name!r}.", hint)
    return tuple(format for format in FORMATS if not names or format in names)


def write_report(
    summary: Summary, folder: Path, formats: Sequence[Format] = FORMATS, other: Summary | None = None
) -> list[Path]:
    """Write the requested formats, and return the files.

    Args:
        other: a suite to compare with, on the HTML page.

    Raises:
        DataFolderError: the folder cannot be written.
    """
    summary = _to_give_away(summary)
    texts: dict[str, str] = {}
    if "html" in formats:
        texts["report.html"] = html_of(summary, other)
    if "csv" in formats:
        texts |= {"runs.csv": runs_csv(summary.runs), "tasks.csv": tasks_csv(summary.tasks)}
    if "json" in formats:
        texts["summary.json"] = summary.model_dump_json(indent=1)
    if "latex" in formats:
        texts["tables.tex"] = latex_of(summary)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise folder_error(error, folder) from error
    return [folder / name for name in texts]


def _to_give_away(summary: Summary) -> Summary:
    """Return the summary without names of this machine, its person and its folders.

    Why a run could not be played quotes what a game or the operating system wrote.
    """
    runs = tuple(run.model_copy(update={"why": anonymous(run.why)}) for run in summary.runs)
    unplayed = tuple(run.model_copy(update={"why": anonymous(run.why)}) for run in summary.unplayed)
    file = Path(summary.file).name
    return summary.model_copy(update={"runs": runs, "unplayed": unplayed, "file": file})
