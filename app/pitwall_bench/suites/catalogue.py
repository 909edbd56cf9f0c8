"""Reads suites and their results from the data folder, and the bundled suites.

Reading is cheap: of a file that grew, only the new part is read. Only `pitwall suite` commands change
anything.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
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
"""Seconds within which a new suite must report before it counts as broken off."""


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A suite that can be run: a YAML file, bundled or the operator's own.

    Attributes:
        name, description: from the file; the file's stem if it cannot be read.
        fault: why it cannot be read, without the fix; empty if it can.
        games: ids of its games; a star stands for several.
    """

    path: Path
    source: Source
    name: str
    description: str = ""
    fault: str = ""
    games: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """A suite that was started, as its folder has it now.

    Attributes:
        spec: what was asked; None if it cannot be read. text: the same as YAML.
        runs: the result of each cell so far, in the order they finished; of a cell played again, the last.
        board: its own report; None: it never reported.
        state: the first two mean that it is running. why: the reason for an unexpected end.
        at: seconds since 1970 of the last change.
        unread: number of unreadable lines in its results.
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
        """Return the name of its folder."""
        return self.folder.name

    @property
    def name(self) -> str:
        return self.spec.name if self.spec is not None else self.key

    @property
    def games(self) -> tuple[str, ...]:
        """Return the ids of its games; before the first result a star may stand for several."""
        played = {run.cell.game for run in self.runs}
        asked = {game.game for game in self.spec.games} if self.spec is not None else set()
        return tuple(sorted(played | asked))

    @property
    def live(self) -> bool:
        """Return whether it is running."""
        return self.state in LIVE

    @property
    def of(self) -> int:
        """Return the total number of its runs; 0: unknown."""
        return max(self.board.of if self.board is not None else 0, len(self.runs))

    @property
    def done(self) -> int:
        return max(len(self.runs), self.board.done if self.board is not None else 0)

    @property
    def failed(self) -> int:
        """Count the runs that could not be played."""
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
    """A results file as far as it was read: the offset, and the results up to it."""

    offset: int = 0
    runs: dict[str, TaskRun] = field(default_factory=dict)
    unread: int = 0


class SuiteRepository:
    """Reads suites; unchanged files are not read again.

    Args:
        data: the operator's data folder.
    """

    def __init__(self, data: DataFolder) -> None:
        self._data = data
        self._results: dict[Path, _Grown] = {}
        self._specs: dict[Path, tuple[int, SuiteSpec | None, str]] = {}
        self._files: dict[Path, tuple[int, SuiteFile]] = {}

    def read(self) -> SuiteCatalogue:
        """Read every suite that exists now."""
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
    """Parse a suite from YAML; None if it is none. Keys that a suite's folder adds are ignored."""
    keys = keys_of(text)
    if keys is None:
        return None
    names = {info.alias or name for name, info in SuiteSpec.model_fields.items()}
    try:
        return SuiteSpec.model_validate({key: value for key, value in keys.items() if key in names})
    except ValidationError:
        return None


def _take(grown: _Grown, fresh: bytes) -> None:
    """Take in whole lines only: the last one may be half written."""
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
        return SuiteFile(path, source, path.stem, fault="This file is not the YAML of a suite.")
    name = keys.get("name")
    description = keys.get("description")
    listed = keys.get("games")
    games = (
        [each.get("game") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    )
    return SuiteFile(
        path,
        source,
        name if isinstance(name, str) and name else path.stem,
        " ".join(description.split()) if isinstance(description, str) else "",
        games=tuple(game for game in games if isinstance(game, str)),
    )


def names_game(games: Iterable[str], game_id: str) -> bool:
    """Return whether a game is among these ids, of which a star stands for several."""
    return any(fnmatchcase(game_id, game) for game in games)


def _folders(root: Path) -> list[Path]:
    return [path for path in _entries(root) if path.is_dir() and (path / SPEC_FILE).is_file()]


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _stamp(path: Path) -> int:
    """Return a file's time of change, in nanoseconds since 1970; 0 if there is no file."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
