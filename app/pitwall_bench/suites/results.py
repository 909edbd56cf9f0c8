"""Defines the results of a suite's runs and their folder, read by console and commands alike.

suites/ID/suite.yaml        what was asked, with what it stood for when it began
suites/ID/results.jsonl     one TaskRun a line, in the order they finished
suites/ID/board.json        what plays now (Board); gone or stale when nothing does
suites/ID/sessions/KEY/     a data folder with the run of that cell: its steps, frames and log
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.runs import RunSummary

SPEC_FILE, RESULTS_FILE, BOARD_FILE, SESSIONS = "suite.yaml", "results.jsonl", "board.json", "sessions"

EndReason = Literal[
    "target",
    "terminal",
    "end_field",
    "steps",
    "time",
    "stopped",
    "launch",
    "not_ready",
    "crashed",
    "truth",
    "outside",
]
"""Why a run ended. The first five count as played to the end; the others say why it could not be:
stopped by somebody; the game could not be started; never became ready; it or the agent died; its true state
had no such field or the wrong type; something outside (a takeover, a lost screen, a machine asleep)."""
PLAYED: tuple[EndReason, ...] = ("target", "terminal", "end_field", "steps", "time")


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Kept):
    """Holds one run to be played: of a task by an agent.

    Attributes:
        wave: counts the repeats from 0. rung: of a ladder's climb, −1: no ladder.
    """

    game: str
    task: str
    agent: str
    seed: int
    wave: int = 0
    rung: int = -1
    attempt: int = 0

    @property
    def key(self) -> str:
        """Names the cell within its suite; also its session's folder."""
        climb = f"~{self.rung}.{self.attempt}" if self.rung >= 0 else ""
        return f"{self.game}~{self.task}~{self.agent}~{self.seed}~{self.wave}{climb}"


class TaskRun(_Kept):
    """Holds the result of one run of a task.

    Attributes:
        ended: why. why: in a sentence. success, progress: SPEC §6; progress is clip((best − start) / (target
            − start), 0, 1); None where nothing was played.
        verified: the score is the game's own word; False: read from the pixels.
        resets: times that the game was begun anew after a terminal failure.
        unopened_s: until the game could be played. seconds: of play.
        invalid: proposed actions that were not valid, by kind (no_tool_call, out_of_space); of `proposed`.
        summary: the run's own figures (SPEC §10); None where it did not begin.
        run_id: in the session's data folder.
        load: of the machine as it ended. at: seconds since 1970.
    """

    cell: Cell
    genre: str = ""
    level: int = 0
    ended: EndReason
    why: str = ""
    success: bool = False
    progress: float | None = None
    score: float | None = None
    start: float | None = None
    target: float | None = None
    unit: str = ""
    verified: bool = True
    steps: int = 0
    resets: int = 0
    unopened_s: float = 0.0
    seconds: float = 0.0
    proposed: int = 0
    invalid: dict[str, int] = Field(default_factory=dict)
    refusals: dict[str, int] = Field(default_factory=dict)
    summary: RunSummary | None = None
    run_id: int | None = None
    tries: int = 1
    load: float = 0.0
    at: float = 0.0

    @property
    def played(self) -> bool:
        """Whether it counts: it was played to an end of its own."""
        return self.ended in PLAYED


class RunningSession(_Kept):
    """A session that plays now.

    Attributes:
        picture: PNG of the game, relative to the suite's folder; empty: none yet.
    """

    cell: Cell
    state: str = ""
    steps: int = 0
    budget: int = 0
    progress: float = 0.0
    score: float | None = None
    seconds: float = 0.0
    picture: str = ""


class SuiteProgress(_Kept):
    """`board.json`: written whole, twice a second at most.

    Attributes:
        done, of: runs. left_s: estimate of what is left; None: not known yet.
        at: seconds since 1970; pid: who writes it.
    """

    playing: tuple[RunningSession, ...] = ()
    done: int = 0
    of: int = 0
    failed: int = 0
    left_s: float | None = None
    state: Literal["playing", "done", "stopped", "broken off"] = "playing"
    why: str = ""
    at: float = 0.0
    pid: int = 0
