"""Reads modules and their versions from the data folder for the GSM lab. No Qt.

This file only reads; changes are made by `pitwall gsm` commands (see commands.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.demonstrations.folder import DemonstrationFolder
from pitwall.games.invented_modules import INVENTED, damaged_inventions
from pitwall.games.registry import Registry
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game
from pitwall.games.watched_modules import WATCHED, to_be_watched
from pitwall.gsm.version_record import ABOUT, VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall.store.lease import holder_of
from pitwall_lab.modules.screen_measurement import ScreenMeasurement, read_measured
from pitwall_lab.training_log import LOCK, LOG, Point, TrainingControl, TrainingLog, read_control

_GRACE_S = 45.0
"""Time for a new training to take its lock before it counts as dead."""
_RECENT_STEPS = 10_000
_PACE_POINTS = 8

Stage = Literal["starting", "running", "paused", "stopped", "finished", "failed", "died"]
LIVE: frozenset[Stage] = frozenset({"starting", "running", "paused"})


class ModuleKey(NamedTuple):
    """A module of a game; its text is GAME/MODULE, as commands expect it."""

    game_id: str
    module: str

    def __str__(self) -> str:
        return f"{self.game_id}/{self.module}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingProgress:
    """A training's progress.

    Attributes:
        step, steps: decisions done, and planned. fps: recent decisions a second; 0 if unknown.
        wish: the last control request. why: the training's own reason, if it was stopped or failed.
        pid: the process that trains; 0 if there is none or it is unknown.
    """

    stage: Stage
    step: int = 0
    steps: int = 0
    fps: float = 0.0
    wish: TrainingControl = "run"
    why: str = ""
    pid: int = 0

    @property
    def live(self) -> bool:
        """Return whether a process trains it now."""
        return self.stage in LIVE

    @property
    def left_s(self) -> float | None:
        """Return the seconds until its last step at the recent pace; None if unknown."""
        if self.stage != "running" or self.fps <= 0 or self.steps <= self.step:
            return None
        return (self.steps - self.step) / self.fps


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionViewModel:
    """One version of a module.

    Attributes:
        drives: it plays now. source: its reward function; empty without one.
        choices: how often each action was chosen in the last decisions; `choices_steps`: their number.
        log: of its training; None where it was not read.
    """

    about: VersionRecord
    folder: Path
    drives: bool = False
    promoted: bool = False
    progress: TrainingProgress | None = None
    source: str = ""
    choices: tuple[int, ...] = ()
    choices_steps: int = 0
    log: TrainingLog | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return self.about.version

    @property
    def live(self) -> bool:
        return self.progress is not None and self.progress.live

    @property
    def learned(self) -> bool:
        return self.about.kind == "policy"

    @property
    def proposed(self) -> bool:
        """Return whether it waits for the operator: written and checked, not trained."""
        return self.about.standing is VersionStatus.PROPOSED and not self.live


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleViewModel:
    """A module with its versions in the order of their creation.

    Attributes:
        driving: the version that plays; empty for none. faults: of versions that cannot be read.
        measured: the measurement of this screen; None without one.
        demonstrations: ids of its game's demonstrations, the newest first.
    """

    key: ModuleKey
    game: Game
    declared: Module
    versions: tuple[VersionViewModel, ...] = ()
    faults: tuple[PitwallError, ...] = ()
    driving: str = ""
    measured: ScreenMeasurement | None = None
    demonstrations: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return the title: "flappy · fly"."""
        return f"{self.key.game_id} · {self.key.module}"

    @property
    def named(self) -> str:
        """Return GAME/MODULE for a command; a game that is not listed is named by its folder."""
        return f"{self.game.reference}/{self.key.module}"

    @property
    def tries(self) -> bool:
        """Return whether it can learn by trying, in a twin."""
        return self.declared.learned is not None and bool(self.declared.learned.reward)

    @property
    def learns(self) -> bool:
        return self.declared.learned is not None or bool(self.demonstrations)

    @property
    def training(self) -> VersionViewModel | None:
        """Return the version that is being trained; the newest of several."""
        return next((version for version in reversed(self.versions) if version.live), None)

    @property
    def drives_by(self) -> Literal["rules", "learned", "nothing"]:
        version = self.version(self.driving)
        if version is None:
            return "nothing"
        return "learned" if version.learned else "rules"

    @property
    def units(self) -> Mapping[str, str]:
        return {field.name: field.unit for field in self.game.profile.fields}

    def version(self, name: str) -> VersionViewModel | None:
        return next((version for version in self.versions if version.name == name), None)

    def parent_of(self, version: VersionViewModel) -> VersionViewModel | None:
        """Return the version's parent; None if it is missing or the version is the rules."""
        return self.version(version.about.parent or RULES) if version.name != RULES else None

    def first_choice(self) -> str:
        """Return the version to show first: one that is trained, waits for a decision, or drives."""
        waiting = next((version.name for version in reversed(self.versions) if version.proposed), "")
        training = self.training.name if self.training is not None else ""
        last = self.versions[-1].name if self.versions else ""
        return training or waiting or self.driving or last


