"""A suite's folder: only the runner that holds its lock writes it; everyone may read it."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwall import __version__
from pitwall.core.bounded_reading import read_bytes, read_model, read_text
from pitwall.core.errors import DamagedFile, PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.core.validation import first_fault
from pitwall.store.folder_errors import folder_error
from pitwall.store.lease import FileLock, Holder, holder_of
from pitwall_bench.suites.bounds import bounds_of
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.results import BOARD_FILE, RESULTS_FILE, SESSIONS, SPEC_FILE, SuiteProgress, TaskRun
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.yaml_text import parse_yaml

BEGUN_FILE, LOCK_FILE, STOP_FILE = "begun.json", "runner.lock", "stop"
_ANEW = "Start over with --fresh."
_MOST_RESULTS = 1 << 30


class UnknownSuite(PitwallError):
    """No suite of this id was ever run here."""


class SuiteChanged(PitwallError):
    """The suite on disk no longer matches its own results."""


class TaskFacts(BaseModel):
    """A task as it was when the suite began."""

    model_config = ConfigDict(frozen=True)

    game: str
    game_name: str
    task: str
    instruction: str
    genre: str
    level: int
    start: float | str
    target: float
    unit: str
    steps: int
    verified: bool


class SuiteStart(BaseModel):
    """`begun.json`: the suite's identity when it began.

    Attributes:
        hashes: of each part that results depend on, and of all of them ("suite").
        around: as `surroundings`; empty in suites that were begun before it was kept.
        file: the file it was read from. command: it goes on by this, where `pitwall suite run` does not.
        wanted: game id → the name or path that opens it. at: seconds since 1970.
    """

    model_config = ConfigDict(frozen=True)

    hashes: dict[str, str]
    around: dict[str, str] = Field(default_factory=dict)
    file: str = ""
    command: str = ""
    wanted: dict[str, str] = Field(default_factory=dict)
    tasks: tuple[TaskFacts, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)
    at: float = 0.0

    def changed(self, now: Mapping[str, str], around: Mapping[str, str]) -> list[str]:
        """Return the parts that are other ones now; what was not kept when it began counts as the same.

        Args:
            now, around: as `hashes` and `around`.
        """
        names = [name for name in {**self.hashes, **now} if self.hashes.get(name) != now.get(name)]
        parts = [name for name in names if name != "suite"] or ["content"] if "suite" in names else []
        return parts + [name for name in around if self.around.get(name, around[name]) != around[name]]


class SuiteFolder:
    """The paths and files of one suite. Reading creates no folder.

    Args:
        suite: its id, which is its folder's name.
    """

    def __init__(self, data: DataFolder, suite: str) -> None:
        self.suite = suite
        self.root = data.suites / suite
        self.sessions = self.root / SESSIONS
        self.stop = self.root / STOP_FILE
        self._results, self._board = self.root / RESULTS_FILE, self.root / BOARD_FILE

    @property
    def exists(self) -> bool:
        """Return whether the suite was ever begun."""
        return (self.root / SPEC_FILE).is_file()

    def session(self, key: str) -> Path:
        """Return the data folder of a cell's run."""
        return self.sessions / key

    def lent(self, key: str) -> Path:
        """Return the file in which a cell's run gets its memory."""
        return self.sessions / f"{key}.memory"

    # ---- read

    def spec(self) -> SuiteSpec:
        """Return the suite's specification, spelt out.

        Raises:
            UnknownSuite: there is none. PitwallError: its file is damaged.
        """
        file = self.root / SPEC_FILE
        try:
            return SuiteSpec.model_validate(parse_yaml(read_text(file, fix=_ANEW), file, fix=_ANEW))
        except FileNotFoundError:
            raise unknown_suite(self.root.parent, self.suite) from None
        except ValidationError as error:
            where, problem = first_fault(error)
            raise DamagedFile(file, problem, key=where, fix=_ANEW) from None

    def begun(self) -> SuiteStart:
        """Return the identity that the suite was begun with; empty if there is none."""
        try:
            return read_model(SuiteStart, self.root / BEGUN_FILE)
        except (FileNotFoundError, DamagedFile):
            return SuiteStart(hashes={})

    def check_begun(self, now: Mapping[str, str], around: Mapping[str, str] | None = None) -> None:
        """Check that the suite was begun with the same content. now, around: as `SuiteStart.changed`.

        Raises:
            SuiteChanged: it was begun with other games, agents, limits, models or settings.
        """
        begun = self.begun()
        if changed := begun.changed(now, around or {}):
            raise SuiteChanged(
                f"the suite {self.suite!r} was begun with other {', '.join(changed)}: "
                "its results would not belong together.",
                (f"Go on with it as it was begun: {begun.command}. " if begun.command else "")
                + "Start over with --fresh (the old results are set aside), or use another name with --as.",
            )

    def runs(self) -> dict[str, TaskRun]:
        """Return every finished run by its cell's key; of a cell played again, the last."""
        return self.read_runs()[0]

    def read_runs(self) -> tuple[dict[str, TaskRun], int]:
        """Return the runs as `runs`, and the number of lines that cannot be read: cut off, or damaged."""
        unread = 0
        runs_by_key: dict[str, TaskRun] = {}
        try:
            lines = read_bytes(self._results, most_bytes=_MOST_RESULTS).splitlines()
        except FileNotFoundError:
            return runs_by_key, unread
        for line in filter(None, map(bytes.strip, lines)):
            try:
                run = TaskRun.model_validate_json(line)
                runs_by_key[run.cell.key] = run
            except ValidationError:
                unread += 1
        return runs_by_key, unread

    def board(self) -> SuiteProgress | None:
        """Return the progress, or how it ended; "broken off" if its runner is gone without a report."""
        try:
            board = read_model(SuiteProgress, self._board)
        except (FileNotFoundError, DamagedFile):
            return None
        if board.state == "playing" and self.holder() is None:
            return board.model_copy(update={"state": "broken off", "playing": (), "left_s": None})
        return board

    def holder(self) -> Holder | None:
        """Return which process runs the suite now."""
        return holder_of(self.root / LOCK_FILE)

    # ---- write

    def lock(self) -> FileLock:
        """Return the lock that its runner holds."""
        return FileLock(self.root / LOCK_FILE, role="suite", subject=f"the suite {self.suite!r}")

    def begin(self, asked: SuiteSpec, begun: SuiteStart) -> None:
        """Write the suite's specification and identity."""
        spec = asked.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        text = yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=100)
        self._write(SPEC_FILE, f"# {begun.hashes['suite']}\n{text}")
        self._write(BEGUN_FILE, begun.model_dump_json(indent=1))

    def keep(self, run: TaskRun) -> None:
        """Append a finished run; it is on the disk when this returns."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with self._results.open("ab+") as lines:
                if lines.tell() and not _ends_whole(lines):
                    lines.write(b"\n")
                lines.write(run.model_dump_json().encode() + b"\n")
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            raise folder_error(error, self._results) from error

    def show(self, board: SuiteProgress) -> None:
        """Write the board."""
        self._write(BOARD_FILE, board.model_dump_json())

    def set_aside(self) -> Path | None:
        """Move the folder to a name of its own and return it; None if there is nothing."""
        if not self.exists:
            return None
        when = time.strftime("%Y%m%d-%H%M%S", time.localtime(self.begun().at or time.time()))
        kept = _free(self.root.with_name(f"{self.suite}.{when}"))
        try:
            self.root.rename(kept)
        except OSError as error:
            raise folder_error(error, self.root) from error
        return kept

    def clear_stale(self, finished: Iterable[str]) -> list[str]:
        """Remove sessions without a result, and an old stop request; return the sessions' names."""
        keep = set(finished)
        self.stop.unlink(missing_ok=True)
        stale = [path for path in _inside(self.sessions) if path.name.removesuffix(".log") not in keep]
        for path in stale:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return [path.name for path in stale]

    def _write(self, name: str, text: str) -> None:
        aside = self.root / f".{name}.tmp"
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            aside.write_text(text, encoding="utf-8")
            aside.replace(self.root / name)
        except OSError as error:
            raise folder_error(error, self.root / name) from error


