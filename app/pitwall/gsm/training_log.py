"""A training's log and its reins: `training.jsonl` beside the version, and `control.json` that steers it.

The trainer writes the log line by line, the lab and the commands read it; a line that a crash cut off is
left out. Resuming drops the points after the checkpoint, so a curve has one value for each step.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile
from pitwall.store.folder_errors import folder_error, write_file

LOG = "training.jsonl"
CONTROL = "control.json"
LOCK = "training.lock"
"""Held while a training of the version runs (store.lease.FileLock)."""
TrainingControl = Literal["run", "pause", "stop"]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Point(_Line):
    """Holds a training's progress since the previous point.

    Attributes:
        step: decisions so far, over all environments. wall_s: seconds of training so far, pauses apart.
        episodes: finished since the last point; their mean `episode_return`, `length` (decisions) and
            `score` (the trial's); None where none was.
        loss, q: means over the gradient steps since; None where there were none.
        fps: decisions per second of wall time.
        actions: how often each was chosen since. states: mean of each numeric field.
        rewards: mean of each named part of the reward.
    """

    kind: Literal["point"] = "point"
    step: int
    wall_s: float
    at: float
    episodes: int = 0
    episode_return: float | None = None
    length: float | None = None
    score: float | None = None
    loss: float | None = None
    q: float | None = None
    epsilon: float = 0.0
    fps: float = 0.0
    actions: tuple[int, ...] = ()
    states: dict[str, float] = Field(default_factory=dict)
    rewards: dict[str, float] = Field(default_factory=dict)


class Evaluated(_Line):
    """The policy as it was, on held-out seeds, headless with delay and noise.

    Attributes:
        best: the best so far, which is the one that is kept.
        clip: file of its gameplay, in the version's folder.
    """

    kind: Literal["evaluated"] = "evaluated"
    step: int
    wall_s: float
    at: float
    runs: int
    mean: float
    low: float
    high: float
    wins: int
    best: bool = False
    clip: str = ""


class State(_Line):
    """Holds the state of a training from now on.

    Attributes:
        steps: of how many. why: a sentence, where it failed or was stopped.
    """

    kind: Literal["state"] = "state"
    state: Literal["running", "paused", "stopped", "finished", "failed"]
    step: int
    steps: int
    at: float
    why: str = ""


Line = Annotated[Point | Evaluated | State, Field(discriminator="kind")]
_LINE: TypeAdapter[Point | Evaluated | State] = TypeAdapter(Line)


@dataclass(slots=True)
class TrainingLog:
    """A log as far as it was read.

    Attributes:
        read_to: bytes of the file that were taken in. damaged: lines of them that say nothing.
    """

    file: Path
    points: list[Point] = field(default_factory=list)
    evaluations: list[Evaluated] = field(default_factory=list)
    state: State | None = None
    read_to: int = 0
    damaged: int = 0

    def follow(self, most: int = -1) -> bool:
        """Take in what was written since; whether there was anything. A file that shrank is read anew.

        Args:
            most: read about so many bytes at most; less than zero: all.

        Raises:
            DataFolderError: it cannot be read.
        """
        try:
            with self.file.open("rb") as log:
                if log.seek(0, 2) < self.read_to:
                    self.points, self.evaluations, self.state, self.read_to = [], [], None, 0
                    self.damaged = 0
                log.seek(self.read_to)
                fresh = log.read(most)
                if len(fresh) == most:
                    fresh += log.readline()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise folder_error(error, self.file) from error
        whole = fresh[: fresh.rfind(b"\n") + 1]
        self.read_to += len(whole)
        self._take(whole.splitlines())
        return bool(whole)

    def _take(self, lines: Iterable[bytes]) -> None:
        for text in lines:
            try:
                line = _LINE.validate_json(text)
            except ValidationError:
                self.damaged += 1
                continue
            match line:
                case Point():
                    self.points.append(line)
                case Evaluated():
                    self.evaluations.append(line)
                case State():
                    self.state = line


def request_control(folder: Path, wish: TrainingControl) -> None:
    """Ask the training of a version to pause, go on or stop; it looks several times a second."""
    write_file(folder / CONTROL, json.dumps({"want": wish}) + "\n")


def read_control(folder: Path) -> TrainingControl:
    """Return the last request to a training; "run" if there was none or it cannot be read."""
    try:
        want = read_json(folder / CONTROL)["want"]
    except (FileNotFoundError, DamagedFile, KeyError, TypeError):
        return "run"
    match want:
        case "pause" | "stop":
            return "pause" if want == "pause" else "stop"
        case _:
            return "run"
