"""The lab's top line: which module, which iteration, how far its training is, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy, QToolButton, QWidget

from pitwall.console.kit.elements import Button, Chip, Label, column, row, set_property
from pitwall.console.kit.theme import GAP, PAD, STEP
from pitwall.console.lab.format import module_sign, progress_words
from pitwall.console.lab.invented import at_rest, invented_words
from pitwall.console.lab.view_model import ITERATIONS, ModuleViewModel, VersionViewModel

_PER_MILLE = 1000
_BAR_WIDTH = 300


class LabHead(QFrame):
    """Signals: train_wanted. improve_wanted. pause_wanted. resume_wanted. stop_wanted. promote_wanted."""

    train_wanted = Signal()
    improve_wanted = Signal()
    pause_wanted = Signal()
    resume_wanted = Signal()
    stop_wanted = Signal()
    promote_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("labHead")
        self._title = Label("GSM lab", "heading")
        self._how = Label("", "dim")
        self._chip = Chip("")
        self._steps = Label("", "")
        self._left = Label("", "dim")
        self._left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setRange(0, _PER_MILLE)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress of the training")
        set_property(self._bar, "tone", "reflex")
        self._progress = QWidget()
        lines = column(gap=STEP)
        lines.addLayout(row(self._steps, self._left))
        lines.addWidget(self._bar)
        self._progress.setLayout(lines)
        self._steps.setMinimumWidth(self._steps.fontMetrics().horizontalAdvance("888,888 of 888,888 steps"))
        self._left.setMinimumWidth(self._left.fontMetrics().horizontalAdvance("88:88 min left"))
        self._progress.setMaximumWidth(_BAR_WIDTH)
        self._progress.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.train = Button("Train…", self.train_wanted.emit, name="New training…")
        self.improve = Button("Improve…", self.improve_wanted.emit)
        self.pause = Button("Pause", self.pause_wanted.emit, name="Pause the training")
        self.resume = Button("Resume", self.resume_wanted.emit, name="Resume the training")
        self.stop = Button("Stop", self.stop_wanted.emit, name="Stop the training")
        self.promote = Button("Promote", self.promote_wanted.emit, kind="reflex", name="Promote")
        self.more = QToolButton()
        self.more.setText("More")
        self.more.setAccessibleName("More to do with this version")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        line = row(self._title, self._how, self._chip, gap=GAP)
        line.addStretch(1)
        line.addWidget(self._progress, 2)
        for button in self._buttons:
            line.addWidget(button)
        line.setContentsMargins(PAD, GAP, PAD, GAP)
        self.setLayout(line)
        self.show_module(None, None)

    @property
    def _buttons(self) -> tuple[QWidget, ...]:
        return (self.train, self.improve, self.pause, self.resume, self.stop, self.promote, self.more)

    @property
    def said(self) -> str:
        """What the line says, as shown."""
        labels = (self._title, self._how, self._chip, self._steps, self._left)
        return " ".join(one.full_text() for one in labels if one.isVisibleTo(self))

    def show_module(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Show a module and the chosen one of its versions."""
        for button in self._buttons:
            button.setVisible(module is not None)
        self._progress.setVisible(False)
        self._chip.setVisible(False)
        self._how.set_text(_how(module))
        self._title.set_text(module.title if module is not None else "GSM lab")
        self._title.setMinimumWidth(self._title.sizeHint().width())
        if module is None:
            return
        trained = module.training or (version if _unfinished(version) else None)
        self._show_training(trained)
        self.train.setVisible(module.learns and module.training is None)
        self.improve.setVisible(module.training is None and not at_rest(module.declared))
        self._show_iteration(version)
        self._show_promote(version, at_rest(module.declared))

    def _show_training(self, version: VersionViewModel | None) -> None:
        progress = version.progress if version is not None else None
        live = progress is not None and progress.live
        self.pause.setVisible(live and progress is not None and progress.stage != "paused")
        self.resume.setVisible(progress is not None and not self.pause.isVisibleTo(self))
        self.stop.setVisible(live)
        self._progress.setVisible(progress is not None)
        if progress is None or version is None:
            return
        self.pause.setEnabled(progress.wish != "pause")
        self.stop.setEnabled(progress.wish != "stop")
        done, left = progress_words(progress)
        self._steps.set_text(done)
        self._left.set_text(left if live else "")
        share = progress.step / progress.steps if progress.steps else 0
        self._bar.setValue(round(_PER_MILLE * min(1.0, share)))
        self._bar.setAccessibleDescription(f"{version.name}: {done}, {left}")
        for button, word in ((self.pause, "Pause"), (self.resume, "Resume"), (self.stop, "Stop")):
            button.setAccessibleName(f"{word} the training of {version.name}")
            button.setToolTip(f"{word} the training of {version.name}")

    def _show_iteration(self, version: VersionViewModel | None) -> None:
        number = version.about.iteration if version is not None and version.learned else 0
        self._chip.set_text(f"iteration {number} of {ITERATIONS}" if number else "")
        self._chip.setVisible(number > 0)

    def _show_promote(self, version: VersionViewModel | None, resting: str) -> None:
        able, why = (False, f"It is at rest: {resting}.") if resting else promotable(version)
        self.promote.setEnabled(able)
        name = version.name if version is not None else ""
        self.promote.setToolTip(why or f"Let {name} drive from now on")
        self.promote.setAccessibleName(f"Promote {name}".strip())
        self.promote.setAccessibleDescription(why)


def promotable(version: VersionViewModel | None) -> tuple[bool, str]:
    """Whether a version can be asked to drive, and why not."""
    if version is None:
        return False, "Choose a version first."
    if version.drives:
        return False, f"{version.name} drives already."
    if version.learned and not version.about.policy_sha256 and not (version.folder / "policy.onnx").is_file():
        return False, f"{version.name} has no policy yet: it must be trained first."
    return True, ""


def _unfinished(version: VersionViewModel | None) -> bool:
    """Whether its training ended early and can go on."""
    if version is None or version.progress is None:
        return False
    progress = version.progress
    return progress.stage in ("stopped", "failed", "died") and (
        not progress.steps or progress.step < progress.steps
    )


def _how(module: ModuleViewModel | None) -> str:
    if module is None:
        return ""
    learned = module.drives_by == "learned" or module.training is not None
    how = f"{module_sign(module).text} · Double DQN" if learned else module_sign(module).text
    return " · ".join(filter(None, (how, invented_words(module.declared), at_rest(module.declared))))
