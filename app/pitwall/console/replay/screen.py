"""One replayed run: its picture with the readings and actions of the moment, and its timeline."""

from __future__ import annotations

import contextlib
import sys
import time
from datetime import UTC, datetime

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QWidget

from pitwall.console.kit import format as words
from pitwall.console.kit.elements import WHOLE, Label, column, row
from pitwall.console.kit.picture.live_view import LiveView, PictureOverlay
from pitwall.console.kit.theme import GAP, PAD, STEP, Look
from pitwall.console.replay.pictures import ReplayPictures
from pitwall.console.replay.timeline import Timeline
from pitwall.console.services.background import RunLogWorker
from pitwall.core.paths import DataFolder
from pitwall.core.quantities import score_text
from pitwall.core.steps import StepRecord
from pitwall.store.run_track import RunTrack, read_track

_FRESH_S = 10.0
"""A film that was written this recently is still growing."""
_FIRST_STEPS = 4_000
"""A longer run is shown at once with so many of its steps, and whole when it was read."""
_PAGE = 200
_MOST_PAGES = 6
_MOST_FIELDS = 5
_LOW_PX = 420
"""Below this height the timeline leaves out the signals, so that the picture is seen."""
_LEAST_PICTURE_PX = 64


class ReplayScreen(QWidget):
    """Shows a run at a moment. Reads through `reading`.

    Signals:
        loaded(): the run's track was read. moved(at_s): the operator went to a moment on the timeline.
    """

    loaded = Signal()
    moved = Signal(float)

    def __init__(self, look: Look, reading: RunLogWorker, data: DataFolder) -> None:
        super().__init__()
        self._reading, self._data = reading, data
        self.track: RunTrack | None = None
        self._run_id: int | None = None
        self._at_s = 0.0
        self._pages: dict[int, list[StepRecord]] = {}
        self._asked_page: int | None = None
        self.overlay = True
        self.title, self.source = (Label("", kind, least=WHOLE) for kind in ("strong", "note"))
        self.facts = Label("", "dim")
        self.view = LiveView(look)
        self.view.setAccessibleName("Picture of the run")
        self.view.setMinimumHeight(_LEAST_PICTURE_PX)
        self.pictures = ReplayPictures(data, self)
        self.pictures.ready.connect(self.view.set_image)
        self.pictures.source_changed.connect(lambda: self.source.set_text(self.pictures.source))
        self.timeline = Timeline(look)
        self.timeline.moved.connect(self.moved)
        facts = row(self.title, self.facts, self.source, gap=PAD, stretch=1)
        foot = column(facts, self.timeline, gap=STEP, margins=(PAD, STEP, PAD, GAP))
        self.setLayout(column(self.view, foot, gap=0, stretch=0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.timeline.be_low(self.height() < _LOW_PX)

    def open(self, run_id: int) -> None:
        """Read a run, and show its first moment; the same run again: read what came since."""
        if run_id != self._run_id:
            self.track, self._at_s = None, 0.0
            self.view.set_image(QImage())
            self.title.set_text(f"Run {run_id}: reading …")
        self._run_id, self._pages = run_id, {}

        def show(track: RunTrack) -> None:
            if run_id == self._run_id:
                self._show_track(track)
                if len(track.steps) == _FIRST_STEPS:
                    self._reading.ask(lambda reader: read_track(self._data, reader, run_id), show)

        most = _FIRST_STEPS if self.track is None else sys.maxsize
        self._reading.ask(lambda reader: read_track(self._data, reader, run_id, most=most), show)

    @property
    def seconds(self) -> float:
        """Return the run's length; of a run whose film is growing, its length until now."""
        if self.track is None:
            return 0.0
        if not self.track.is_playing or not self._film_grows():
            return self.track.seconds
        began = datetime.fromisoformat(self.track.run.manifest.started_at)
        return max(self.track.seconds, (datetime.now(UTC) - began).total_seconds())

    def _film_grows(self) -> bool:
        with contextlib.suppress(OSError):
            return time.time() - self._data.video(self._run_id or 0).stat().st_mtime < _FRESH_S
        return False

    def show_moment(self, at_s: float, span: tuple[float, float] | None) -> None:
        """Show a moment: seconds since the run began, or its end where it was shorter."""
        if self.track is None:
            return
        self._at_s = min(at_s, self.seconds)
        self.timeline.show_place(self._at_s, span)
        self.pictures.ask(self._at_s, round(self.view.width() * self.devicePixelRatioF()))
        self._show_step()

    def close_reading(self) -> None:
        """Read no more pictures."""
        self.pictures.close()

    def _show_track(self, track: RunTrack) -> None:
        self.track = track
        manifest = track.run.manifest
        self.title.set_text(f"Run {track.run.run_id}")
        self.title.setToolTip(f"{manifest.game_name}, decided by {manifest.planner}")
        self.pictures.open(track)
        self.timeline.show_track(track, self.seconds)
        self.loaded.emit()

    def _show_step(self) -> None:
        track = self.track
        assert track is not None
        at = track.row_at(self._at_s)
        score = track.score_at(self._at_s)
        parts = [f"score {score_text(score)}"] if score is not None else []
        step, held = self._step(at), track.held_back_at(self._at_s)
        if held is not None:
            parts[:0] = [held.text]
        elif step is not None:
            parts[:0] = [f"step {step.step:,}", step.route.value, str(step.action)]
            fields = [read for read in step.fields.items() if read[1] is not False and read[0] != "score"]
            parts += [
                f"{name.replace('_', ' ')} {words.value(read, '')}" for name, read in fields[:_MOST_FIELDS]
            ]
        self.facts.set_text(" · ".join(parts) or "before the first step")
        drives = step if held is None and self.overlay else None
        self.view.set_sight(_overlay(drives) if drives is not None else PictureOverlay())

    def _step(self, at: int) -> StepRecord | None:
        """Return the step of a row; where its page was not read yet, request the page and return None."""
        if at < 0 or self._run_id is None or self.track is None:
            return None
        page, place = divmod(at, _PAGE)
        if page in self._pages:
            known = self._pages[page]
            return known[place] if place < len(known) else None
        if self._asked_page is None:
            run_id, first = self._run_id, int(self.track.steps[page * _PAGE])
            self._asked_page = page
            self._reading.ask(
                lambda reader: reader.steps(run_id, first, _PAGE),
                lambda steps: self._keep(run_id, page, steps),
            )
        return None

    def _keep(self, run_id: int, page: int, steps: list[StepRecord]) -> None:
        self._asked_page = None
        if run_id == self._run_id and self.track is not None:
            while len(self._pages) >= _MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[page] = steps
            self._show_step()


def _overlay(step: StepRecord) -> PictureOverlay:
    keys = dict.fromkeys(
        sent.event.key or sent.event.button
        for sent in step.sent
        if sent.sent_ns is not None and sent.event.kind in ("key_down", "mouse_down")
    )
    return PictureOverlay(
        keys=tuple((key, True) for key in keys if key),
        route=step.route,
        action=str(step.action),
        badge=words.reasons(step.reasons),
    )