@dataclass(frozen=True, slots=True)
class LabContents:
    """The result of one reading. `unread`: games whose manifest cannot be read, with the reasons."""

    modules: tuple[ModuleViewModel, ...]
    unread: tuple[str, ...] = ()

    def module(self, key: ModuleKey | None) -> ModuleViewModel | None:
        return next((module for module in self.modules if module.key == key), None)


@dataclass(slots=True)
class ModuleRepository:
    """Reads modules, and remembers how far each log was read. For one thread."""

    data: DataFolder
    _games: list[Game] | None = None
    _asked: str = ""
    _open_id: str = ""
    _unread: tuple[str, ...] = ()
    _invented: tuple[tuple[str, float], ...] = ()
    _logs: dict[Path, TrainingLog] = field(default_factory=dict)

    def read(self, chosen: ModuleKey | None, *, open_game: str = "", renew: bool = False) -> LabContents:
        """Read every module; for the chosen module also reward functions and trainings.

        Args:
            open_game: the game in view, by id or folder; its modules come first.
            renew: read the games' manifests again too.
        """
        invented = self._inventions()
        if self._games is None or renew or open_game != self._asked or invented != self._invented:
            self._asked, self._invented = open_game, invented
            self._read_games()
        assert self._games is not None
        modules = [self._module(game, name, chosen) for game in self._games for name in game.module_names]
        modules.sort(key=lambda module: (module.game.game_id != self._open_id, module.title))
        return LabContents(tuple(modules), self._unread)

    def _inventions(self) -> tuple[tuple[str, float], ...]:
        """Return the change times of files that add modules, apart from the games' own manifests."""
        files = [
            *(
                file
                for name in (INVENTED, WATCHED)
                for file in sorted(self.data.modules.glob(f"*/[a-z]*/{name}"))
            ),
            *(self.data.settings, self.data.demonstrations),
        ]
        return tuple((str(file), _changed_at(file)) for file in files)

    def _read_games(self) -> None:
        registry = Registry(self.data)
        entries = registry.games()
        unread = [f"{entry.name}: {entry.fault}" for entry in entries if entry.fault]
        wanted = [entry.game_id for entry in entries if not entry.fault]
        self._open_id = self._asked
        games: dict[str, Game] = {}
        for name in dict.fromkeys(filter(None, [self._asked, *wanted])):
            try:
                game = registry.load(name)
            except PitwallError as error:
                unread.append(error.what)
                continue
            if name == self._asked:
                self._open_id = game.game_id
            games.setdefault(game.game_id, game)
            unread += [fault.what for fault in damaged_inventions(self.data, game.game_id)]
        shown = {
            demonstration.manifest.game
            for demonstration in DemonstrationFolder(self.data).all()
            if demonstration.manifest is not None
        }
        wanted_games = (game for game in games.values() if game.module_names or game.game_id in shown)
        self._games = [game if game.module_names else to_be_watched(game) for game in wanted_games]
        self._unread = tuple(unread)

    def _module(self, game: Game, name: str, chosen: ModuleKey | None) -> ModuleViewModel:
        key = ModuleKey(game.game_id, name)
        folder = ModuleFolder(self.data, game, name, resting=True)
        abouts, faults = folder.all()
        try:
            driving, promoted = folder.driving(), folder.promoted().version
        except PitwallError as error:
            faults.append(error)
            driving, promoted = RULES if folder.declared.rules else "", ""
        versions = []
        for about in abouts:
            version = VersionViewModel(
                about=about,
                folder=folder.folder(about.version),
                drives=about.version == driving,
                promoted=about.version == promoted,
            )
            versions.append(self._with_training(version, folder, whole=key == chosen))
        measured = _measured(folder, faults) if key == chosen else None
        return ModuleViewModel(
            key=key,
            game=game,
            declared=folder.declared,
            versions=tuple(versions),
            faults=tuple(faults),
            driving=driving,
            measured=measured,
            demonstrations=tuple(
                demonstration.id
                for demonstration in DemonstrationFolder(self.data).all()
                if demonstration.manifest is not None
                and demonstration.manifest.game == game.game_id
                and not demonstration.recording
            ),
        )

    def _with_training(
        self, version: VersionViewModel, folder: ModuleFolder, *, whole: bool
    ) -> VersionViewModel:
        about, where = version.about, version.folder
        if about.version == RULES:
            return version
        holder = holder_of(where / LOCK)
        if not whole and holder is None and about.standing is not VersionStatus.TRAINING:
            return version
        log = self._log(where)
        choices = _choices(log.points)
        return replace(
            version,
            progress=_progress(about, log, where, holder.pid if holder is not None else None),
            source=reward_source(folder, about) if whole else "",
            choices=choices,
            choices_steps=sum(choices),
            log=log,
        )

    def _log(self, where: Path) -> TrainingLog:
        log = self._logs.setdefault(where, TrainingLog(where / LOG))
        log.follow()
        return log


