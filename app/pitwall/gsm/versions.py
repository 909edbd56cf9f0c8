"""Keeps the versions of modules on disk, and the record of which version drives.

DATA/modules/GAME/MODULE/promoted.json, and a folder for each version:

    about.json      gsm.version_record         control.json   requests to its training (gsm.training_log)
    policy.onnx     the policy                 training.jsonl its curve and state (gsm.training_log)
    reward.py       the reward function        checkpoint.pt  everything that resuming needs
    clips/STEP.webp gameplay of a checkpoint   events/        TensorBoard event files
    scores.jsonl    evaluations since          trials/        runs of evaluations on the screen

A game's folder may ship a version: `modules.learned.policy` names a folder with about.json and policy.onnx.
Two versions need no folder: RULES, as the manifest declares them, and SHIPPED.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pitwall.core.bounded_reading import read_bytes, read_model
from pitwall.core.errors import DamagedFile, PitwallError, suggestion
from pitwall.core.paths import DataFolder
from pitwall.games.invented_modules import OFF, SWITCH_ON
from pitwall.games.schema.invention import InventedModule
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game
from pitwall.gsm.packaged_agents import agents_for, packaged_agents
from pitwall.gsm.version_record import ABOUT, Promotion, PromotionHistory, Score, VersionRecord
from pitwall.store.folder_errors import folder_error, write_file
from pitwall.store.lease import FileLock

RULES = "rules"
SHIPPED = "shipped"
SCORES = "scores.jsonl"
_NUMBERED = re.compile(r"v(\d+)")


class UnknownModule(PitwallError):
    """A game has no module of that name, or a module no version of that name."""


class DamagedVersion(PitwallError):
    """A version's folder is damaged."""


class _ScoreLine(BaseModel):
    """One line of scores.jsonl."""

    model_config = ConfigDict(frozen=True)

    behaviour: str
    score: Score


