"""The dialog that asks what another agent would do at the steps of a run, and lists where it differs."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import EmptyState
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.job_dialog import JobDialog
from pitwall.console.kit.notification import Notification
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import Look
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import clock_tenths
from pitwall.store.run_reader import RunRow

_PLANNERS = (
    ("skills", "the skill planner"),
    ("model", "a model"),
    ("explore", "the default agent"),
    ("random", "random"),
)
_MODULE = "module "
_COLUMNS: tuple[Column[dict[str, Any]], ...] = (
    Column("Step", lambda step: f"{step['step']:,}", sort=lambda step: step["step"], number=True, width=64),
    Column(
        "Time",
        lambda step: clock_tenths(step["at_ms"] / 1e3),
        sort=lambda step: step["at_ms"],
        number=True,
        width=74,
    ),
    Column("Was done", lambda step: str(step["did"]), width=130),
    Column("It would do", lambda step: str(step["would"]), width=130),
    Column("Why", lambda step: str(step["why"]), tone="dim", width=200, stretch=1),
)


class BranchDialog(JobDialog):
    """Runs `pitwall replay` in the background; nothing is sent to any game.

    Args:
        step: the step to begin with.

    Signals:
        step_wanted(step): the operator wants to see a step where the agents differ.

    Attributes:
        offer, offer_name, tip: of the button that opens it.
    """

    step_wanted = Signal(int)
    offer = "Ask another agent…"
    offer_name = "What would another agent do here"
    tip = "Another agent decides this step, or all that follow, again"

    def __init__(
        self, look: Look, data: DataFolder, run: RunRow, step: int, parent: QWidget | None = None
    ) -> None:
        self._run = run
        self.model = TableModel(_COLUMNS, lambda step: (step["step"], step["at_ms"]))
        self.table = Table(look, self.model, "Where they differ", "Enter shows the step")
        self.table.set_empty(
            EmptyState(
                "No difference is listed", "Steps at which the agent would do something else are listed here."
            )
        )
        super().__init__(
            f"What would another agent do in run {run.run_id}?",
            _fields(run, step),
            data,
            parent,
            text="It sees the recorded fields and pictures. Nothing is sent to any game.",
            go="Ask",
            doing="Deciding again",
            unit="steps",
            cancelled="Cancelled.",
            below=self.table,
        )
        self.setMinimumSize(760, 560)
        self.table.opened.connect(lambda step: self.step_wanted.emit(step["step"]))

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        self.table.show_rows(())
        return [
            *("replay", str(self._run.run_id), "--from", str(int(chosen["step"]))),
            *("--agent", _agent(chosen["agent"], chosen["which"].strip())),
            *(("--steps", "1") if chosen["alone"] else ()),
            *(("--play-on",) if chosen["play_on"] else ()),
        ]

    def notice(self, answer: Any) -> Notification:
        first, sentence = answer["first"], answer["sentence"]
        version = answer["version"] if "@" not in answer["agent"] else ""
        name = f"{answer['agent']} {version}".strip()
        if first is None:
            return Notification("None of these steps was in play as this agent plays it.")
        self.table.show_rows(answer["differences"])
        message = f"At step {first['step']} {first['did']} was done; {name} would do {first['would']}."
        changed = " The game's profile has changed since." if answer["profile_changed"] else ""
        branch = _branch_words(answer["played_on"], name)
        return Notification(f"{message} {name} {sentence}{changed}{branch}", stays=True)


def _fields(run: RunRow, step: int) -> list[Field]:
    modules = [name.removeprefix(_MODULE) for name in run.manifest.versions if name.startswith(_MODULE)]
    agents = [Option(name, word) for name, word in _PLANNERS]
    agents += [Option(f"{_MODULE}{name}", f"the module {name}") for name in modules]
    steps = max(1, run.summary.steps)
    play_on = "Let a module play on from there, in the game's twin"
    return [
        Field(key="agent", label="Agent", kind="choice", options=tuple(agents), default="skills"),
        Field(
            key="which",
            label="Version or model",
            kind="text",
            hint="empty: the one in force",
            help="A module's version, like v3, or a model's name",
        ),
        Field(key="step", label="From step", kind="number", default=step, least=1, most=steps),
        Field(key="alone", label="Ask about this step alone", kind="flag"),
        Field(key="play_on", label=play_on, kind="flag"),
    ]


def _branch_words(played: dict[str, Any] | None, name: str) -> str:
    """Set the two outcomes of playing on side by side; empty where nothing was played."""
    if played is None:
        return ""
    ends = [
        f"{who} {run['score']:g} after {run['seconds']:.1f} s more ({run['end'] or 'not over then'})"
        for who, run in (("recorded", played["recorded"]), (name, played["other"]))
    ]
    return f"\nPlayed on from step {played['step']}, score: {', '.join(ends)}."


def _agent(chosen: str, which: str) -> str:
    """Return an agent's name as the command takes it."""
    module = chosen.removeprefix(_MODULE)
    if module != chosen:
        return f"{module}@{which}" if which else module
    return f"{chosen}:{which}" if which and chosen == "model" else chosen
