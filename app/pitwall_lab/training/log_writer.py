"""Writes a training's log: `training.jsonl`, TensorBoard event files with the same curves, and a listener."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pitwall.store.folder_errors import folder_error, write_file
from pitwall_lab.training_log import LOG, Cloned, Evaluated, Line, Point, State, TrainingLog

EVENTS = "events"


class TrainingLogWriter:
    """Writes a version's log.

    Args:
        folder: the version's.
        points_to, evaluated_to: last steps whose points and evaluations are kept: a training that resumes
            from a checkpoint writes the later ones again. 0: begin a new log.
        listen: called with every line.

    Raises:
        DataFolderError: it cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        points_to: int = 0,
        evaluated_to: int = 0,
        listen: Callable[[Line], None] | None = None,
    ) -> None:
        from tensorboardX import SummaryWriter  # the import takes half a second, and only a training needs it

        self._file = folder / LOG
        self._listen = listen
        self._cut(points_to, evaluated_to)
        again = {"purge_step": points_to + 1} if points_to else {}
        self._events: Any = SummaryWriter(str(folder / EVENTS), flush_secs=10, **again)

    def write(self, line: Line) -> None:
        """Write a line to the log, and its figures to the event files."""
        try:
            with self._file.open("a", encoding="utf-8") as log:
                log.write(line.model_dump_json() + "\n")
        except OSError as error:
            raise folder_error(error, self._file) from error
        for tag, value in _scalars(line):
            self._events.add_scalar(tag, value, line.step, walltime=line.at)
        if self._listen is not None:
            self._listen(line)

    def close(self) -> None:
        """Flush everything to the disk."""
        self._events.close()

    def _cut(self, points_to: int, evaluated_to: int) -> None:
        log = TrainingLog(self._file)
        log.follow()
        kept: list[Line] = [point for point in log.points if point.step <= points_to]
        kept += [evaluation for evaluation in log.evaluations if evaluation.step <= evaluated_to]
        kept.sort(key=lambda line: line.step)
        write_file(self._file, "".join(line.model_dump_json() + "\n" for line in kept))


def _scalars(line: Line) -> list[tuple[str, float]]:
    match line:
        case Point():
            named: dict[str, float | None] = {
                "episode/return": line.episode_return,
                "episode/length": line.length,
                "episode/score": line.score,
                "learning/loss": line.loss,
                "learning/held_out": line.held_out,
                "learning/q": line.q,
                "learning/explained": line.explained,
                "learning/epsilon": line.epsilon,
                "speed/fps": line.fps,
            }
            named |= {f"reward/{name}": value for name, value in line.rewards.items()}
            named |= {f"state/{name}": value for name, value in line.states.items()}
        case Evaluated():
            named = {"evaluation/mean": line.mean, "evaluation/win_rate": line.wins / line.runs}
        case Cloned():
            named = {"evaluation/agreement": line.agreement}
        case State():
            named = {}
    return [(tag, value) for tag, value in named.items() if value is not None]
