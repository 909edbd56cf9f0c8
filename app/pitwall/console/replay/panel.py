"""The replay of a run: play, scrub, step, go from event to event, two runs side by side, a span as a clip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QElapsedTimer, Qt, QTimer
from PySide6.QtGui import QHideEvent, QImage, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import Button, Label, column, holder, row
from pitwall.console.kit.flow_layout import Flow
from pitwall.console.kit.format import error_sentence
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.panes import split
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.console.replay.clip_dialog import ClipDialog
from pitwall.console.replay.screen import ReplayScreen
from pitwall.console.replay.sound import ReplaySound
from pitwall.console.services.background import RunLogWorker
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import clock_tenths
from pitwall.store.film_budget import film_is_kept, keep_film
from pitwall.store.run_log import RunRow

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_TICK_MS = 16
_MORE_MS = 1_000
_LAG_S = 1.0
"""A film that is being written lags this far behind at most."""
_BESIDE_MOST, _BESIDE_LETTERS = 200, 9
"""Widest, in pixels, and least letters of the list of runs to compare with."""
_OTHERS = 60
"""Runs that are offered for a comparison."""
_KEEP_TIP = "Keep this run's film when older films are deleted to make room (Settings, Recording)"
_KEYS = (
    "Space plays and pauses · ←/→ one second · Shift+←/→ ten · Ctrl+←/→ event · , and . one step · "
    "Home/End · I and O begin and end of a clip · M sound"
)


class ReplayPanel(QWidget):
    """Replays one run, or two on one clock; reads nothing before it is shown."""

    def __init__(self, look: Look, reading: RunLogWorker, data: DataFolder) -> None:
        super().__init__()
        self._look, self._reading, self._data = look, reading, data
        self._run: RunRow | None = None
        self._opened = (0, -1)
        self.at_s = 0.0
        self.span: tuple[float, float] | None = None
        self._span_begin: float | None = None
        self._play_when_read = self._follow_when_read = False
        self._since = QElapsedTimer()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._advance)
        self.following = False
        """It shows a run that is being recorded, as it comes."""
        self._more = QTimer(self, interval=_MORE_MS, singleShot=True)
        self._more.timeout.connect(self._read_more)
        self.screen_a = self._screen()
        self.screen_b: ReplayScreen | None = None
        self._screens = split(self.screen_a)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setLayout(column(self._screens, self._build_transport(), gap=0, stretch=0))
        bind_keys(
            self,
            ("Space", self.toggle),
            ("Left", partial(self.skip, -1.0)),
            ("Right", partial(self.skip, 1.0)),
            ("Shift+Left", partial(self.skip, -10.0)),
            ("Shift+Right", partial(self.skip, 10.0)),
            ("Ctrl+Left", partial(self.next_event, -1)),
            ("Ctrl+Right", partial(self.next_event, 1)),
            (",", partial(self.step, -1)),
            (".", partial(self.step, 1)),
            ("Home", partial(self.go, 0.0)),
            ("End", self.go_to_end),
            ("I", self.begin_span),
            ("O", self.end_span),
            ("M", lambda: self.sound.button.click()),
        )

    @property
    def seconds(self) -> float:
        """Return the length of the run, of the longer of two."""
        return max(side.seconds for side in self._all())

    @property
    def playing(self) -> bool:
        return self._tick.isActive()

    def show_run(self, run: RunRow) -> None:
        """Turn to a run; it is read when this is in view."""
        self._run = run
        if self.isVisible():
            self._open()

    def close_reading(self) -> None:
        """Stop, and read no more pictures."""
        self._tick.stop()
        self.sound.close_reading()
        for screen in self._all():
            screen.close_reading()

    # ---- the clock

    def toggle(self) -> None:
        """Play or pause; at the end, play again from the beginning."""
        if self.playing:
            self._tick.stop()
            self.following = False
        elif not self.seconds:  # it is still being read
            self._play_when_read = True
        else:
            if self.at_s >= self.seconds and not self.following:
                self.go(0.0)
            self._since.start()
            self._tick.start()
        self._show_place()
        self._hear()

    def go(self, at_s: float) -> None:
        """Go to a moment, in seconds since the run began."""
        self.following = False
        self._show_moment(at_s)
        self._hear()

    def _hear(self) -> None:
        """Let the sound follow the pictures: it plays at their place, at the usual speed."""
        usual = self.playing and not self.following and self.speed.currentData() == 1.0
        self.sound.follow(self._run.run_id if usual and self._run is not None else None, self.at_s)

    def _show_moment(self, at_s: float) -> None:
        self.at_s = min(max(0.0, at_s), self.seconds)
        for screen in self._all():
            screen.show_moment(self.at_s, self.span)
        self._show_place()

    def skip(self, seconds: float) -> None:
        """Go on, or back."""
        self.go(self.at_s + seconds)

    def go_to_end(self) -> None:
        """Go to the end; a run that is being recorded is followed from there."""
        self._show_moment(self.seconds)
        track = self.screen_a.track
        self.following = track is not None and track.is_playing
        if self.following:
            self._tick.start()
            self._show_place()

    def step(self, by: int) -> None:
        """Go to the next or the previous step and pause."""
        track = self.screen_a.track
        self._tick.stop()
        if track is not None and len(track.at_s):
            row = min(max(0, track.row_at(self.at_s) + by), len(track.at_s) - 1)
            self.go(float(track.at_s[row]))
        self._hear()

    def next_event(self, by: int) -> None:
        """Go to the next or the previous event."""
        track = self.screen_a.track
        if track is None:
            return
        times = [event.at_ns / NS_PER_S for event in track.events]
        candidates = [at for at in times if (at > self.at_s + 1e-6 if by > 0 else at < self.at_s - 1e-6)]
        if candidates:
            self.go(min(candidates) if by > 0 else max(candidates))

    def begin_span(self) -> None:
        """Begin the clip at the present moment."""
        self._span_begin = self.at_s
        self.span = (self.at_s, self.span[1]) if self.span and self.span[1] > self.at_s else None
        self.go(self.at_s)

    def end_span(self) -> None:
        """End the clip at the present moment."""
        begin = self._span_begin if self._span_begin is not None else 0.0
        if self.at_s > begin:
            self.span = (begin, self.at_s)
            self.go(self.at_s)

    def export_clip(self) -> ClipDialog | None:
        """Open the dialog that writes the span, or the whole run, as a video."""
        if self._run is None or not self.seconds:
            return None
        begin, end = self.span or (0.0, self.seconds)
        dialog = ClipDialog(self._data, self._run.run_id, begin, end, self)
        dialog.show()
        return dialog

    def compare(self, run_id: int | None) -> None:
        """Show another run beside this one, on the same clock; None: this one alone."""
        if self.screen_b is not None:
            self.screen_b.close_reading()
            self.screen_b.setParent(None)
            self.screen_b.deleteLater()
            self.screen_b = None
        if run_id is not None:
            self.screen_b = self._screen()
            self._screens.addWidget(self.screen_b)
            self._screens.setStretchFactor(1, 1)
            self._screens.setSizes([self.width() // 2] * 2)
            self.screen_b.open(run_id)

    # ---- parts

    def _screen(self) -> ReplayScreen:
        screen = ReplayScreen(self._look, self._reading, self._data)
        screen.loaded.connect(self._loaded)
        screen.moved.connect(self.go)
        return screen

    def _all(self) -> Sequence[ReplayScreen]:
        return (self.screen_a,) if self.screen_b is None else (self.screen_a, self.screen_b)

    def _build_transport(self) -> QWidget:
        self.play = self._button("mdi6.play", "Play", self.toggle, "Space")
        self.place = Label("", "strong")
        self.place.setMinimumWidth(self.place.fontMetrics().horizontalAdvance("00:00.0 of 00:00.0"))
        self.speed = QComboBox()
        self.speed.setAccessibleName("Speed")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.speed.currentIndexChanged.connect(lambda _: self._hear())
        self.sound = ReplaySound(self._look, self._data)
        self.sound.wanted.connect(self._hear)
        self.beside = QComboBox()
        self.beside.setAccessibleName("Compare with another run")
        self.beside.setMinimumContentsLength(_BESIDE_LETTERS)
        self.beside.setMaximumWidth(_BESIDE_MOST)
        self.beside.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.beside.activated.connect(lambda at: self.compare(self.beside.itemData(at)))
        self.marks = Button("Overlay", self._show_marks, name="Show the decisions over the picture")
        self.marks.setCheckable(True)
        self.marks.setChecked(True)
        self._spans = (
            Button("Clip begins", self.begin_span, tip="The clip begins at this moment (I)"),
            Button("Clip ends", self.end_span, tip="The clip ends at this moment (O)"),
        )
        self._ends = (
            self._button("mdi6.skip-previous", "To the beginning", partial(self.go, 0.0), "Home"),
            self._button("mdi6.skip-next", "To the end", self.go_to_end, "End"),
        )
        self.keep = Button("Keep film", self._keep_film, tip=_KEEP_TIP)
        self.keep.setCheckable(True)
        clip = Button("Save clip…", self.export_clip, tip="Write the span, or the whole run, as a video")
        transport = (
            self._ends[0],
            self._button("mdi6.chevron-double-left", "Event before", partial(self.next_event, -1), "Ctrl+←"),
            self._button("mdi6.chevron-left", "Step before", partial(self.step, -1), ","),
            self.play,
            self._button("mdi6.chevron-right", "Next step", partial(self.step, 1), "."),
            self._button("mdi6.chevron-double-right", "Next event", partial(self.next_event, 1), "Ctrl+→"),
            self._ends[1],
            self.place,
            self.speed,
            self.sound,
        )
        bar = Flow(STEP)
        for part in (
            holder(row(*transport, gap=STEP)),
            self.marks,
            self.beside,
            *self._spans,
            clip,
            self.keep,
        ):
            bar.flow.addWidget(part)
        bar.setToolTip(_KEYS)
        return holder(column(bar, margins=(PAD, GAP, PAD, GAP)))

    def _button(self, icon: str, name: str, pressed: Callable[[], object], keys: str) -> Button:
        button = Button("", pressed, name=name, tip=f"{name} ({keys})")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setFixedWidth(32)
        button.setProperty("icon_name", icon)
        self._look.changed.connect(lambda: self._dress(button))
        self._dress(button)
        return button

    def _dress(self, button: Button) -> None:
        button.setIcon(self._look.icon(str(button.property("icon_name")), "text"))

    # ---- what is shown

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._open()
        if self.screen_a.track is not None and self.screen_a.track.is_playing:
            self._more.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tick.stop()
        self._hear()

    def _open(self) -> None:
        if self._run is None or self._opened == (self._run.run_id, self._run.summary.steps):
            return
        if self._opened[0] != self._run.run_id:
            self._tick.stop()
            self.following, self._follow_when_read = False, True
            self._hear()
            self.at_s, self.span, self._span_begin = 0.0, None, None
            self.compare(None)
            self.screen_a.view.set_image(QImage())
            self._reading.ask(lambda reader: reader.runs(_OTHERS), self._offer)
        self._opened = (self._run.run_id, self._run.summary.steps)
        self.keep.setChecked(film_is_kept(self._data, self._run.run_id))
        self.screen_a.open(self._run.run_id)
        self._show_place()

    def _loaded(self) -> None:
        track = self.screen_a.track
        if track is not None and track.is_playing:
            self._more.start()
            if self._follow_when_read:
                self.go_to_end()
        else:
            self.following = False
        self._follow_when_read = False
        self._show_moment(self.at_s)
        if self._play_when_read:
            self._play_when_read = False
            self.toggle()

    def _keep_film(self) -> None:
        """Keep the run's film, or let it go as others do."""
        if self._run is None:
            return
        try:
            keep_film(self._data, self._run.run_id, self.keep.isChecked())
        except DataFolderError as error:
            self.keep.setToolTip(error_sentence(error))
        self.keep.setChecked(film_is_kept(self._data, self._run.run_id))

    def _read_more(self) -> None:
        """Read more of a run that is being recorded, while it is in view."""
        if self._run is not None and self.isVisible():
            self.screen_a.open(self._run.run_id)

    def _offer(self, runs: Sequence[RunRow]) -> None:
        """List other runs, those of the same game first."""
        if self._run is None:
            return
        run_id, game = self._run.run_id, self._run.manifest.game_id
        self.beside.clear()
        self.beside.addItem("Compare…", None)
        for run in sorted(runs, key=lambda run: run.manifest.game_id != game):
            if run.run_id != run_id:
                self.beside.addItem(f"Run {run.run_id} · {run.manifest.game_name}", run.run_id)

    def _advance(self) -> None:
        if self.following:
            self._show_moment(self.seconds - _LAG_S)
            return
        seconds = self._since.restart() / 1_000
        self._show_moment(self.at_s + seconds * float(self.speed.currentData()))
        if self.at_s >= self.seconds:
            self._tick.stop()
            self._hear()
            self._show_place()

    def _show_place(self) -> None:
        place = "{} · as it is played" if self.following else "{} of {}"
        self.place.set_text(spoken(place).format(clock_tenths(self.at_s), clock_tenths(self.seconds)))
        playing = self.playing
        if self.play.accessibleName() != ("Pause" if playing else "Play"):
            self.play.setAccessibleName("Pause" if playing else "Play")
            self.play.setProperty("icon_name", "mdi6.pause" if playing else "mdi6.play")
            self._dress(self.play)

    def _show_marks(self) -> None:
        for screen in self._all():
            screen.overlay = self.marks.isChecked()
        self.go(self.at_s)