def reward_source(folder: ModuleFolder, about: VersionRecord) -> str:
    """Return a version's reward function, or the one that the game declares; empty for rules."""
    if about.kind != "policy":
        return ""
    declared = folder.declared.learned
    files = [folder.folder(about.version) / "reward.py"]
    if declared is not None:
        files.append(folder.game.folder / declared.reward)
    for file in files:
        try:
            return file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""


def _measured(folder: ModuleFolder, faults: list[PitwallError]) -> ScreenMeasurement | None:
    try:
        return read_measured(folder.root)
    except PitwallError as error:
        faults.append(error)
        return None


def _choices(points: Sequence[Point]) -> tuple[int, ...]:
    """Count the choices of each action over the last decisions."""
    last = points[-1].step if points else 0
    recent = [point.actions for point in points if point.step > last - _RECENT_STEPS and point.actions]
    width = max(map(len, recent), default=0)
    return tuple(sum(counts[at] for counts in recent if at < len(counts)) for at in range(width))


def _progress(
    about: VersionRecord, log: TrainingLog, where: Path, pid: int | None
) -> TrainingProgress | None:
    state = log.state
    if pid is None and state is None and about.standing is not VersionStatus.TRAINING:
        return None
    last = log.points[-1] if log.points else None
    whole = about.recipe.steps if about.recipe is not None else 0
    return TrainingProgress(
        stage=_stage(about, log, where, pid),
        step=max(last.step if last else 0, state.step if state else 0, about.steps),
        steps=state.steps if state else whole,
        fps=_pace(log.points),
        wish=read_control(where),
        why=state.why if state else about.note,
        pid=pid or 0,
    )


def _stage(about: VersionRecord, log: TrainingLog, where: Path, pid: int | None) -> Stage:
    state = log.state.state if log.state is not None else None
    if pid is not None:
        return state if state in ("running", "paused") else "starting"
    if state in ("stopped", "finished", "failed"):
        return state
    if state is None and time.time() - max(about.created_at, _changed_at(where / ABOUT)) < _GRACE_S:
        return "starting"
    return "died"


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _pace(points: Sequence[Point]) -> float:
    """Return the decisions a second over the last points, by the training's own clock."""
    recent = points[-_PACE_POINTS:]
    if len(recent) < 2:
        return recent[0].fps if recent else 0.0
    seconds = recent[-1].wall_s - recent[0].wall_s
    return (recent[-1].step - recent[0].step) / seconds if seconds > 0 else 0.0
