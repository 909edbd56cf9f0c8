"""Reads suites and their results from the data folder and the bundled ones.

Everything here is read, and cheaply: of a file that grew only what is new. What changes anything is a
`pitwall suite` command.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pitwall.core.paths import DataFolder, resources_dir
from pitwall_bench.suites.folder import SuiteFolder
from pitwall_bench.suites.results import BOARD_FILE, RESULTS_FILE, SPEC_FILE, SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.yaml_text import keys_of, text_of

Source = Literal["bundled", "own"]
State = Literal["starting", "playing", "done", "stopped", "broken off"]
LIVE: frozenset[State] = frozenset({"starting", "playing"})
OWN_SUFFIXES = (".yaml", ".yml")
_STARTING_S = 60.0
"""A suite that was just begun has so long to say something before it counts as broken off."""


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A suite that can be run: a YAML file, bundled or the operator's own.

    Attributes:
        name, description: as the file says; the file's stem where it cannot be read.
        fault: why it cannot be read, without how to mend it; empty where it can.
    """

    path: Path
    source: Source
    name: str
    description: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """A suite that was begun, as its folder has it now.

    Attributes:
        spec: what was asked; None where it cannot be read. text: the same as YAML.
        runs: what came of each cell so far, in the order they finished; of one played anew the last.
        board: what it says of itself; None: it never said anything.
        state: of these the first two go on now. why: of an end that was not asked for.
        at: seconds since 1970 when anything of it changed last.
        unread: lines of its results that are no results.
    """

    folder: Path
    spec: SuiteSpec | None
    text: str
    runs: tuple[TaskRun, ...]
    board: SuiteProgress | None
    state: State
    why: str = ""
    at: float = 0.0
    unread: int = 0

    @property
    def key(self) -> str:
        """Its folder's name."""
        return self.folder.name

    @property
    def name(self) -> str:
        return self.spec.name if self.spec is not None else self.key

    @property
    def live(self) -> bool:
        """Whether it goes on now."""
        return self.state in LIVE

    @property
    def of(self) -> int:
        """Runs that it is to have; 0: not known."""
        return max(self.board.of if self.board is not None else 0, len(self.runs))

    @property
    def done(self) -> int:
        return max(len(self.runs), self.board.done if self.board is not None else 0)

    @property
    def failed(self) -> int:
        """Runs that could not be played."""
        return sum(not run.played for run in self.runs)


@dataclass(frozen=True, slots=True)
class SuiteCatalogue:
    """Suite files that can be run, and suites that were run, newest first."""

    files: tuple[SuiteFile, ...] = ()
    runs: tuple[SuiteRun, ...] = ()

    def run(self, key: str) -> SuiteRun | None:
        return next((run for run in self.runs if run.key == key), None)

    def file(self, path: Path | None) -> SuiteFile | None:
        return next((file for file in self.files if file.path == path), None)


@dataclass(slots=True)
class _Grown:
    """A results file so far: up to which byte it was read, and what stood there."""

    offset: int = 0
    runs: dict[str, TaskRun] = field(default_factory=dict)
    unread: int = 0


