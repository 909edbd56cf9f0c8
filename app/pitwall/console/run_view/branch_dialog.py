"""Asking what another agent would do at the steps of a run: who, from which step, and where they differ."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from pitwall.console.kit.elements import Button, Card, EmptyState, Label, PrimaryButton, column, row
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.table.model import Column, TableModel
from pitwall.console.kit.table.view import Table
from pitwall.console.kit.theme import WIDE, Look, Tone
from pitwall.console.services.job import Job
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


class BranchDialog(QDialog):
    """Runs `pitwall replay` in the background; nothing is sent to any game.

    Args:
        run: which run. step: the one that is asked about, to begin with.

    Signals:
        step_wanted(step): the operator wants to see a step where they differ.
    """

    step_wanted = Signal(int)

    def __init__(
        self, look: Look, data: DataFolder, run: RunRow, step: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        title = f"What would another agent do in run {run.run_id}?"
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setMinimumSize(760, 560)
        self._run = run
        self.job = Job(self, data=data)
        self.job.answered.connect(self._show)
        self.job.failed.connect(lambda error: self._say(error_sentence(error), "stop"))
        self.job.cancelled.connect(lambda: self._say("Cancelled."))
        modules = [name.removeprefix(_MODULE) for name in run.manifest.versions if name.startswith(_MODULE)]
        agents = [Option(name, word) for name, word in _PLANNERS]
        agents += [Option(f"{_MODULE}{name}", f"the module {name}") for name in modules]
        self.form = Form(
            [
                Field(key="agent", label="Agent", kind="choice", options=tuple(agents), default="skills"),
                Field(
                    key="which",
                    label="Version or model",
                    kind="text",
                    hint="empty: the one in force",
                    help="A module's version, like v3, or a model's name",
                ),
                Field(
                    key="step",
                    label="From step",
                    kind="number",
                    default=step,
                    least=1,
                    most=max(1, run.summary.steps),
                ),
                Field(key="alone", label="Ask about this step alone", kind="flag"),
                Field(
                    key="play_on", label="Let a module play on from there, in the game's twin", kind="flag"
                ),
            ]
        )
        self._progress = ProgressLine(self.job, "Deciding again", unit="steps")
        self._said = Label("", wrap=True)
        self._outcome = Card(self._said)
        self.model = TableModel(_COLUMNS, lambda step: (step["step"], step["at_ms"]))
        self.table = Table(look, self.model, "Where they differ", "Enter shows the step")
        self.table.set_empty(
            EmptyState(
                "No difference is listed", "Steps at which the agent would do something else stand here."
            )
        )
        self.table.opened.connect(lambda step: self.step_wanted.emit(step["step"]))
        self._ask = PrimaryButton("Ask", self.ask)
        self.setLayout(
            column(
                Label(title, "title"),
                Label("It sees the recorded fields and pictures. Nothing is sent to any game.", "dim"),
                self.form,
                self._progress,
                self._outcome,
                self.table,
                row(self._ask, None, Button("Close", self.reject, kind="quiet")),
                margins=WIDE,
            )
        )
        self._say("")

    @property
    def outcome(self) -> str:
        """Return what was found, as shown; empty before."""
        return self._said.full_text()

    def ask(self) -> None:
        """Begin with what is chosen."""
        if self.job.running:
            return
        chosen = self.form.values
        arguments = ["replay", str(self._run.run_id), "--from", str(int(chosen["step"]))]
        arguments += ["--agent", _agent(chosen["agent"], chosen["which"].strip())]
        arguments += ["--steps", "1"] if chosen["alone"] else []
        arguments += ["--play-on"] if chosen["play_on"] else []
        self.table.show_rows(())
        self._outcome.hide()
        self._ask.hide()
        self._progress.begin()
        self.job.start(arguments)

    def reject(self) -> None:
        """Close; what is asked ends with it."""
        self.job.cancel()
        super().reject()

    def _show(self, answer: Any) -> None:
        first, sentence = answer["first"], answer["sentence"]
        version = answer["version"] if "@" not in answer["agent"] else ""
        name = f"{answer['agent']} {version}".strip()
        if first is None:
            self._say("None of these steps was in play as this agent plays it.")
            return
        message = f"At step {first['step']} {first['did']} was done; {name} would do {first['would']}."
        changed = " The game's profile has changed since." if answer["profile_changed"] else ""
        branch = _branch_words(answer["played_on"], name)
        tone: Tone = "neutral" if answer["differences"] else "ok"
        self._say(f"{message} {name} {sentence}{changed}{branch}", tone)
        self.table.show_rows(answer["differences"])

    def _say(self, text: str, tone: Tone = "neutral") -> None:
        self._ask.show()
        self._said.set_text(text)
        self._outcome.set_tone(tone)
        self._outcome.setVisible(bool(text))


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
    """An agent's name, as the command takes it."""
    module = chosen.removeprefix(_MODULE)
    if module != chosen:
        return f"{module}@{which}" if which else module
    return f"{chosen}:{which}" if which and chosen == "model" else chosen
