"""The sound of a replayed film, in step with its pictures; off until the operator wants it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from pitwall.console.kit.elements import Button, Label, row
from pitwall.console.kit.theme import STEP, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.clock import now_ns
from pitwall.core.paths import DataFolder
from pitwall.link.film_sound import NO_SOUND, FilmSoundProcess, server_absence

_SOON_MS = 150
"""A dragged timeline names many moments: the sound begins at the last of them."""
_LOOK_MS = 200
_PLAYER = "pacat"
_TIP = "Play the film's sound, at the speed 1× (M)"


class ReplaySound(QWidget):
    """A button for a film's sound, and a sentence where there is none; follows the replay's clock.

    Signals:
        wanted(): the operator switched it on or off.
    """

    wanted = Signal()

    def __init__(self, look: Look, data: DataFolder) -> None:
        super().__init__()
        self._look, self._data = look, data
        self._aside = BackgroundWorker("film sound", self)
        self._aside.failed.connect(lambda error: self._be_silent(f"No sound: {error}"))
        self._process: FilmSoundProcess | None = None
        self._started: list[FilmSoundProcess] = []
        self._begun = False
        self._place = (0, 0.0, 0)
        self._wish = 0
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._begin)
        self._look_timer = QTimer(self, interval=_LOOK_MS)
        self._look_timer.timeout.connect(self._follow_process)
        self.button = Button("", self._switched, name="Sound of the film", tip=_TIP)
        self.button.setCheckable(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.setFixedWidth(32)
        self.silence = Label("", "note")
        self.silence.hide()
        self.setLayout(row(self.button, self.silence, gap=STEP))
        look.changed.connect(self._dress)
        self._dress()

    @property
    def playing(self) -> bool:
        """Return whether sound is being played."""
        return self._process is not None and self._process.status is None

    def follow(self, run_id: int | None, at_s: float) -> None:
        """Play a run's sound from a moment on, which is shown now; None: end it."""
        self._stop()
        if run_id is None or not self.button.isChecked():
            return
        if absence := server_absence(_PLAYER):
            self._be_silent(f"No sound: {absence}")
        elif not self._data.video(run_id).is_file():
            self._be_silent("No sound: this run has no film.")
        else:
            self._place = (run_id, at_s, now_ns())
            self._soon.start()

    def close_reading(self) -> None:
        """End the sound, and wait until its process is gone."""
        self._stop()
        self._aside.close()
        self._end_started()

    def _switched(self) -> None:
        self.silence.hide()
        self._dress()
        self.wanted.emit()

    def _dress(self) -> None:
        icon = "mdi6.volume-high" if self.button.isChecked() else "mdi6.volume-off"
        self.button.setIcon(self._look.icon(icon, "text"))

    def _be_silent(self, why: str) -> None:
        """Switch the sound off, and show why nothing is heard."""
        self._stop()
        self.button.setChecked(False)
        self._dress()
        self.silence.show_text(why)

    def _stop(self) -> None:
        self._wish += 1
        self._soon.stop()
        self._look_timer.stop()
        self._process = None
        if self._begun:
            self._begun = False
            self._aside.ask(self._end_started, lambda _: None)

    def _begin(self) -> None:
        run_id, at_s, at_ns = self._place
        video, wish = self._data.video(run_id), self._wish

        def start() -> FilmSoundProcess:
            process = FilmSoundProcess(self._data, video, at_s, at_ns)
            self._started.append(process)
            return process

        def began(process: FilmSoundProcess) -> None:
            if wish == self._wish:  # nothing else is wanted meanwhile
                self._process = process
                self._look_timer.start()

        self._begun = True
        self._aside.ask(start, began)

    def _end_started(self) -> None:
        """End every process that was started; on the worker's thread, or after it."""
        while self._started:
            self._started.pop().close()

    def _follow_process(self) -> None:
        """Say why nothing is heard where the process has ended before the film."""
        status = self._process.status if self._process is not None else None
        if status == NO_SOUND:
            self._be_silent("No sound: none was recorded with this film.")
        elif status:
            self._be_silent("No sound: the film cannot be read. See logs/film-sound.log.")
        elif status == 0:
            self._stop()
