"""Words for suites and their results: signs with words, numbers with units. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from pitwall.core.quantities import NONE, duration_text, left, share_with_interval, tally
from pitwall_bench.console.figures import Figure, Group
from pitwall_bench.suites.catalogue import State, SuiteRun
from pitwall_bench.suites.results import Cell, EndReason, RunningSession, SideRun, TaskRun


@dataclass(frozen=True, slots=True)
class Sign:
    """A state's shape, word and tone (colour is never the only sign)."""

    shape: str
    word: str
    tone: Literal["neutral", "stop", "ok"] = "neutral"

    @property
    def text(self) -> str:
        return f"{self.shape} {self.word}"


STATES: dict[State, Sign] = {
    "starting": Sign("…", "starting"),
    "playing": Sign("▶", "playing", "ok"),
    "done": Sign("✓", "done", "ok"),
    "stopped": Sign("■", "stopped"),
    "broken off": Sign("!", "broke off", "stop"),
}
ENDS: dict[EndReason, str] = {
    "target": "target reached",
    "terminal": "the game was lost",
    "end_field": "the game said it ends",
    "steps": "steps used up",
    "time": "time used up",
    "calls": "model calls used up",
    "tokens": "tokens used up",
    "stopped": "stopped",
    "launch": "did not start",
    "not_ready": "never became ready",
    "crashed": "crashed",
    "truth": "no true state",
    "outside": "ended from outside",
}
"""Why a run ended."""


def end_sign(run: TaskRun) -> Sign:
    """Return the sign of a run's end."""
    if run.success:
        return Sign("✓", ENDS[run.ended], "ok")
    if not run.played:
        return Sign("!", ENDS[run.ended], "stop")
    return Sign("○", ENDS[run.ended])


def why_words(run: TaskRun) -> str:
    """Say in one line why a run ended; of a program's last words, give the last line."""
    lines = [line.strip() for line in run.why.splitlines() if line.strip(" ^~")]
    return lines[-1] if lines else ENDS[run.ended]


def progress_words(run: SuiteRun) -> str:
    """Format "14 of 24 runs · 2:05 min left"."""
    words = [f"{run.done:,} of {run.of:,} runs" if run.of else f"{run.done:,} runs"]
    if run.live and run.board is not None and run.board.left_s is not None:
        words.append(left(run.board.left_s))
    if run.failed:
        words.append(f"{run.failed:,} not played")
    return " · ".join(words)


def cell_title(cell: Cell) -> str:
    """Format "flappy · gap"."""
    return f"{cell.game} · {cell.task}"


def cell_more(cell: Cell) -> str:
    """Format "skills · seed 3 · wave 2", with the rung of a climb."""
    words = [cell.agent, f"seed {cell.seed}"]
    words += [f"wave {cell.wave + 1}"] if cell.wave else []
    words += [f"rung {cell.rung + 1}, try {cell.attempt + 1}"] if cell.rung >= 0 else []
    return " · ".join(words)


def success_words(figure: Figure) -> str:
    """Format "5 of 8"."""
    return f"{figure.hits:,} of {figure.of:,}" if figure.of else NONE


def share_words(figure: Figure) -> str:
    """Format "63 % (31 … 86 %)"."""
    return share_with_interval(figure.value, figure.low, figure.high) if figure.of else NONE


def score_words(score: float | None, target: float | None, unit: str) -> str:
    """Format "12 of 20 pipes"; a dash if nothing was counted."""
    if score is None:
        return NONE
    of = f" of {_plain(target)}" if target is not None else ""
    return f"{_plain(score)}{of} {unit}".rstrip()


def role_title(role: str) -> str:
    """Format "Blue"."""
    return role.replace("_", " ").capitalize()


def side_words(side: SideRun, unit: str) -> str:
    """Format "skills · 2 goals · 41 steps · refused: focus 1"."""
    words = [side.agent] + ([score_words(side.score, None, unit)] if side.score is not None else [])
    words += [f"{side.steps:,} steps"] if side.run_id is not None else []
    words += [f"invalid: {tally(side.invalid)}"] if side.invalid else []
    words += [f"refused: {tally(side.refusals)}"] if side.refusals else []
    return " · ".join(words)


def sides_words(runs: Sequence[TaskRun]) -> str:
    """Format "Blue skills 2 : 1 random Red", of several runs their means; empty if none is of two."""
    played = [run.sides for run in runs if run.played and run.sides]
    if not played or len({tuple((side.role, side.agent) for side in sides) for sides in played}) > 1:
        return ""
    scores = [[side.score for side in sides if side.score is not None] for sides in zip(*played, strict=True)]
    first, second = (_plain(fmean(of)) if of else NONE for of in scores)
    judged, other = played[0]
    return (
        f"{role_title(judged.role)} {judged.agent} {first} : {second} {other.agent} {role_title(other.role)}"
    )


def playing_words(session: RunningSession) -> str:
    """Format "34 of 100 steps · 0:31 min"."""
    steps = f"{session.steps:,} of {session.budget:,} steps" if session.budget else f"{session.steps:,} steps"
    return f"{steps} · {duration_text(session.seconds)}"


def notes(group: Group) -> str:
    """Format the caveats of a row: "2 not played · not verified"."""
    words = []
    if group.failed:
        unplayed = group.row.unplayed
        causes = ", ".join(f"{ENDS[cause]} {unplayed[cause]:,}" for cause in ENDS if unplayed.get(cause))
        words.append(f"{group.failed:,} not played: {causes}")
    if group.unverified:
        all_of_them = group.unverified == group.row.runs
        words.append("not verified" if all_of_them else f"{group.unverified:,} not verified")
    return " · ".join(words)


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}".rstrip("0")
