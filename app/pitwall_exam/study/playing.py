"""Plays a study's episodes by the command that plays a game, and notes their runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel, Field

from pitwall.core.bounded_reading import read_model
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import write_file
from pitwall_exam.study.command import printed_by
from pitwall_exam.study.plan import PLANNERS, Episode
from pitwall_exam.study.ray_playing import play_on_ray

_SECONDS_A_STEP = 3.0
"""Time after which an episode ends, whatever its steps: a game can be slower than its agent."""
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
        self._failed: dict[str, PitwallError] = {}
        try:
            self._played = read_model(_Played, self._file, fix="Delete it: the episodes are played again.")
        except FileNotFoundError:
            self._played = _Played()

    def run_of(self, episode: Episode, stopped: Callable[[], bool]) -> int | None:
        """Return the run of an episode, and play it first if needed; None if stopped.

        Raises:
            PitwallError: the game could not be played; ends with the command's own words.
        """
        if episode.key in self._failed:
            raise self._failed[episode.key]
        known = self._played.runs.get(episode.key)
        if known is not None:
            return known
        try:
            printed = printed_by([*command_of(episode), "--data", str(self._data.root)], stopped=stopped)
        except PitwallError as error:
            raise _unplayed(episode, error) from None
        return None if printed is None else self._keep(episode, int(printed["run_id"]))

    def play_ahead(
        self,
        workers: str,
        parallel: int,
        episodes: Sequence[Episode],
        stopped: Callable[[], bool],
        on_played: Callable[[Episode], None],
    ) -> None:
        """Play the episodes that are not played yet on a cluster, side by side.

        Args:
            workers, parallel: the cluster (see `ray_cluster.connect`).
            on_played: called with each episode that is over, or was.

        Raises:
            PitwallError: Ray is not installed, or the cluster cannot be reached.
        """
        orders = []
        for episode in episodes:
            if episode.key in self._played.runs:
                on_played(episode)
            else:
                orders.append((episode, command_of(episode)))
        if not orders:
            return
        for episode, run in play_on_ray(workers, parallel, self._data, orders, stopped):
            if isinstance(run, PitwallError):
                self._failed[episode.key] = _unplayed(episode, run)
            else:
                self._keep(episode, run)
            on_played(episode)

    def _keep(self, episode: Episode, run_id: int) -> int:
        self._played.runs[episode.key] = run_id
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_file(self._file, self._played.model_dump_json(indent=1), sync=True)
        return run_id


def command_of(episode: Episode) -> list[str]:
    """Return the words of the command that plays an episode."""
    game, _, scenario = episode.game.partition("/")
    words = ["run", "--game", game, "--seed", str(episode.seed), "--steps", str(episode.steps)]
    words += ["--seconds", f"{_SECONDS_A_STEP * episode.steps:.0f}"]
    words += ["--scenario", scenario] if scenario else []
    if episode.agent in PLANNERS:
        return [*words, "--planner", episode.agent]
    return [*words, "--planner", "model", "--model", episode.agent]


def _unplayed(episode: Episode, error: PitwallError) -> PitwallError:
    return PitwallError(
        f"{episode.game} with seed {episode.seed} could not be played: {error.what}",
        f"Try it alone: pitwall {' '.join(command_of(episode))}",
    )
