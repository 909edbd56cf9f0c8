"""Messages between a suite and its task workers, each a process that plays one task, and the client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.link.vocabulary import Vocabulary
from pitwall_bench.suites.results import Cell, TaskRun
from pitwall_bench.suites.spec import AgentSpec, Limits
from pitwall_evaluation.worker_client import WorkerClient

ROLE = "task-seat"


class _Word(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LentMemory(_Word):
    """The memory that a run begins with.

    Attributes:
        content_hash: of its entries. file: a snapshot's file; None: it has no entries.
        kept: whether what the run learns goes back with the session, for a later run.
    """

    content_hash: str
    file: Path | None = None
    kept: bool = False


class PlayTask(_Word):
    """Order: play one cell; answered by TaskProgress while it plays, then by a TaskDone or a TaskFault.

    Attributes:
        game: id, or the path of a folder that is not bundled. data: the operator's data folder, only read.
        session: the run's own data folder; emptied first, kept afterwards.
        protocol: real-time or paused, from the agent or the suite.
        screen: a virtual screen of its own, or the existing one (a person needs that).
        keep_frames: whether the run log keeps pictures of the steps.
        memory: None: the run begins without entries, and nobody asks what it learned.
    """

    kind: Literal["play_task"] = "play_task"
    cell: Cell
    game: str
    agent: AgentSpec
    protocol: Literal["real-time", "paused"]
    limits: Limits
    data: Path
    session: Path
    screen: Literal["own", "here"] = "own"
    keep_frames: bool = False
    memory: LentMemory | None = None


class GiveUp(_Word):
    """Order: end the run now, keys up, everything cleared away; answered by a TaskDone (`stopped`)."""

    kind: Literal["give_up"] = "give_up"


class TaskProgress(_Word):
    """Progress of the run, sent once or twice a second.

    Attributes:
        picture: a PNG (at most 320 px wide) in the session's folder; empty: none yet.
    """

    kind: Literal["task_progress"] = "task_progress"
    state: str
    steps: int = 0
    budget: int = 0
    progress: float = 0.0
    score: float | None = None
    seconds: float = 0.0
    picture: str = ""


class TaskDone(_Word):
    """Result of the run, even of one that could not be played."""

    kind: Literal["task_done"] = "task_done"
    run: TaskRun


class TaskFault(_Word):
    """The worker could not begin: a fault of the order, not of the game."""

    kind: Literal["task_fault"] = "task_fault"
    what: str
    fix: str = ""


ORDERS = Vocabulary(Annotated[PlayTask | GiveUp, Field(discriminator="kind")])
ANSWERS = Vocabulary(Annotated[TaskProgress | TaskDone | TaskFault, Field(discriminator="kind")])


class TaskWorker(WorkerClient[PlayTask, TaskProgress | TaskDone | TaskFault]):
    """A process that plays one task."""

    def __init__(self, order: PlayTask, log: Path) -> None:
        super().__init__(ROLE, order, ORDERS, ANSWERS, log)

    def give_up(self) -> None:
        """Ask it to end the run now; it answers with the result so far."""
        self.send(GiveUp())
