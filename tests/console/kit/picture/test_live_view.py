"""What was read, on the live picture: labels hide nothing, signs that are not there have no box."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.kit.picture.live_view import LiveView, PictureOverlay
from pitwall.console.kit.theme import Look
from pitwall.core.geometry import Rect
from pitwall.core.observations import Reading

_SKY = QColor("#3070a0")


@pytest.fixture
def view(screen: str, qtbot: QtBot, qapp: QApplication) -> LiveView:
    assert screen
    view = LiveView(Look(qapp, "dark"))
    qtbot.addWidget(view)
    image = QImage(200, 360, QImage.Format.Format_RGB32)
    image.fill(_SKY)
    view.set_image(image)
    return view


def _reading(name: str, value: float | bool, found: Rect | None = None, box: Rect | None = None) -> Reading:
    return Reading(name=name, value=value, found=found, box=box or Rect(0, 0, 200, 360))


@pytest.mark.parametrize("width", [200, 300, 900])
def test_no_label_hides_a_thing_that_was_found(view: LiveView, width: int) -> None:
    view.resize(width, 360)
    things = [Rect(60 + 12 * at, 100 + 20 * at, 18, 14) for at in range(6)]
    readings = tuple(_reading(f"thing_{at}_y", at, found) for at, found in enumerate(things))
    view.set_sight(PictureOverlay(readings=readings))
    image = view.grab().toImage()
    left = round(view.picture().left())
    for thing in things:
        inside = [
            image.pixelColor(left + x, y)
            for x in range(thing.x + 4, thing.x + thing.width - 4, 2)
            for y in range(thing.y + 4, thing.y + thing.height - 4, 2)
        ]
        dark = [colour for colour in inside if colour.lightness() < _SKY.lightness() - 30]
        assert not dark, f"a label lies over the thing at {thing}"


def test_a_sign_that_is_not_there_has_no_box(view: LiveView) -> None:
    view.resize(200, 360)
    view.set_sight(PictureOverlay(readings=(_reading("paused", False, box=Rect(40, 200, 120, 60)),)))
    image = view.grab().toImage()
    assert {image.pixelColor(x, y).name() for x in range(30, 170) for y in (200, 230, 260)} == {_SKY.name()}


def test_what_stands_in_the_corner_stands_beside_or_above_the_picture(view: LiveView) -> None:
    view.kept_free = QSize(320, 40)
    view.resize(1000, 360)
    assert view.picture().height() == 360, "there is room beside it"
    wide = QImage(900, 360, QImage.Format.Format_RGB32)
    view.set_image(wide)
    assert view.picture().top() >= 40, "the picture begins below it"
