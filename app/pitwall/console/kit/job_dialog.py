"""The dialog of a command that takes a while: a form, progress with Cancel, and the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import Dialog
from pitwall.console.kit.elements import Button, PrimaryButton, row
from pitwall.console.kit.form.fields import Field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.job import ProgressLine
from pitwall.console.kit.notification import Notification, NotificationBar
from pitwall.console.services.job import Job
from pitwall.core.paths import DataFolder


class JobDialog(Dialog):
    """Runs a `pitwall` command in the background; the console stays usable. Closing it cancels the command.

    Subclasses return the command for the form's values (`arguments`) and describe its answer (`notice`).

    Args:
        go: word of the button that starts the command.
        doing: text before the figures of the progress. unit: what the progress counts.
        cancelled: the sentence that is shown once the command was cancelled.
        below: widget under the outcome.
    """

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        data: DataFolder,
        parent: QWidget | None = None,
        *,
        go: str,
        doing: str,
        text: str = "",
        unit: str = "",
        cancelled: str = "Cancelled. Nothing was kept.",
        below: QWidget | None = None,
    ) -> None:
        super().__init__(title, [text], parent, width=0)
        self.setMinimumWidth(560)
        self.job = Job(self, data=data)
        self.job.answered.connect(lambda answer: self.rest(self.notice(answer)))
        self.job.failed.connect(lambda error: self.rest(Notification.of_error(error)))
        self.job.cancelled.connect(lambda: self.rest(Notification(cancelled)))
        self.form = Form(fields)
        self.go = PrimaryButton(go, self.start)
        self._progress = ProgressLine(self.job, doing, unit=unit)
        self._outcome = NotificationBar()
        for widget in (self.form, self._progress, self._outcome):
            self.lines.addWidget(widget)
        if below is None:
            self.lines.addStretch(1)
        else:
            self.lines.addWidget(below, 1)
        self.lines.addLayout(row(self.go, None, Button("Close", self.reject, kind="quiet")))

    @property
    def outcome(self) -> str:
        """Return the outcome as shown; empty before there is one."""
        return self._outcome.text

    def arguments(self, chosen: dict[str, Any]) -> list[str]:
        """Return the command for the form's values."""
        raise NotImplementedError

    def notice(self, answer: Any) -> Notification:
        """Put the command's answer into a sentence."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the command; does nothing while it runs, or while the button is disabled."""
        if self.job.running or not self.go.isEnabled():
            return
        self._outcome.hide()
        self._progress.begin()
        self._set_busy(True)
        self.job.start(self.arguments(self.form.values))

    def rest(self, outcome: Notification) -> None:
        """Show the outcome and offer the form again."""
        self._set_busy(False)
        self._outcome.notify(outcome)

    def reject(self) -> None:
        """Close the dialog and cancel the command."""
        self.job.cancel()
        super().reject()

    def _set_busy(self, busy: bool) -> None:
        self.form.setEnabled(not busy)
        self.go.setVisible(not busy)
