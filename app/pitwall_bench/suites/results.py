"""The results of a suite's runs, and its folder, which console and commands read.

suites/ID/suite.yaml        what was asked, with its identity when it began
suites/ID/results.jsonl     one TaskRun per line, in the order they finished
suites/ID/board.json        what plays now (Board); missing or stale when nothing does
suites/ID/sessions/KEY/     a data folder with the run of that cell: its steps, frames and log
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.runs import CALL_BUDGET, Difficulty, RunSummary

SPEC_FILE, RESULTS_FILE, BOARD_FILE, SESSIONS = "suite.yaml", "results.jsonl", "board.json", "sessions"

EndReason = Literal[
    "target",
    "terminal",
    "end_field",
    "steps",
    "time",
    "calls",
    "tokens",
    "stopped",
    "launch",
    "not_ready",
    "crashed",
    "truth",
    "outside",
]
"""Why a run ended. The first seven mean that it was played to its end. The others say why it could not be:
somebody stopped it; the game could not be started; it never became ready; it or the agent died; its true
state had no such field or a wrong type; something outside (a takeover, a lost screen, a sleeping machine).
"""
PLAYED: tuple[EndReason, ...] = ("target", "terminal", "end_field", "steps", "time", "calls", "tokens")


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cell(_Kept):
    """One run to be played: a task by an agent.

    Attributes:
        wave: number of the suite's repeat, from 0; a wave plays every cell once.
        rung: number of the task in its ladder; −1: the run belongs to no climb up a ladder.
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
        """Return the cell's name within its suite, which is also its session's folder."""
        climb = f"~{self.rung}.{self.attempt}" if self.rung >= 0 else ""
        return f"{self.game}~{self.task}~{self.agent}~{self.seed}~{self.wave}{climb}"


class MemoryLink(_Kept):
    """The place of a run in a chain; it begins with the memory that the run before it left.

    Attributes:
        chain: its name in the suite; empty for a run that keeps nothing. position: in the chain, from 0.
        measures: chain whose memory after `position` runs the run plays with, and keeps nothing.
        before, after: hashes of the memory's snapshots (SPEC §4).
        accepted, retired: names of skills that the gate accepted, and retired, after the run.
        verdict: of the gate, in a sentence. tried_s: seconds that trials of skills took.
        uses: skill → decisions of it in the run, where the memory itself does not count them.
    """

    chain: str = ""
    position: int = 0
    measures: str = ""
    before: str
    after: str
    accepted: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    verdict: str = ""
    tried_s: float = 0.0
    uses: dict[str, int] = Field(default_factory=dict)


class SideRun(_Kept):
    """The figures of one side of a run that two play.

    Attributes:
        role: of the game. agent: who played it. score: the side's own, at the end; None: the game has none.
        run_id: in the side's data folder; None: a person played beside, or no run began.
    """

    role: str
    agent: str
    score: float | None = None
    steps: int = 0
    proposed: int = 0
    invalid: dict[str, int] = Field(default_factory=dict)
    refusals: dict[str, int] = Field(default_factory=dict)
    summary: RunSummary | None = None
    run_id: int | None = None


class TaskRun(_Kept):
    """The result of one run of a task.

    Attributes:
        ended: why. why: in a sentence. success, progress: SPEC §6; progress is clip((best − start) / (target
            − start), 0, 1); None if nothing was played.
        verified: the game itself reported the score; False: read from the pixels.
        resets: how often the game was restarted after a terminal failure.
        unopened_s: until the game could be played. seconds: of play.
        invalid: proposed actions that were not valid, by kind (no_tool_call, out_of_space); of `proposed`.
        summary: the run's own figures (SPEC §10); None if it did not begin.
        run_id: in the session's data folder; in a chain, runs are numbered on from run to run.
        sides: both sides of a task for two, the judged side first; empty for others.
        memory: None if the run began without entries and left none to others.
        load: of the machine at the end. at: seconds since 1970.
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
    difficulty: Difficulty = "hard"
    summary: RunSummary | None = None
    run_id: int | None = None
    sides: tuple[SideRun, ...] = ()
    memory: MemoryLink | None = None
    tries: int = 1
    load: float = 0.0
    at: float = 0.0

    @property
    def played(self) -> bool:
        """Return whether the run counts: it was played to its own end."""
        return self.ended in PLAYED

    @property
    def within_calls(self) -> bool:
        """Return whether it succeeded within the call budget of its difficulty (SPEC §2)."""
        tiers = self.summary.tiers.values() if self.summary is not None else ()
        return self.success and sum(tier.calls for tier in tiers) <= CALL_BUDGET[self.difficulty]


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
    """`board.json`, written at most twice a second.

    Attributes:
        done, of: runs. left_s: estimated seconds left; None: unknown yet.
        at: seconds since 1970; pid: the process that writes it.
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
