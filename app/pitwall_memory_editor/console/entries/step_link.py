"""The step of a run that something was learnt from: a link to it, and the frame that was kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel

from pitwall.console.kit.elements import Button
from pitwall.console.services.background import read_image
from pitwall.core.errors import UnknownRun
from pitwall.core.memories import Provenance
from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader
from pitwall_memory_editor.console.reader import MemoryReadWorker

_FRAME_PX = 112

Place = tuple[int, int]
"""A run and its step; 0 for unknown."""


class StepLink(Button):
    """Leads to a run's step on the Runs page; hidden where no run is named.

    Signals:
        wanted(run_id, step): show that step; 0 where the step is not known.
    """

    wanted = Signal(int, int)

    def __init__(self, *places: Provenance) -> None:
        super().__init__("", lambda: self.wanted.emit(*self._place), kind="link")
        self._place = (0, 0)
        self.show_place(*places)

    def show_place(self, *places: Provenance) -> None:
        """Lead to the first of these places that names a run."""
        run_id, step = self._place = place_of(*places)
        self.setText(f"Open run {run_id}" + (f", step {step:,}" if step else ""))
        self.setAccessibleName(f"{self.text()} on the Runs page")
        if self.parentWidget() or not run_id:
            self.setVisible(run_id > 0)


class StepFrame(QLabel):
    """Shows the frame of a run's step; hidden if none was saved."""

    def __init__(self, reading: MemoryReadWorker) -> None:
        super().__init__()
        self._reading = reading
        self._place: Place = (0, 0)
        self.hide()

    def show_place(self, *places: Provenance) -> None:
        """Show the frame of the first of these places that names a run."""
        place = place_of(*places)
        if place != self._place:
            self._place = place
            self.hide()
            if all(place):
                data = self._reading.data
                self._reading.ask(
                    lambda _: kept_frames(data, {0: place}), partial(self._show, place), lambda _: None
                )

    def _show(self, place: Place, frames: Mapping[int, QImage]) -> None:
        if place != self._place or not frames:
            return
        ratio = self.devicePixelRatioF()
        smooth = Qt.TransformationMode.SmoothTransformation
        picture = QPixmap.fromImage(frames[0].scaledToHeight(round(_FRAME_PX * ratio), smooth))
        picture.setDevicePixelRatio(ratio)
        self.setPixmap(picture)
        self.setAccessibleName(f"Frame of run {place[0]}, step {place[1]:,}")
        self.show()


def place_of(*places: Provenance) -> Place:
    """Return run and step of the first place that names a run; 0 for unknown."""
    return next(((by.run_id, by.step or 0) for by in places if by.run_id is not None), (0, 0))


def kept_frames(data: DataFolder, places: Mapping[int, Place]) -> dict[int, QImage]:
    """Read the frames that were kept of steps, by the same keys; beside the window."""
    frames: dict[int, QImage] = {}
    with closing(RunReader(data)) as reader:
        for key, (run_id, step) in places.items():
            with suppress(UnknownRun):
                frame = read_image(data.run(run_id), reader.step(run_id, step).frame_ref)
                if not frame.isNull():
                    frames[key] = frame
    return frames
