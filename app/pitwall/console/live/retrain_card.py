"""Learning from corrections: trains a clone of everything a person showed, and offers the new version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, row
from pitwall.console.kit.job import JobList, JobOrder
from pitwall.console.kit.theme import STEP
from pitwall.console.services.background import BackgroundWorker
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part, Phase
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import share
from pitwall.core.telemetry import Fault, ModuleState
from pitwall.demonstrations.folder import DemonstrationFolder


class RetrainCard(QWidget):
    """Shown while nothing is played and there are corrections of the game that is open."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._worker = BackgroundWorker("corrections", self)
        self._corrections = 0
        self._made = ""
        self._text = Label("", wrap=True)
        self._outcome = Label("", "note", wrap=True)
        self._train = Button("Retrain from corrections", self._retrain)
        self._promote = Button("", self._let_drive)
        self.jobs = JobList(data=bridge.data)
        self.jobs.ended.connect(self._ended)
        buttons = row(self._train, self._promote, None)
        card = Card(self._text, self.jobs, self._outcome, buttons, gap=STEP + 2)
        self.setLayout(column(SectionTitle("Corrections"), card))
        self._promote.hide()
        self._outcome.hide()
        self._show()

    def close_reading(self) -> None:
        """Read no more and end the jobs; before the data folder goes away."""
        self.jobs.close_jobs()
        self._worker.close()

    def refresh(self, changed: Part) -> None:
        """Count the corrections again whenever a game is in view and nothing is played."""
        if changed & (Part.PHASE | Part.GAME):
            game = self._bridge.state.game
            if game is not None and self._bridge.state.phase is Phase.READY:
                self._worker.ask(partial(_count, self._bridge.data, game.game_id), self._counted, self._tell)
            self._show()

    def _counted(self, corrections: int) -> None:
        self._corrections = corrections
        self._show()

    def _show(self) -> None:
        state, module = self._bridge.state, self._module
        shown = self._corrections > 0 and module is not None and state.phase is Phase.READY
        self.setVisible(shown or bool(self.jobs.running))
        if module is None:
            return
        count = "1 correction" if self._corrections == 1 else f"{self._corrections:,} corrections"
        self._text.set_text(
            f"You took over: {count} of this game. {module.name} learns from them, and from all else you "
            "showed, in about a minute; a correction weighs more."
        )
        self._train.setEnabled(not self.jobs.running)

    @property
    def _module(self) -> ModuleState | None:
        """Return the module to train: one that a policy drives, else the first."""
        modules = list(self._bridge.state.modules.values())
        return next(
            (module for module in modules if module.driven_by == "policy"), modules[0] if modules else None
        )

    @property
    def _named(self) -> str:
        game, module = self._bridge.state.game, self._module
        assert game is not None and module is not None
        return f"{game.game_id}/{module.name}"

    def _retrain(self) -> None:
        module = self._module
        if module is None:
            return
        arguments = ["gsm", "train", self._named, "--from", "all", "--title", "from corrections"]
        if module.driven_by == "policy" and module.version.startswith("v"):
            arguments += ["--start-from", module.version]
        self.jobs.start(JobOrder(title=f"Training {self._named}", arguments=arguments, outcome=_outcome))
        self._show()

    def _let_drive(self) -> None:
        arguments = ["gsm", "promote", self._named, self._made, "--why", "It learned from corrections."]
        self.jobs.start(JobOrder(title=f"Promoting {self._made}", arguments=arguments))
        self._promote.hide()

    def _ended(self, _order: JobOrder, answer: Any) -> None:
        """Offer the trained version; the shares before and after are of the same held-out play."""
        if isinstance(answer, Mapping) and "cloned" in answer:
            self._made = str(answer["about"]["version"])
            self._promote.setText(f"Promote {self._made}")
            self._promote.show()
            self._outcome.set_text(_outcome(answer))
            self._outcome.show()
        self._show()

    def _tell(self, error: PitwallError) -> None:
        self._bridge.report(Fault.of(error))


def _outcome(answer: Any) -> str:
    """Describe the result of a training in a sentence."""
    if not isinstance(answer, Mapping) or "cloned" not in answer:
        return "It has ended."
    cloned = answer["cloned"]
    before = f", {share(cloned['before'])} before" if cloned.get("before") is not None else ""
    return f"{answer['about']['version']} agrees on {share(cloned['agreement'])} of held-out play{before}."


def _count(data: DataFolder, game_id: str) -> int:
    kept = (recording.manifest for recording in DemonstrationFolder(data).all())
    return sum(
        manifest is not None and manifest.kind == "correction" and manifest.game == game_id
        for manifest in kept
    )
