"""Plays a study's episodes on other machines, by Ray: each plays the same command and sends its run back."""

from __future__ import annotations

import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder, default_data_dir
from pitwall_evaluation import ray_cluster
from pitwall_exam.study.command import printed_by
from pitwall_exam.study.plan import Episode

_LOOK_S = 0.5
_ENDING_S = 60.0


def play_on_ray(
    workers: str,
    parallel: int,
    data: DataFolder,
    orders: Sequence[tuple[Episode, Sequence[str]]],
    stopped: Callable[[], bool],
) -> Iterator[tuple[Episode, int | PitwallError]]:
    """Play episodes on a cluster; yield each with its run in the data folder, or why it was not played.

    A worker plays one episode at a time on a screen of its own. If stopped, episodes that are not over end.

    Args:
        workers, parallel: the cluster (see `ray_cluster.connect`); it is connected while episodes are played.
        orders: episodes, each with the words of the command that plays it.

    Raises:
        PitwallError: Ray is not installed, or the cluster cannot be reached.
    """
    ray = ray_cluster.connect(workers, parallel)
    waiting, playing = deque(orders), dict[Any, tuple[Episode, Any]]()
    room = min(len(orders), int(ray.cluster_resources().get("CPU", 1)))
    host_class = ray.remote(num_cpus=1, max_restarts=0, max_concurrency=2)(EpisodeHost)
    idle = [host_class.remote() for _ in range(room)]
    try:
        while (waiting or playing) and not stopped():
            while waiting and idle:
                episode, words = waiting.popleft()
                try:
                    files = ray_cluster.game_files(data.root, episode.game.partition("/")[0])
                except PitwallError as error:
                    yield episode, error
                    continue
                host = idle.pop()
                playing[host.play.remote(str(data.root), list(words), files)] = (episode, host)
            for task in ray.wait(list(playing), timeout=_LOOK_S)[0] if playing else ():
                episode, host = playing.pop(task)
                try:
                    result: int | PitwallError = _received(ray.get(task), data)
                except PitwallError as error:  # also what a worker raised, by Ray's class of both kinds
                    result = getattr(error, "cause", error)
                except Exception as error:  # the worker has ended: Ray has a dozen kinds for this
                    last_words = (str(error).strip().splitlines() or [type(error).__name__])[-1]
                    result, host = PitwallError(f"its worker ended: {last_words}"), host_class.remote()
                idle.append(host)
                yield episode, result
    finally:
        for _, host in playing.values():
            host.stop.remote()
        if playing:
            ray.wait(list(playing), num_returns=len(playing), timeout=_ENDING_S)
        for host in (*idle, *(host for _, host in playing.values())):
            ray.kill(host)
        ray.shutdown()


def _received(files: bytes, data: DataFolder) -> int:
    """Take a run that was sent into the run log, and return its number."""
    with tempfile.TemporaryDirectory() as folder:
        ray_cluster.unpack(files, Path(folder))
        command = ["archive", "restore", "--as-new", "--archive", folder, "--data", str(data.root)]
        return int(printed_by(command)["runs"][0]["run_id"])


# ---- in the worker


class EpisodeHost:
    """Plays episodes in a worker of this machine, one at a time: a Ray actor."""

    def __init__(self) -> None:
        self._stopped = Event()

    def play(self, data: str, words: list[str], game_files: bytes) -> bytes:
        """Play an episode in a data folder that lasts as long, and return its run as a packed archive.

        Args:
            data: folder with settings and models; where it is not on this machine, its own counts.
            words: of the command that plays. game_files: folder of the operator's own game; empty: none.

        Raises:
            PitwallError: it could not be played, or was stopped.
        """
        scratch = ray_cluster.scratch_folder()
        try:
            of = DataFolder(Path(data)) if Path(data).is_dir() else DataFolder(default_data_dir())
            own = ray_cluster.temporary_data(scratch, of)
            if game_files:
                words[words.index("--game") + 1] = ray_cluster.add_sent_game(game_files, scratch, own)
            run = printed_by([*words, "--data", str(own.root)], stopped=self._stopped.is_set, own_screen=True)
            if run is None:
                raise PitwallError("it was stopped.")
            archive = scratch / "archive"
            printed_by(
                ["archive", "add", str(run["run_id"]), "--archive", str(archive), "--data", str(own.root)]
            )
            return ray_cluster.packed(archive, fix="Play fewer steps, or without Ray.")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def stop(self) -> None:
        """End the episode that is being played."""
        self._stopped.set()
