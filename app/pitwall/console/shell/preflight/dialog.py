"""The first start's checks: the game is seen, clean and heard, and can be stopped, before the agent acts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from pitwall.console.kit.elements import Button, Card, Chip, Label, PrimaryButton, column, key_words, row
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import PAD, WIDE, Look, Tone
from pitwall.console.services.bridge import Bridge
from pitwall.console.shell.preflight.checks import CheckName, CheckState, Preflight, Progress
from pitwall.console.state.view_state import IN_VIEW, RUNNING, Phase
from pitwall.core.errors import SettingsError
from pitwall.core.quantities import figure
from pitwall.core.telemetry import Fault, ProbeResult
from pitwall.link.frame_ring import RingFrame

_PATIENCE_MS = 15_000
_THUMBNAIL = QSize(320, 200)
_THUMBNAIL_MS = 100

_SIGNS: dict[Progress, tuple[str, Tone]] = {
    Progress.WAITING: ("○ waiting", "neutral"),
    Progress.RUNNING: ("◌ running", "reactive"),
    Progress.PASSED: ("✓ passed", "ok"),
    Progress.FAILED: ("✕ failed", "stop"),
}


class PreflightDialog(QDialog):
    """The four checks with a thumbnail of the captured game.

    A pass is remembered in console.preflight_done; a skip is not.

    Attributes:
        then: called once all have passed; where it is set, the dialog stays hidden while they pass.
    """

    def __init__(self, bridge: Bridge, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("First-start checks")
        self.setAccessibleName("First-start checks")
        self.setMinimumSize(820, 560)
        self._bridge = bridge
        self._state = Preflight()
        self.then: Callable[[], object] | None = None
        self.thumbnail = StillImage(look)
        self.thumbnail.setFixedSize(_THUMBNAIL)
        self._rate = Label("", "dim")
        self._note = Label("", "dim", wrap=True)
        self._run = PrimaryButton("Run the checks", self.run)
        self._done = PrimaryButton("Done", self.accept)
        self._skip = Button("Skip", self.reject, kind="quiet", name="Skip the checks")
        self._lay_out()
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(self._give_up)
        self._watch = QTimer(self, interval=_THUMBNAIL_MS)
        self._watch.timeout.connect(self._look)
        self._watch.start()
        self._shown_frame = -1
        bridge.probe_done.connect(self._take_result)
        self._show()
        self._look()
        self._run.setFocus()

    @property
    def obstacle(self) -> str:
        """Say why nothing can be checked now; empty where it can."""
        phase = self._bridge.state.phase
        if phase in RUNNING:
            return "The agent is playing. Stop it, then check."
        if phase is Phase.OPENING:
            return "The game is being opened …"
        if phase not in IN_VIEW:
            return "No game is in view. Choose one in the top bar, then check."
        return ""

    @property
    def state(self) -> Preflight:
        return self._state

    def run(self) -> None:
        """Run every check that did not pass yet (all of them where all did)."""
        if self.obstacle:
            return
        passed = self._state.passed
        names = [
            check.check.name for check in self._state.checks if passed or check.progress is Progress.FAILED
        ]
        if names:
            self._state = self._state.again(*names)
        self._next()

    def run_one(self, name: CheckName) -> None:
        """Run one check (again)."""
        if not self.obstacle and self._state.running is None:
            self._begin(name)

    def reject(self) -> None:
        """Close it and forget the pending start."""
        self.then = None
        super().reject()

    # ---- progress

    def _next(self) -> None:
        name = self._state.next_name
        if name is not None and not self.obstacle:
            self._begin(name)
        else:
            self._show()

    def _begin(self, name: CheckName) -> None:
        self._state = self._state.again(name).begun(name)
        self._patience.start()
        self._show()
        self._bridge.probe(name)

    def _take_result(self, result: ProbeResult) -> None:
        before, self._state = self._state, self._state.after(result)
        if self._state is before:
            return
        self._patience.stop()
        if self._state.passed:
            self._remember()
        self._next()
        if self.then is not None and not result.passed:
            self.show()
        if self.then is not None and self._state.passed:
            then, self.then = self.then, None
            self.accept()
            then()

    def _give_up(self) -> None:
        name = self._state.running
        if name is not None:
            text = f"no answer came within {_PATIENCE_MS // 1000} s."
            fix = self.obstacle or "Open the game again, then check."
            self._take_result(ProbeResult(name=name, passed=False, text=text, fix=fix))

    def _remember(self) -> None:
        settings = self._bridge.settings
        if settings.console.preflight_done:
            return
        try:
            self._bridge.save_settings(settings.with_value("console", "preflight_done", True))
        except SettingsError as error:
            self._bridge.report(Fault(what=error.what, fix=error.fix))

    # ---- what is shown

    def _lay_out(self) -> None:
        self._lines = {check.check.name: _CheckLine(check, self.run_one) for check in self._state.checks}
        about = "Four checks on this machine, with the game that is in view. They take seconds."
        picture, checks = column(self.thumbnail, self._rate, None), column(*self._lines.values(), None)
        self.setLayout(
            column(
                Label("Before the agent plays", "heading"),
                Label(about, "dim", wrap=True),
                row(picture, checks, gap=WIDE, stretch=1),
                self._note,
                row(self._run, self._done, None, self._skip),
                gap=PAD,
                stretch=2,
                margins=WIDE,
            )
        )

    def _show(self) -> None:
        obstacle = self.obstacle
        running = self._state.running
        for check in self._state.checks:
            self._lines[check.check.name].show_state(check, can_run=not obstacle and running is None)
        self._run.setVisible(not self._state.passed)
        self._run.setEnabled(not obstacle and running is None)
        failed = any(check.progress is Progress.FAILED for check in self._state.checks)
        self._run.setText("Run the failed checks again" if failed and running is None else "Run the checks")
        self._done.setVisible(self._state.passed)
        self._skip.setVisible(not self._state.passed)
        self._note.set_text(obstacle or self._closing_words())

    def _closing_words(self) -> str:
        if self._state.passed:
            key = key_words(self._bridge.settings.hotkeys.stop)
            return f"All is well. {key} stops everything at any time, in the game too."
        if self._state.running in ("input", "stop"):
            return "The game has the focus for a moment; Shift is pressed in it, which moves nothing."
        return "Nothing is pressed but Shift, and nothing is sent anywhere."

    def _look(self) -> None:
        frame, stats = self._bridge.last_frame, self._bridge.state.stats
        self._rate.set_text(f"capture {figure(stats.capture_hz if stats is not None else None, 'Hz')}")
        if frame is None:
            self._shown_frame = -1
            self.thumbnail.show_image(QImage(), "", "The captured game appears here.")
        elif frame.frame_id != self._shown_frame:
            self._shown_frame = frame.frame_id
            self.thumbnail.show_image(_small(frame), "What is captured of the game")
        if self._state.running is None:
            self._show()


class _CheckLine(Card):
    def __init__(self, check: CheckState, run: Callable[[CheckName], None]) -> None:
        super().__init__(gap=2)
        self._chip = Chip("")
        self._text = Label("", "dim", wrap=True)
        self._figures = Label("", "note", wrap=True)
        self._fix = Label("", wrap=True)
        self._again = Button(
            "Check", lambda: run(check.check.name), kind="quiet", name=f"Check {check.check.title}"
        )
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(PAD)
        grid.setVerticalSpacing(2)
        grid.addWidget(Label(check.check.title, "strong"), 0, 0)
        grid.addWidget(self._chip, 0, 1, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self._again, 0, 2)
        grid.addWidget(self._text, 1, 0, 1, 3)
        grid.addWidget(self._figures, 2, 0, 1, 3)
        grid.addWidget(self._fix, 3, 0, 1, 3)
        grid.setColumnStretch(0, 1)
        self.body.addLayout(grid)

    def show_state(self, check: CheckState, *, can_run: bool) -> None:
        sign, tone = _SIGNS[check.progress]
        self._chip.set_text(sign)
        self._chip.set_tone(tone)
        self.set_tone(tone if check.progress in (Progress.PASSED, Progress.FAILED) else "neutral")
        text = check.text
        self._text.set_text(text[:1].upper() + text[1:])
        self._figures.set_text(check.figures)
        self._figures.setVisible(bool(check.figures))
        self._fix.set_text(check.fix)
        self._fix.setVisible(bool(check.fix))
        self._again.setEnabled(can_run)
        self._again.setText("Check" if check.progress is Progress.WAITING else "Again")
        self.setAccessibleName(f"{check.check.title}: {sign.partition(' ')[2]}. {text} {check.fix}".strip())


def _small(frame: RingFrame) -> QImage:
    height, width = frame.pixels.shape[:2]
    whole = QImage(frame.pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
    return whole.scaled(
        _THUMBNAIL * 2, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
