"""A study's tables as its folder keeps them, for the Evaluate page and `pitwall study show`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pitwall.core.bounded_reading import read_model
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.learning import Learning, learning_of

SHEET_FILE = "tables.json"


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True)


class StudyTable(_Kept):
    """A table: texts of its cells, and a sentence below it. Rows of a paper begin with "the paper"."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


class StudySheet(_Kept):
    """A study.

    Attributes:
        title: what it is about. verdict: in a sentence. suites: ids of the suites that it was played as.
        page: its HTML page; empty: none.
    """

    title: str
    verdict: str = ""
    suites: tuple[str, ...] = ()
    page: str = ""
    tables: tuple[StudyTable, ...] = ()


def keep_sheet(root: Path, sheet: StudySheet) -> None:
    """Keep a study's tables in the folder of its suite.

    Raises:
        DataFolderError: it cannot be written.
    """
    write_file(root / SHEET_FILE, sheet.model_dump_json(indent=1))


def sheet_of(root: Path) -> StudySheet | None:
    """Return the study that a suite's folder keeps; None if there is none.

    Raises:
        DamagedFile: its file cannot be read.
    """
    try:
        return read_model(StudySheet, root / SHEET_FILE)
    except FileNotFoundError:
        return None


def tables(
    parts: Iterable[tuple[str, Iterable[str], Iterable[Iterable[str]], str]],
) -> tuple[StudyTable, ...]:
    """Return tables of title, head, rows and sentence; those without rows are left out."""
    made = (
        StudyTable(title=title, head=tuple(head), rows=tuple(tuple(row) for row in rows), note=note)
        for title, head, rows, note in parts
    )
    return tuple(table for table in made if table.rows)


class Study(_Kept):
    """A study as its folders show it. sheet: None where it is none. chains: of all its suites."""

    suite: str
    sheet: StudySheet | None
    chains: tuple[Learning, ...]

    @property
    def there(self) -> bool:
        """Return whether there is anything to show."""
        return self.sheet is not None or bool(self.chains)


def study_in(data: DataFolder, suite: str) -> Study:
    """Return the study that a suite belongs to, with the chains of all suites that it was played as.

    Raises:
        DamagedFile: a file of it cannot be read.
    """
    sheet = sheet_of(SuiteFolder(data, suite).root)
    names = dict.fromkeys([suite, *(sheet.suites if sheet is not None else ())])
    folders = [SuiteFolder(data, name) for name in names]
    chains = [each for folder in folders for each in learning_of(folder.root, folder.runs().values())]
    return Study(suite=suite, sheet=sheet, chains=tuple(chains))
