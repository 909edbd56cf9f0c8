"""The lab's questions: promoting against the evidence, closing while a training runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from pitwall.console.kit.dialogs import Dialog
from pitwall.console.kit.elements import Button, Label, PrimaryButton, row

ClosingChoice = Literal["on", "pause", "stop"]
_GOES_ON = "It can continue without this window; the lab shows it again at the next start."


class PromoteAnyway(Dialog):
    """Shows why a promotion was refused, and lets the operator promote with a reason.

    Args:
        judge: text of the button that leads to what the gate misses.

    Signals: wanted(why). judged(): the operator does what the gate misses.
    """

    wanted = Signal(str)
    judged = Signal()

    def __init__(
        self, version: str, refusal: Sequence[str], judge: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(f"{version} was not promoted", refusal, parent)
        self.why = QLineEdit()
        self.why.setPlaceholderText("Why it should drive anyway")
        self.why.setAccessibleName("Reason to promote it anyway")
        self.anyway = Button("Promote anyway", self._confirm, kind="danger", name=f"Promote {version} anyway")
        self.anyway.setEnabled(False)
        self.why.textChanged.connect(lambda text: self.anyway.setEnabled(bool(text.strip())))
        leave = Button("Leave it", self.reject)
        self.judge = PrimaryButton(judge, self._judge)
        self.judge.setDefault(True)
        self.lines.addWidget(self.why)
        self.lines.addWidget(Label("The reason is kept with the promotion.", "note"))
        self.lines.addLayout(row(None, self.anyway, leave, self.judge))
        self.why.setFocus()

    def _judge(self) -> None:
        self.judged.emit()
        self.accept()

    def _confirm(self) -> None:
        self.wanted.emit(self.why.text().strip())
        self.accept()


class ClosingQuestion(Dialog):
    """Asks what to do with running work when the window is about to close.

    Signals: answered(going): what running trainings shall do. Cancelling emits nothing.
    """

    answered = Signal(str)

    def __init__(
        self, trainings: Sequence[str], ending: Sequence[str], drafts: int, parent: QWidget | None = None
    ) -> None:
        texts = []
        if ending:
            texts.append(f"Ends with the window: {', '.join(ending)}. Results so far are kept.")
        if drafts:
            changes = "a change" if drafts == 1 else f"{drafts} changes"
            texts.append(
                f"You wrote {changes} that no version contains yet. Your text is kept for the next time."
            )
        title = f"{_listed(trainings)} is being trained" if trainings else "Close the console?"
        super().__init__(title, texts, parent)
        cancel = Button("Cancel", self.reject, name="Do not close the window")
        if trainings:
            pause = Button("Pause it", lambda: self._answer("pause"), name="Close, and pause the training")
            stop = Button("Stop it", lambda: self._answer("stop"), name="Close, and stop the training")
            on = PrimaryButton("Keep training", lambda: self._answer("on"), name="Close, and keep training")
            self.lines.addWidget(Label(_GOES_ON, wrap=True))
            self.lines.addLayout(row(cancel, None, stop, pause, on))
        else:
            on = PrimaryButton("Close", lambda: self._answer("on"), name="Close the console")
            self.lines.addLayout(row(None, cancel, on))
        on.setDefault(True)
        on.setFocus(Qt.FocusReason.OtherFocusReason)

    def _answer(self, going: ClosingChoice) -> None:
        self.answered.emit(going)
        self.accept()


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
