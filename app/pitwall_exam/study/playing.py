"""Plays a study's episodes by the command that plays a game, and notes their runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall_exam.study.plan import PLANNERS, Episode

_SECONDS_A_STEP = 3.0
"""Time after which an episode ends, whatever its steps: a game can be slower than its agent."""
_POLL_S = 0.2
EPISODES_FILE = "episodes.json"


class _Played(BaseModel):
    """The runs of a study's episodes, by the episodes' keys."""

    runs: dict[str, int] = Field(default_factory=dict)


class EpisodePlayer:
    """Plays the episodes that a study lacks; a played one is never played again.

    Args:
        folder: of the study.
    """

    def __init__(self, data: DataFolder, folder: Path) -> None:
        self._data = data
        self._file = folder / EPISODES_FILE
        try:
            self._played = read_model(_Played, self._file, fix="Delete it: the episodes are played again.")
        except FileNotFoundError:
            self._played = _Played()

    def run_of(self, episode: Episode, stopped: Callable[[], bool]) -> int | None:
        """Return the run of an episode, and play it first if needed; None if stopped.

        Raises:
            PitwallError: the game could not be played; ends with the command's own words.
        """
        known = self._played.runs.get(episode.key)
        if known is not None:
            return known
        run_id = self._play(episode, stopped)
        if run_id is not None:
            self._played.runs[episode.key] = run_id
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._file, self._played.model_dump_json(indent=1), sync=True)
        return run_id

    def _play(self, episode: Episode, stopped: Callable[[], bool]) -> int | None:
        words = [
            sys.executable,
            "-m",
            "pitwall",
            *command_of(episode),
            "--json",
            "--data",
            str(self._data.root),
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            while True:
                try:
                    output, errors = child.communicate(timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    if stopped():
                        child.terminate()
        if stopped():
            return None
        lines = output.strip().splitlines()
        if child.returncode or not lines:
            cause = (errors.strip().splitlines() or ["it printed nothing"])[-1]
            raise PitwallError(
                f"{episode.game} with seed {episode.seed} could not be played: {cause}",
                f"Try it alone: pitwall {' '.join(command_of(episode))}",
            )
        return int(json.loads(lines[-1])["run_id"])


def command_of(episode: Episode) -> list[str]:
    """Return the words of the command that plays an episode."""
    game, _, scenario = episode.game.partition("/")
    words = ["run", "--game", game, "--seed", str(episode.seed), "--steps", str(episode.steps)]
    words += ["--seconds", f"{_SECONDS_A_STEP * episode.steps:.0f}"]
    words += ["--scenario", scenario] if scenario else []
    if episode.agent in PLANNERS:
        return [*words, "--planner", episode.agent]
    return [*words, "--planner", "model", "--model", episode.agent]
