"""The selected demonstration: its film with the keys that were down, its lanes, and the chosen part."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QPointF, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from pitwall.console.demonstrations.film import Film, ShownMoment
from pitwall.console.demonstrations.lanes import Lanes
from pitwall.console.kit.command import bind_keys
from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, holder, row
from pitwall.console.kit.format import error_sentence, field_name, value
from pitwall.console.kit.panes import scrolled
from pitwall.console.kit.still_image import StillImage
from pitwall.console.kit.theme import GAP, PAD, Look
from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import byte_size, clock_tenths, counted, duration_text

_FRAME_MS = 40
_MOST_FIELDS = 24
_SIDE = 200


class DemonstrationDetail(QWidget):
    """Shows one demonstration.

    Signals:
        trim_wanted(from_s, to_s, cut): keep only this part, or with `cut` leave it out. restore_wanted().
    """

    trim_wanted = Signal(float, float, bool)
    restore_wanted = Signal()

    def __init__(self, look: Look, worker: BackgroundWorker) -> None:
        super().__init__()
        self._look, self._worker = look, worker
        self.film: Film | None = None
        self.at_s = 0.0
        self._busy = False
        self._again = False
        self._played_from = (0.0, 0.0)
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._play_on)
        self._title, self._note = Label("", "title"), Label("", "dim", wrap=True)
        self.picture = StillImage(look, grows=True)
        self.keys = Label("", "strong", wrap=True)
        self.fields = Label("", wrap=True)
        self.lanes = Lanes(look)
        self.lanes.moved.connect(self._seek)
        self.lanes.chosen.connect(self._show_choice)
        self._place = Label("", "dim")
        self._play = Button("Play", self.toggle, name="Play the film")
        self.keep = Button("Keep only this part", partial(self._trim, False))
        self.cut = Button("Leave this part out", partial(self._trim, True))
        again = "Restore the trimmed parts"
        self.restore = Button("Restore", self.restore_wanted.emit, kind="quiet", name=again)
        side = column(SectionTitle("Keys down"), self.keys, SectionTitle("State"), self.fields, None, gap=GAP)
        beside = scrolled(holder(side), "Keys and state at this moment")
        beside.setFixedWidth(_SIDE)
        tools = row(self._play, self._place, None, self.restore, self.cut, self.keep, gap=GAP)
        self.setLayout(
            column(
                column(self._title, self._note, gap=GAP),
                row(self.picture, beside, gap=PAD, stretch=0),
                Card(self.lanes, tools),
                gap=PAD,
                stretch=1,
                margins=PAD,
            )
        )
        for keys, by_s in (("Left", -0.1), ("Right", 0.1), ("Shift+Left", -1.0), ("Shift+Right", 1.0)):
            bind_keys(self, (keys, partial(self.step, by_s)))
        bind_keys(self, ("Space", self.toggle), ("Home", partial(self.go_to, 0.0)))

    def show_film(self, film: Film) -> None:
        """Show a demonstration; the same one again stays at its place."""
        same = self.film is not None and self.film.manifest.id == film.manifest.id
        part = self.lanes.part
        self.film, manifest = film, film.manifest
        self._title.set_text(manifest.title)
        width, height = manifest.picture_size
        who = f"{manifest.kind} by {manifest.who}" + ("" if manifest.complete else ", broken off")
        self._note.set_text(
            f"{who} · {duration_text(manifest.kept_seconds)} of {duration_text(manifest.seconds)} kept · "
            f"{counted(manifest.pictures, 'picture')} of {width} × {height} px at up to "
            f"{manifest.rate_fps:g} Hz · "
            f"{byte_size(manifest.size_bytes)}" + (f" · {manifest.note}" if manifest.note else "")
        )
        self.lanes.show_film(film)
        if same and part[1] <= film.seconds:
            self.lanes.part = part
        self.restore.setVisible(bool(manifest.trims))
        self._show_choice()
        self.go_to(self.at_s if same else 0.0)

    def go_to(self, at_s: float) -> None:
        """Show a moment, in seconds since the beginning."""
        if self.film is None:
            return
        self.at_s = min(max(0.0, at_s), self.film.seconds)
        self.lanes.show_place(self.at_s)
        self._place.set_text(f"{clock_tenths(self.at_s)} of {clock_tenths(self.film.seconds)}")
        down = [lane.name for lane in self.film.lanes if lane.down_at(self.at_s)]
        self.keys.set_text("\n".join(down) or "none")
        self._read()

    def step(self, by_s: float) -> None:
        """Move by some seconds."""
        self.go_to(self.at_s + by_s)

    def toggle(self) -> None:
        """Play or pause."""
        if self._timer.isActive():
            self.pause()
        elif self.film is not None:
            start = 0.0 if self.at_s >= self.film.seconds else self.at_s
            self._played_from = (start, time.monotonic())
            self._timer.start()
            self._play.setText("Pause")

    def pause(self) -> None:
        """Stop playing the film."""
        self._timer.stop()
        self._play.setText("Play")

    def _play_on(self) -> None:
        start, began = self._played_from
        self.go_to(start + time.monotonic() - began)
        if self.film is None or self.at_s >= self.film.seconds:
            self.pause()

    def _seek(self, at_s: float) -> None:
        self.pause()
        self.go_to(at_s)

    def _trim(self, cut: bool) -> None:
        start, end = self.lanes.part
        self.trim_wanted.emit(round(start, 2), round(end, 2), cut)

    def _show_choice(self) -> None:
        for button in (self.keep, self.cut):
            button.setEnabled(not self.lanes.whole)
            button.setToolTip("" if button.isEnabled() else "Drag a handle at the ends of the lanes first")

    def _read(self) -> None:
        """Read the picture at the present place; while a reading goes on, only the newest place is kept."""
        if self._busy or self.film is None:
            self._again = self._busy
            return
        self._busy, self._again = True, False
        film, at_s = self.film, self.at_s
        self._worker.ask(lambda: film.moment(at_s), partial(self._show, film), self._failed)

    def _show(self, film: Film, moment: ShownMoment) -> None:
        self._busy = False
        if film is self.film:
            note = "No picture was kept"
            self.picture.show_image(_image(moment, self._look), "Picture of this moment", note)
            lines = [f"episode {moment.episode + 1}" if moment.episode >= 0 else "not in play"]
            lines += [moment.status] if moment.status else []
            fields = list(moment.fields.items())[:_MOST_FIELDS]
            lines += [f"{field_name(name)}: {value(read, '')}" for name, read in fields]
            self.fields.set_text("\n".join(lines))
        if self._again:
            self._read()

    def _failed(self, error: PitwallError) -> None:
        self._busy = False
        self.picture.show_image(QImage(), "", error_sentence(error))


def _image(moment: ShownMoment, look: Look) -> QImage:
    if moment.pixels is None:
        return QImage()
    height, width = moment.pixels.shape[:2]
    content = moment.pixels.tobytes()
    image = QImage(content, width, height, 3 * width, QImage.Format.Format_BGR888).convertToFormat(
        QImage.Format.Format_RGB32
    )
    if moment.pointer is not None:
        painter = QPainter(image)
        painter.setPen(QPen(look.colour("human"), max(1.0, width / 160)))
        reach = max(2.0, width / 40)
        painter.drawEllipse(QPointF(moment.pointer[0] * width, moment.pointer[1] * height), reach, reach)
        painter.end()
    return image
