"""What detectors found, on the live picture: corners, names with units, and the switch."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from tests.console.conftest import ConsoleHarness
from tests.console.scripted_play import Scene
from tests.console.scripted_session import note

from pitwall.console.kit.picture.detections import paint_detections, words_of
from pitwall.core.clock import now_ns
from pitwall.core.geometry import Rect
from pitwall.core.observations import Detection
from pitwall.core.telemetry import Telemetry

Seen = np.ndarray[Any, np.dtype[np.uint8]]


def _imp(x: int = 0, confidence: float = 0.87, age_ms: float = 0.0) -> Detection:
    return Detection(
        detector="eyes", label="imp", confidence=confidence, box=Rect(x, 100, 60, 80), age_ms=age_ms
    )


def _note(*detections: Detection) -> Telemetry:
    return note(now_ns(), detections=detections)


def _seen(room: ConsoleHarness) -> Seen:
    room.bot.wait(60)
    view = room.console.live.view
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()].copy()


def test_words_carry_units() -> None:
    assert words_of(_imp()) == "imp 87 %"
    assert words_of(_imp(confidence=1.0, age_ms=34.4)) == "imp 100 % · 34 ms"


def test_detections_are_drawn_on_the_picture_and_can_be_left_out(room: ConsoleHarness) -> None:
    room.play()
    view = room.console.live.view
    frame = Scene().frame(7, 0.0, 1)
    view.set_frame(frame)
    room.session.tell(_note())
    room.bot.waitUntil(lambda: len(view.badges(view.picture())) == 1)  # the play's own words are gone
    without = _seen(room)
    view.set_frame(frame)
    room.session.tell(_note(_imp(20), _imp(160, age_ms=20.0)))
    place, scale = view.picture(), view.picture().width() / frame.pixels.shape[1]
    left, top = place.x() + 20 * scale, place.y() + 100 * scale

    def framed() -> None:
        changed = np.argwhere((_seen(room) != without).any(axis=2))
        assert any(abs(x - left) <= 2 and abs(y - top) <= 2 for y, x in changed), "a corner of the first box"

    room.bot.waitUntil(framed)
    drawn = _seen(room)
    middle = (int(top + 40 * scale), int(left + 30 * scale))
    assert (drawn[middle] == without[middle]).all(), "the thing itself is left to be seen"
    QTest.mouseClick(room.button("Show detections"), Qt.MouseButton.LeftButton)
    assert not room.console.bridge.settings.console.show_detections
    view.set_frame(frame)
    box = np.s_[int(top) - 2 : int(top + 80 * scale), int(left) - 2 : int(left + 60 * scale)]
    room.bot.waitUntil(lambda: bool((_seen(room)[box] == without[box]).all()))  # below, keys fade


def test_no_label_lies_under_the_buttons_at_the_corner(room: ConsoleHarness) -> None:
    room.play()
    view = room.console.live.view
    frame = Scene().frame(7, 0.0, 1)
    corner = view.kept_free

    def painted(*detections: Detection) -> tuple[Seen, Seen]:
        """Paint the view without its buttons and return the corner."""
        view.set_frame(frame)
        room.session.tell(_note(*detections))
        room.bot.waitUntil(lambda: len(view.badges(view.picture())) == 1)
        room.bot.wait(60)
        image = QImage(view.size(), QImage.Format.Format_RGB32)
        view.render(image, QPoint(), renderFlags=QWidget.RenderFlag.DrawWindowBackground)
        flat = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).copy()
        return flat, flat[: corner.height(), -corner.width() :]

    without, free = painted()
    below = round((corner.height() + 3 - view.picture().y()) / view.picture().width() * frame.pixels.shape[1])
    with_things, kept = painted(*(replace(_imp(), box=Rect(x, below, 30, 12)) for x in (150, 200, 250)))
    assert (without != with_things).any()
    assert corner.width() > 100 and (free == kept).all()


def test_many_detections_name_the_surest_and_no_label_lies_over_another(
    screen: str, qapp: QApplication
) -> None:
    assert screen and qapp
    image = QImage(640, 480, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    room, taken = QRectF(image.rect()), [QRectF(100, 60, 200, 30)]
    paint_detections(painter, [_imp(x) for x in range(0, 560, 14)], room, 1.0, room, taken)
    painter.end()
    assert len(taken) == 1 + 16
    assert all(room.contains(label) for label in taken)
    assert not any(place.intersects(other) for place, other in combinations(taken, 2))