def suites_of(data: DataFolder) -> list[SuiteFolder]:
    """List every suite that was ever begun, the newest first."""
    folders = [SuiteFolder(data, path.name) for path in _inside(data.suites) if path.is_dir()]
    return sorted((folder for folder in folders if folder.exists), key=lambda folder: -folder.begun().at)


def open_suite(data: DataFolder, suite: str) -> SuiteFolder:
    """Find a suite by its id.

    Raises:
        UnknownSuite: there is none.
    """
    folder = SuiteFolder(data, suite)
    if "/" in suite or not folder.exists:
        raise unknown_suite(data.suites, suite)
    return folder


def unknown_suite(suites: Path, suite: str) -> UnknownSuite:
    """Build the error for an unknown id."""
    known = [path.name for path in _inside(suites) if (path / SPEC_FILE).is_file()]
    hint = suggestion(suite, known, f"There are: {', '.join(known)}." if known else "")
    return UnknownSuite(f"no suite {suite!r} was run here.", hint or "Run one: pitwall suite run smoke")


def begun_now(
    plan: Plan,
    hashes: Mapping[str, str],
    *,
    around: Mapping[str, str] | None = None,
    file: str = "",
    command: str = "",
) -> SuiteStart:
    """Return the identity of a suite that begins now. hashes, around, file, command: as `SuiteStart`."""
    versions = {"pitwall": __version__, "python": platform.python_version(), "platform": platform.platform()}
    games = {f"game {name}": game.profile.game.version for name, game in sorted(plan.games.items())}
    return SuiteStart(
        hashes=dict(hashes),
        around=dict(around or {}),
        file=file,
        command=command,
        wanted=dict(plan.wanted),
        tasks=task_facts(plan),
        versions={**versions, **games},
        at=time.time(),
    )


def task_facts(plan: Plan) -> tuple[TaskFacts, ...]:
    """Describe every task of a plan, as it is now."""
    named: dict[tuple[str, str], None] = {}
    for cell in (
        *plan.cells(0),
        *(climb.cell(rung, 0) for climb in plan.climbs(0) for rung in _rungs(climb)),
    ):
        named[(cell.game, cell.task)] = None
    return tuple(_facts(plan, game, task) for game, task in named)


def _rungs(climb: Any) -> range:
    return range(len(climb.rungs))


def _facts(plan: Plan, game: str, name: str) -> TaskFacts:
    profile, task = plan.games[game].profile, plan.task(game, name)
    truth = profile.truth
    return TaskFacts(
        game=game,
        game_name=profile.game.name,
        task=name,
        instruction=task.instruction,
        genre=profile.game.genre,
        level=profile.game.level,
        start=task.start,
        target=task.target,
        unit=truth.unit if truth else "",
        steps=bounds_of(plan.games[game], task, plan.spec.limits).steps,
        verified=truth.verified if truth else False,
    )


def _ends_whole(lines: Any) -> bool:
    lines.seek(-1, os.SEEK_END)
    return bool(lines.read(1) == b"\n")


def _inside(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(folder.iterdir())
    return []


def _free(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free
