"""Errors, as a bar over the foot of the page: the message, the remedy, and the traceback on request.

A notice is no error: it is not red, and disappears after a while.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from types import TracebackType

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pitwall.console.kit.dialogs import DetailsDialog, copy_text, details_text, log_end, newest_log
from pitwall.console.kit.elements import Button, Card, Label, column, row
from pitwall.console.kit.theme import GAP, PAD
from pitwall.console.services.bridge import Bridge
from pitwall.console.state.view_state import Part
from pitwall.core.errors import PitwallError, reason_of
from pitwall.core.telemetry import Fault

_NOTICE_MS = 8_000


class FaultBar(QWidget):
    """The newest error or notice that was not dismissed.

    Args:
        over: the widget that it covers, so that nothing moves under the pointer.
    """

    def __init__(self, bridge: Bridge, over: QWidget) -> None:
        super().__init__(over.parentWidget())
        self._bridge, self._over = bridge, over
        over.installEventFilter(self)
        self._message = Label("", "strong", wrap=True)
        self._fix = Label("", "dim", wrap=True)
        self._more = Label("", "note")
        self._details = Button("Details", self._show_details, kind="quiet")
        self._copy = Button("Copy details", self._copy_details, kind="quiet", name="Copy the error's details")
        self._log = Button(
            "Open log", self._show_log, kind="quiet", name="Open the log that was written last"
        )
        dismiss = Button("Dismiss", self._dismiss, kind="quiet", name="Dismiss the error")
        self._read = QTimer(self, singleShot=True, interval=_NOTICE_MS)
        self._read.timeout.connect(self._end_notice)
        self._card = Card(tone="stop")
        words = QWidget()
        words.setLayout(column(self._message, self._fix, gap=2))
        self._card.body.addLayout(
            row(words, self._more, self._details, self._copy, self._log, dismiss, stretch=0)
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PAD, GAP, PAD, GAP)
        layout.addWidget(self._card)
        self.setVisible(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        return super().eventFilter(watched, event)

    def refresh(self, changed: Part) -> None:
        """Show the newest error."""
        if changed & Part.FAULT:
            self._show()

    def _show(self) -> None:
        faults = self._bridge.state.faults
        self.setVisible(bool(faults))
        self._read.stop()
        if not faults:
            return
        newest = faults[-1]
        notice = newest.error == "Notice"
        if notice:
            self._read.start()
        self._card.set_tone("neutral" if notice else "stop")
        self._copy.setVisible(not notice)
        self._message.set_text(newest.what)
        self._fix.set_text(newest.fix)
        self._fix.setVisible(bool(newest.fix))
        self._more.set_text(f"{len(faults) - 1} more" if len(faults) > 1 else "")
        self._more.setVisible(len(faults) > 1)
        self._details.setVisible(bool(newest.traceback))
        self._log.setVisible(not notice and newest_log(self._bridge.data.logs) is not None)
        self._place()

    def _place(self) -> None:
        """Lie over the lower end of the page."""
        room = self._over.geometry()
        height = max(self.heightForWidth(room.width()), self.sizeHint().height())
        self.setGeometry(room.left(), room.bottom() + 1 - height, room.width(), height)
        self.raise_()

    def _dismiss(self) -> None:
        if self._bridge.state.faults:
            self._bridge.state.faults.pop()
        self._show()

    def _end_notice(self) -> None:
        faults = self._bridge.state.faults
        if faults and faults[-1].error == "Notice":
            self._dismiss()

    def _show_details(self) -> None:
        if self._bridge.state.faults:
            fault = self._bridge.state.faults[-1]
            DetailsDialog(fault.what, fault.fix, fault.traceback, self).open()

    def _copy_details(self) -> None:
        if self._bridge.state.faults:
            fault = self._bridge.state.faults[-1]
            copy_text(details_text(fault.what, fault.fix, fault.traceback))

    def _show_log(self) -> None:
        file = newest_log(self._bridge.data.logs)
        if file is not None:
            DetailsDialog(file.name, f"The end of {file}.", log_end(file), self).open()


log = logging.getLogger(__name__)


def fault_from(error: BaseException) -> Fault:
    """Turn an exception into a fault to show."""
    words = "".join(traceback.format_exception(error))
    if isinstance(error, PitwallError):
        return Fault(what=error.what, fix=error.fix, traceback=words, error=type(error).__name__)
    return Fault(
        what=f"Something went wrong in the console: {reason_of(error)}.",
        fix="The agent is not affected. The details say where; they are in the console's log as well.",
        traceback=words,
        error=type(error).__name__,
    )


class _Relay(QObject):
    """Carries faults of other threads to the window's own.

    Signals:
        happened(fault): an exception that no code of a thread caught.
    """

    happened = Signal(object)

    def __init__(self, report: Callable[[Fault], None]) -> None:
        super().__init__()
        self._report = report
        self.happened.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)

    def _pass_on(self, fault: Fault) -> None:
        self._report(fault)


@contextlib.contextmanager
def faults_shown(report: Callable[[Fault], None]) -> Iterator[None]:
    """Report uncaught exceptions in this context, once for each place they come from.

    Args:
        report: takes the fault; only called on the main thread.
    """
    seen: set[str] = set()
    inside = False
    relay = _Relay(report)

    def caught(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        nonlocal inside
        if issubclass(kind, KeyboardInterrupt) or inside:
            sys.__excepthook__(kind, error, where)
            return
        fault = fault_from(error)
        place = "".join(traceback.format_tb(where)[-1:])
        if place in seen:
            log.error("again: %s", fault.what)
            return
        seen.add(place)
        inside = True
        try:
            report(fault)
        finally:
            inside = False

    def caught_aside(happened: threading.ExceptHookArgs) -> None:
        log.error("in a thread: %s", happened.exc_value, exc_info=happened.exc_value)
        place = "".join(traceback.format_tb(happened.exc_traceback)[-1:])
        if happened.exc_value is not None and place not in seen:
            seen.add(place)
            relay.happened.emit(fault_from(happened.exc_value))

    before, before_aside = sys.excepthook, threading.excepthook
    sys.excepthook, threading.excepthook = caught, caught_aside
    try:
        yield
    finally:
        sys.excepthook, threading.excepthook = before, before_aside
