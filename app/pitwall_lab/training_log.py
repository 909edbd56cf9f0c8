"""A training's log and its control: `training.jsonl` beside the version, and `control.json`.

The trainer writes the log line by line; the lab and the commands read it and skip a line that a crash cut
off. Resuming drops the points after the checkpoint, so a curve has one value for each step.
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
"""Locked while a training of the version runs (store.lease.FileLock)."""
PLAYS_LOCK = "playing.lock"
"""Locked by the command that plays, as long as the version learns beside it."""
TrainingControl = Literal["run", "pause", "stop"]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Point(_Line):
    """A training's progress since the previous point.

    Attributes:
        step: decisions so far, over all environments. wall_s: seconds of training so far, without pauses.
        episodes: number finished since the last point; their mean `episode_return`, `length` (decisions) and
            `score` (the trial's); None where none finished.
        loss, q: means over the gradient steps since; None where there were none.
        explained: share of new play that the learned world predicted; None without such a world.
        held_out: of a cloning, the loss on play that is not learned from.
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
    held_out: float | None = None
    explained: float | None = None
    epsilon: float = 0.0
    fps: float = 0.0
    actions: tuple[int, ...] = ()
    states: dict[str, float] = Field(default_factory=dict)
    rewards: dict[str, float] = Field(default_factory=dict)


class Evaluated(_Line):
    """An evaluation of the policy on held-out seeds, headless with delay and noise.

    Attributes:
        best: it is the best so far, which is kept.
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


class ActionAgreement(_Line):
    """A clone's agreement with the person on one action, over held-out play; the first is doing nothing.

    Attributes:
        way: "nothing", "tap" (counted by the press) or "hold" (counted by the decision).
        person, clone, both: how often each took it, and how often both did.
    """

    action: str
    way: Literal["nothing", "tap", "hold"]
    person: int
    clone: int
    both: int

    @property
    def precision(self) -> float | None:
        """Return the share of the clone's actions that the person took, too; None where it never took it."""
        return self.both / self.clone if self.clone else None

    @property
    def recall(self) -> float | None:
        """Return the share of the person's actions that the clone took, too; None if there are none."""
        return self.both / self.person if self.person else None


class Disagreement(_Line):
    """A moment of held-out play where a clone is sure of another action than the person's.

    Attributes:
        at_ns: its time. at_s: since the demonstration began. picture: its number among the pictures.
        sure: distance of the clone's probability from the person's action, 0 … 1.
        clip: file of the pictures around it, in the version's folder; empty: none was kept.
    """

    demonstration: str
    at_ns: int
    at_s: float
    picture: int
    person: str
    clone: str
    sure: float
    clip: str = ""


class HeldOut(_Line):
    """Play of a demonstration that a clone did not learn from: its first moment, and its exclusive end."""

    demonstration: str
    from_ns: int
    to_ns: int


class Cloned(_Line):
    """The result of a cloning: agreement with play that was not learned from.

    Attributes:
        agreement, low, high: share of equal decisions, with its 95 % interval over
            stretches of about five seconds. before: the parent's on the same play; None: it has none.
        parted: in words, the play that was held out. reaction_ms: of the person. shift_ms: time between
            a moment and its label; delay_ms of it are the machine's.
        notes: sentences for the operator.
    """

    kind: Literal["cloned"] = "cloned"
    step: int
    at: float
    agreement: float
    low: float
    high: float
    before: float | None = None
    reaction_ms: float = 0.0
    delay_ms: float = 0.0
    shift_ms: float = 0.0
    parted: str = ""
    held_out: tuple[HeldOut, ...] = ()
    notes: tuple[str, ...] = ()
    actions: tuple[ActionAgreement, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def acting(self) -> float | None:
        """Return the share of the person's presses and holds that the clone did too; None without any.

        The agreement is high for a clone that does nothing where the person mostly did nothing.
        """
        acts = [action for action in self.actions if action.way != "nothing"]
        person = sum(action.person for action in acts)
        return sum(action.both for action in acts) / person if person else None


class State(_Line):
    """The state of a training from now on.

    Attributes:
        steps: number of steps in all. why: a sentence, where it failed or was stopped.
    """

    kind: Literal["state"] = "state"
    state: Literal["running", "paused", "stopped", "finished", "failed"]
    step: int
    steps: int
    at: float
    why: str = ""


Line = Point | Evaluated | Cloned | State
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="kind")])


@dataclass(slots=True)
class TrainingLog:
    """A log as far as it was read.

    Attributes:
        read_to: bytes of the file that were read. damaged: number of unreadable lines in them.
    """

    file: Path
    points: list[Point] = field(default_factory=list)
    evaluations: list[Evaluated] = field(default_factory=list)
    state: State | None = None
    cloned: Cloned | None = None
    read_to: int = 0
    damaged: int = 0

    def follow(self, most: int = -1) -> bool:
        """Read the lines written since, and return whether there were any; restart if the file shrank.

        Args:
            most: read about so many bytes at most; less than zero: all.

        Raises:
            DataFolderError: it cannot be read.
        """
        try:
            with self.file.open("rb") as log:
                if log.seek(0, 2) < self.read_to:
                    self.points, self.evaluations, self.state, self.read_to = [], [], None, 0
                    self.cloned = None
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
                case Cloned():
                    self.cloned = line
                case State():
                    self.state = line


def request_control(folder: Path, wish: TrainingControl) -> None:
    """Ask the training of a version to pause, continue or stop; it checks several times a second."""
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