class SuiteRepository:
    """Reads suites; what did not change is not read again.

    Args:
        data: the operator's data folder.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._results: dict[Path, _Grown] = {}
        self._specs: dict[Path, tuple[int, SuiteSpec | None, str]] = {}
        self._files: dict[Path, tuple[int, SuiteFile]] = {}

    def read(self) -> SuiteCatalogue:
        """Every suite there is now."""
        runs = [self._run(folder) for folder in _folders(self._data.suites)]
        runs.sort(key=lambda run: run.at, reverse=True)
        return SuiteCatalogue(tuple(self._list_files()), tuple(runs))

    # ---- files

    def _list_files(self) -> list[SuiteFile]:
        suite_files: list[SuiteFile] = []
        places: tuple[tuple[Path, Source], ...] = (
            (self._data.suites, "own"),
            (resources_dir() / "suites", "bundled"),
        )
        for folder, source in places:
            files = sorted(path for path in _entries(folder) if _is_suite(path))
            suite_files += [self._file(path, source) for path in files]
        return suite_files

    def _file(self, path: Path, source: Source) -> SuiteFile:
        stamp = _stamp(path)
        known = self._files.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, _described_file(path, source))
            self._files[path] = known
        return known[1]

    # ---- runs

    def _run(self, folder: Path) -> SuiteRun:
        spec, text = self._spec(folder / SPEC_FILE)
        grown = self._grown(folder / RESULTS_FILE)
        board = SuiteFolder(self._data, folder.name).board()
        stamps = [_stamp(folder / name) for name in (RESULTS_FILE, BOARD_FILE, SPEC_FILE)]
        state, why = _state(board, time.time() - stamps[-1] / 1e9)
        return SuiteRun(
            folder=folder,
            spec=spec,
            text=text,
            runs=tuple(grown.runs.values()),
            board=board,
            state=state,
            why=why,
            at=max(stamps) / 1e9,
            unread=grown.unread,
        )

    def _spec(self, path: Path) -> tuple[SuiteSpec | None, str]:
        stamp = _stamp(path)
        known = self._specs.get(path)
        if known is None or known[0] != stamp:
            text = text_of(path)
            known = (stamp, spec_of(text), text)
            self._specs[path] = known
        return known[1], known[2]

    def _grown(self, path: Path) -> _Grown:
        grown = self._results.setdefault(path, _Grown())
        try:
            size = path.stat().st_size
            if size < grown.offset:  # written anew
                grown = self._results[path] = _Grown()
            if size > grown.offset:
                with path.open("rb") as file:
                    file.seek(grown.offset)
                    _take(grown, file.read())
        except OSError:
            pass  # not there yet, or gone: what was read stands until the folder goes
        return grown


def spec_of(text: str) -> SuiteSpec | None:
    """A suite from YAML; None where it is none. What a folder adds beside the suite is passed over."""
    keys = keys_of(text)
    if keys is None:
        return None
    names = {info.alias or name for name, info in SuiteSpec.model_fields.items()}
    try:
        return SuiteSpec.model_validate({key: value for key, value in keys.items() if key in names})
    except ValidationError:
        return None


def _take(grown: _Grown, fresh: bytes) -> None:
    """Whole lines only: the last one may be half written."""
    whole, _, _ = fresh.rpartition(b"\n")
    if not whole:
        return
    grown.offset += len(whole) + 1
    for line in whole.split(b"\n"):
        if not line.strip():
            continue
        try:
            run = TaskRun.model_validate_json(line)
            grown.runs.pop(run.cell.key, None)
            grown.runs[run.cell.key] = run
        except ValidationError:
            grown.unread += 1


def _state(board: SuiteProgress | None, age_s: float) -> tuple[State, str]:
    if board is None:
        starting = age_s < _STARTING_S
        return ("starting", "") if starting else ("broken off", "It ended before it played anything.")
    if board.state == "broken off" and not board.why:
        return board.state, "The process that ran it is gone."
    return board.state, board.why


def _is_suite(path: Path) -> bool:
    return path.suffix in OWN_SUFFIXES and not path.name.startswith(".") and path.is_file()


def _described_file(path: Path, source: Source) -> SuiteFile:
    keys = keys_of(text_of(path))
    if keys is None:
        return SuiteFile(path, source, path.stem, fault="This file is not YAML that a suite could stand in.")
    name = keys.get("name")
    description = keys.get("description")
    return SuiteFile(
        path,
        source,
        name if isinstance(name, str) and name else path.stem,
        " ".join(description.split()) if isinstance(description, str) else "",
    )


def _folders(root: Path) -> list[Path]:
    return [path for path in _entries(root) if path.is_dir() and (path / SPEC_FILE).is_file()]


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _stamp(path: Path) -> int:
    """Return a file's time of change, in nanoseconds since 1970; 0 where it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