class ModuleFolder:
    """Versions of one module of one game.

    Args:
        game: the module's game.
        module: its name.
        resting: accept an invented module at rest, which can be shown but not played.

    Raises:
        UnknownModule: the game has none of that name.
    """

    def __init__(self, data: DataFolder, game: Game, module: str, *, resting: bool = False) -> None:
        self.game = game
        self.declared = declared(game, module, resting=resting)
        self.root = data.modules / game.game_id / module

    @property
    def invented(self) -> InventedModule | None:
        """Return the module, if it was invented; None where the game's author declared it."""
        return self.declared if isinstance(self.declared, InventedModule) else None

    def folder(self, version: str) -> Path:
        """Return the folder of a version, existing or not."""
        if version == SHIPPED and self.declared.learned is not None and self.declared.learned.policy:
            return self.game.folder / self.declared.learned.policy
        return self.root / version

    def names(self) -> list[str]:
        """List every version: first those without a folder, then the others in the order they were made."""
        names = [RULES] if self.declared.rules else []
        if (self.folder(SHIPPED) / ABOUT).is_file():
            names.append(SHIPPED)
        made = [match for path in _folders(self.root) if (match := _NUMBERED.fullmatch(path.name))]
        return names + [match.group() for match in sorted(made, key=lambda match: int(match.group(1)))]

    def about(self, version: str) -> VersionRecord:
        """Read the record of a version.

        Raises:
            UnknownModule: there is none of that name. DamagedVersion: its about.json cannot be read.
        """
        if version == RULES and self.declared.rules:
            return self._with_scores(self._declared_rules())
        file = self.folder(version) / ABOUT
        try:
            about = read_model(VersionRecord, file).model_copy(update={"version": version})
        except FileNotFoundError:
            known = self.names()
            hint = suggestion(version, known, f"There are: {', '.join(known) or 'none'}.")
            for agent in agents_for(packaged_agents()[0], self.game.game_id, self.declared.name):
                hint = f"A package brings it. {agent.how_to_trust}" if agent.name == version else hint
            raise UnknownModule(f"{self.name} has no version {version!r}.", hint) from None
        except DamagedFile as error:
            raise _damaged(error) from None
        return self._with_scores(about)

    def all(self) -> tuple[list[VersionRecord], list[PitwallError]]:
        """Return every readable version, and the errors of the others."""
        good: list[VersionRecord] = []
        faults: list[PitwallError] = []
        for name in self.names():
            try:
                good.append(self.about(name))
            except PitwallError as error:
                faults.append(error)
        return good, faults

    @property
    def name(self) -> str:
        """Return GAME/MODULE, as commands and messages name it."""
        return f"{self.game.game_id}/{self.declared.name}"

    def new(self, about: VersionRecord) -> VersionRecord:
        """Make the folder of a new version, choose its name, and return its record."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            for _ in range(1000):
                taken = [
                    int(match.group(1)) for p in _folders(self.root) if (match := _NUMBERED.fullmatch(p.name))
                ]
                version = f"v{max(taken, default=0) + 1}"
                try:
                    (self.root / version).mkdir()
                except FileExistsError:
                    continue
                about = about.model_copy(update={"version": version, "created_at": time.time()})
                self.write(about)
                return about
        except OSError as error:
            raise folder_error(error, self.root) from error
        raise PitwallError(f"{self.root}: no further version can be made.")

    def write(self, about: VersionRecord) -> None:
        """Replace a version's about.json; only its trainer or its judge writes it."""
        write_file(self.folder(about.version) / ABOUT, about.model_dump_json(indent=1) + "\n")

    def add_score(self, version: str, score: Score) -> VersionRecord:
        """Save an evaluation of a version and return its record.

        The score is kept beside about.json, because the judge need not be the trainer, and versions without a
        folder of their own are judged, too.
        """
        about = self.about(version)
        line = _ScoreLine(behaviour=behaviour(about), score=score)
        file = self.root / version / SCORES
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as lines:
                lines.write(line.model_dump_json() + "\n")
        except OSError as error:
            raise folder_error(error, file) from error
        return self.about(version)

    def promoted(self) -> PromotionHistory:
        """Read the history of promotions; empty if the file is missing.

        Raises:
            DamagedVersion: it cannot be read.
        """
        file = self.root / "promoted.json"
        try:
            return read_model(PromotionHistory, file)
        except FileNotFoundError:
            return PromotionHistory()
        except DamagedFile as error:
            raise _damaged(error) from None

    def driving(self) -> str:
        """Return the version that drives: the promoted, else the shipped, else the rules; empty for none."""
        if self.invented is not None and self.invented.at_rest:
            return ""
        names = self.names()
        promoted = self.promoted().version
        if promoted in names:
            return promoted
        return SHIPPED if SHIPPED in names else RULES if RULES in names else ""

    def must_drive(self) -> str:
        """Return the version that drives.

        Raises:
            PitwallError: none does; names those that could.
        """
        if version := self.driving():
            return version
        made = self.names()
        if not made:
            raise PitwallError(f"{self.name} has no version.", f"Train one: pitwall gsm train {self.name}")
        raise PitwallError(
            f"nothing drives {self.name}: none of its versions was promoted. There are: {', '.join(made)}.",
            f"Name one, like {self.declared.name}@{made[-1]}; or promote it: pitwall gsm promote {self.name} "
            f"{made[-1]}",
        )

    def promote(self, version: str, *, by: str = "operator", why: str = "") -> PromotionHistory:
        """Let a version drive; the caller judges whether it should."""
        self.about(version)
        with self._lock():
            history = (*self.promoted().history, Promotion(version=version, at=time.time(), by=by, why=why))
            return self._keep(PromotionHistory(history=history))

    def roll_back(self, *, by: str = "operator", why: str = "") -> PromotionHistory:
        """Let the version drive that drove before the newest promotion.

        Raises:
            PitwallError: nothing was promoted.
        """
        with self._lock():
            history = self.promoted().history
            standing: list[str] = []
            for promotion in history:
                if promotion.back:
                    standing.pop()
                else:
                    standing.append(promotion.version)
            if not standing:
                raise PitwallError(f"{self.name}: nothing is promoted, so there is nothing to roll back.")
            before = standing[-2] if len(standing) > 1 else ""
            back = Promotion(version=before, at=time.time(), by=by, why=why, back=True)
            return self._keep(PromotionHistory(history=(*history, back)))

    def _keep(self, promoted: PromotionHistory) -> PromotionHistory:
        write_file(self.root / "promoted.json", promoted.model_dump_json(indent=1) + "\n")
        return promoted

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with FileLock(self.root / "promoted.lock", role="modules", subject=f"the module {self.name}"):
            yield

    def _with_scores(self, about: VersionRecord) -> VersionRecord:
        """Return the record with the saved scores of the same behaviour."""
        file = self.root / about.version / SCORES
        try:
            lines = read_bytes(file).splitlines()
        except FileNotFoundError:
            return about
        now, own, fitting = behaviour(about), set(about.scores), set[Score]()
        for text in lines:
            try:
                line = _ScoreLine.model_validate_json(text)
            except ValidationError:  # cut off by a crash
                continue
            own.discard(line.score)  # a writer of about.json wrote it there too: it ends with its behaviour
            if line.behaviour == now:
                fitting.add(line.score)
        scores = sorted(own | fitting, key=lambda score: score.at)
        return about.model_copy(update={"scores": tuple(scores)})

    def _declared_rules(self) -> VersionRecord:
        of = self.invented
        return VersionRecord(
            game_id=self.game.game_id,
            module=self.declared.name,
            version=RULES,
            kind="rules",
            title="as the game declares it" if of is None else f"as {of.author} invented it",
            why="" if of is None else of.invention.module.why,
            by="project" if of is None else of.invention.by,
            created_at=0.0 if of is None else of.invention.at,
            profile_hash=self.game.profile_hash,
            rules=self.declared,
        )


def declared(game: Game, module: str, *, resting: bool = False) -> Module:
    """Return a game's module by name.

    Args:
        resting: accept an invented module at rest.

    Raises:
        UnknownModule: there is none.
    """
    for known in game.profile.modules:
        if known.name == module:
            return known
    for invented in game.invented:
        if invented.name == module and resting:
            return invented
        if invented.name == module:
            raise UnknownModule(
                f"{game.game_id}/{module} was invented by {invented.author}, and is at rest: "
                f"{invented.at_rest}.",
                SWITCH_ON
                if invented.at_rest == OFF
                else f"Remove it: pitwall gsm remove {game.game_id}/{module}",
            )
    names = [module.name for module in game.profile.modules]
    hint = suggestion(module, names, f"It has: {', '.join(names) or 'none'}.")
    raise UnknownModule(f"{game.game_id} has no game sense module {module!r}.", hint)


def behaviour(about: VersionRecord) -> str:
    """Return a hash that changes with a version's behaviour: its rules, detectors, inputs and policy."""
    learned = (
        about.learned.model_dump(exclude={"training", "reward", "twin", "policy"}) if about.learned else 0
    )
    rules = about.rules.model_dump(include={"ends", "rules"}) if about.rules else 0
    detectors = [detector.model_dump() for detector in about.detectors]
    text = json.dumps([about.kind, rules, detectors, learned, about.policy_sha256], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal.

    Raises:
        DataFolderError: it cannot be read.
    """
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        raise folder_error(error, file) from error


def _folders(root: Path) -> list[Path]:
    return [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []


def _damaged(error: DamagedFile) -> DamagedVersion:
    return DamagedVersion(error.what, "Put a whole copy back, or delete the version's folder.")
