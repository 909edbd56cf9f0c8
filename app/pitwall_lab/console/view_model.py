"""Reads modules and their versions from the data folder for the GSM lab. No Qt.

Everything here is read; what changes anything is a `pitwall gsm` command (see lab_commands).
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
from pitwall.gsm.screen_measurement import ScreenMeasurement, read_measured
from pitwall.gsm.training_log import LOCK, LOG, Point, TrainingControl, TrainingLog, read_control
from pitwall.gsm.version_record import ABOUT, VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, ModuleFolder
from pitwall.store.lease import holder_of

ITERATIONS = 3
"""An improve loop stops at so many: more make a module worse (SPEC §8)."""
_GRACE_S = 45.0
"""A training that was just begun has so long to take its lock before it counts as dead."""
_RECENT_STEPS = 10_000
_PACE_POINTS = 8

Stage = Literal["starting", "running", "paused", "stopped", "finished", "failed", "died"]
LIVE: frozenset[Stage] = frozenset({"starting", "running", "paused"})


class ModuleKey(NamedTuple):
    """A module of a game; as text GAME/MODULE, as commands take it."""

    game_id: str
    module: str

    def __str__(self) -> str:
        return f"{self.game_id}/{self.module}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingProgress:
    """Tells a training's progress.

    Attributes:
        step, steps: decisions done, of how many. fps: decisions a second of late; 0 where not known.
        wish: what it was asked last. why: its own sentence, where it was stopped or failed.
        pid: the process that trains; 0 where none does or it did not say.
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
        """Whether a process trains it now."""
        return self.stage in LIVE

    @property
    def left_s(self) -> float | None:
        """Seconds until its last step at the pace of late; None where that is not known."""
        if self.stage != "running" or self.fps <= 0 or self.steps <= self.step:
            return None
        return (self.steps - self.step) / self.fps


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionViewModel:
    """Holds one version of a module.

    Attributes:
        drives: it is what plays now. source: its reward function; empty where it has none.
        choices: how often each action was chosen over the last decisions, and over how many steps.
    """

    about: VersionRecord
    folder: Path
    drives: bool = False
    promoted: bool = False
    progress: TrainingProgress | None = None
    source: str = ""
    choices: tuple[int, ...] = ()
    choices_steps: int = 0

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
        """Whether it waits for the operator: written and checked, not trained."""
        return self.about.standing is VersionStatus.PROPOSED and not self.live


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleViewModel:
    """Holds a module with its versions, in the order in which they were made.

    Attributes:
        driving: the version that plays; empty for none. faults: versions that cannot be read, and why.
        measured: what playing on this screen adds; None where it was not measured.
        demonstrations: ids of those of its game, the newest first.
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
        """ "flappy · fly"."""
        return f"{self.key.game_id} · {self.key.module}"

    @property
    def named(self) -> str:
        """GAME/MODULE as a command finds it: a game that is in no list by its folder."""
        game = self.game
        return f"{game.own_folder if game.source == 'path' else game.game_id}/{self.key.module}"

    @property
    def tries(self) -> bool:
        """Whether it can learn by trying, in a twin."""
        return self.declared.learned is not None and bool(self.declared.learned.reward)

    @property
    def learns(self) -> bool:
        return self.declared.learned is not None or bool(self.demonstrations)

    @property
    def training(self) -> VersionViewModel | None:
        """The version that is trained now; the newest of several."""
        return next((one for one in reversed(self.versions) if one.live), None)

    @property
    def drives_by(self) -> Literal["rules", "learned", "nothing"]:
        found = self.version(self.driving)
        if found is None:
            return "nothing"
        return "learned" if found.learned else "rules"

    @property
    def units(self) -> Mapping[str, str]:
        return {one.name: one.unit for one in self.game.profile.fields}

    def version(self, name: str) -> VersionViewModel | None:
        return next((one for one in self.versions if one.name == name), None)

    def parent_of(self, version: VersionViewModel) -> VersionViewModel | None:
        """The version it was made from; None where that is gone, or the manifest alone."""
        return self.version(version.about.parent or RULES) if version.name != RULES else None

    def first_choice(self) -> str:
        """The version to show first: one that waits for a decision, is trained, or drives."""
        waiting = next((one.name for one in reversed(self.versions) if one.proposed), "")
        training = self.training.name if self.training is not None else ""
        last = self.versions[-1].name if self.versions else ""
        return training or waiting or self.driving or last


@dataclass(frozen=True, slots=True)
class LabContents:
    """Holds all that one reading found. `unread`: games whose manifest cannot be read, with why."""

    modules: tuple[ModuleViewModel, ...]
    unread: tuple[str, ...] = ()

    def module(self, key: ModuleKey | None) -> ModuleViewModel | None:
        return next((one for one in self.modules if one.key == key), None)


@dataclass(slots=True)
class ModuleRepository:
    """Reads modules; keeps what of a log was read already. For one thread.

    Args:
        data: whose data folder.
    """

    data: DataFolder
    _games: list[Game] | None = None
    _asked: str = ""
    _open_id: str = ""
    _unread: tuple[str, ...] = ()
    _invented: tuple[tuple[str, float], ...] = ()
    _logs: dict[Path, TrainingLog] = field(default_factory=dict)

    def read(self, chosen: ModuleKey | None, *, open_game: str = "", renew: bool = False) -> LabContents:
        """Every module; of the chosen one also reward functions and how its trainings stand.

        Args:
            open_game: the game in view as it was asked for, by id or folder: its modules come first.
            renew: read the games' manifests anew too.
        """
        invented = self._inventions()
        if self._games is None or renew or open_game != self._asked or invented != self._invented:
            self._asked, self._invented = open_game, invented
            self._read_games()
        assert self._games is not None
        found = [self._module(game, name, chosen) for game in self._games for name in game.module_names]
        found.sort(key=lambda one: (one.game.game_id != self._open_id, one.title))
        return LabContents(tuple(found), self._unread)

    def _inventions(self) -> tuple[tuple[str, float], ...]:
        """Return times of what changes with the modules there are, beside the games' own manifests."""
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
            one.manifest.game for one in DemonstrationFolder(self.data).all() if one.manifest is not None
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
                one.id
                for one in DemonstrationFolder(self.data).all()
                if one.manifest is not None and one.manifest.game == game.game_id and not one.recording
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
        )

    def _log(self, where: Path) -> TrainingLog:
        log = self._logs.setdefault(where, TrainingLog(where / LOG))
        log.follow()
        return log


def reward_source(folder: ModuleFolder, about: VersionRecord) -> str:
    """A version's reward function: its own, or the one that the game declares; empty for rules."""
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
    recent = [one.actions for one in points if one.step > last - _RECENT_STEPS and one.actions]
    width = max(map(len, recent), default=0)
    return tuple(sum(one[at] for one in recent if at < len(one)) for at in range(width))


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
    said = log.state.state if log.state is not None else None
    if pid is not None:
        return said if said in ("running", "paused") else "starting"
    if said in ("stopped", "finished", "failed"):
        return said
    if said is None and time.time() - max(about.created_at, _changed_at(where / ABOUT)) < _GRACE_S:
        return "starting"
    return "died"


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _pace(points: Sequence[Point]) -> float:
    """Decisions a second over the last points, by the training's own clock."""
    recent = points[-_PACE_POINTS:]
    if len(recent) < 2:
        return recent[0].fps if recent else 0.0
    seconds = recent[-1].wall_s - recent[0].wall_s
    return (recent[-1].step - recent[0].step) / seconds if seconds > 0 else 0.0
