"""Saves the runs of an evaluation as they finish, so that an interrupted evaluation resumes.

`trials/TRIAL-KEY.jsonl` in the version's folder is a running evaluation, with a line for each run. When it is
complete the file is renamed, and the next evaluation plays every run again. The key identifies everything
that a score depends on: trial, cap and screen, the version's behaviour, the game's manifest.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.bounded_reading import read_bytes
from pitwall.games.schema.modules import Trial
from pitwall.gsm.version_record import VersionRecord
from pitwall.gsm.versions import ModuleFolder, behaviour
from pitwall.store.folder_errors import folder_error
from pitwall.store.lease import FileLock
from pitwall_lab.game_trials.messages import Screen, TrialRun

_FOLDER = "trials"


class TrialResultsLog:
    """The finished runs of one evaluation; locked while it is open.

    Args:
        trial: with the cap in force.
        fresh: discard the runs of an interrupted evaluation.
        watched: its runs have traces.

    Raises:
        DataFolderError: another evaluation of this version is running, or it cannot be written.
    """

    def __init__(
        self,
        folder: ModuleFolder,
        about: VersionRecord,
        trial: Trial,
        *,
        screen: Screen,
        fresh: bool = False,
        watched: bool = False,
    ) -> None:
        self.root = folder.root / about.version / _FOLDER
        parts = [trial.model_dump(), screen, behaviour(about), folder.game.profile_hash]
        identity = json.dumps([*parts, "watched"] if watched else parts, sort_keys=True)
        self._name = f"{trial.name}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
        self.file = self.root / f"{self._name}.jsonl"
        self._lock = FileLock(
            self.root / "evaluation.lock",
            role="evaluation",
            subject=f"version {about.version} of {folder.name}",
        )
        self._lock.acquire()
        self.runs: dict[int, TrialRun] = {}
        if fresh:
            self.file.unlink(missing_ok=True)
        else:
            self._read()

    def keep(self, run: TrialRun) -> None:
        """Save a finished run; a run without a score is not saved, so that it is played again."""
        if run.score is None:
            return
        self.runs[run.seed] = run
        try:
            with self.file.open("a", encoding="utf-8") as lines:
                lines.write(run.model_dump_json() + "\n")
        except OSError as error:
            raise folder_error(error, self.file) from error

    def complete(self) -> Path:
        """Rename the complete evaluation's file, so that the next evaluation plays every run again."""
        when = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        kept = self.root / f"{self._name}-{when}.jsonl"
        try:
            self.file.replace(kept)
        except OSError as error:
            raise folder_error(error, self.file) from error
        return kept

    def close(self) -> None:
        """Release the lock, so that others can evaluate this version."""
        self._lock.release()

    def _read(self) -> None:
        try:
            lines = read_bytes(self.file).splitlines(keepends=True)
        except FileNotFoundError:
            return
        for line in lines:
            try:
                run = TrialRun.model_validate_json(line)
            except ValidationError:  # cut off by a crash
                continue
            self.runs[run.seed] = run
        if lines and not lines[-1].endswith(b"\n"):
            with self.file.open("ab") as end:
                end.write(b"\n")
