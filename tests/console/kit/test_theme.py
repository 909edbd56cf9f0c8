"""Both themes: every text readable on every ground, every name in the stylesheet a colour there is."""

from __future__ import annotations

import itertools
import math
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QRadioButton, QStyle, QStyleOptionButton, QWidget
from pytestqt.qtbot import QtBot

from pitwall.console.kit.theme import DARK, LIGHT, Look, Palette, ThemeName, layer_colour, stylesheet
from pitwall.core.prompts import Layer


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, other: str) -> float:
    """WCAG 2 contrast ratio."""
    bright, dark = sorted((_luminance(first), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_text_is_readable_on_every_ground(palette: Palette) -> None:
    for ground in (palette.background, palette.panel, palette.raised):
        assert contrast(palette.text, ground) >= 7
        for name in ("dim", "strategic", "reactive", "reflex", "stop", "human"):
            assert contrast(getattr(palette, name), ground) >= 4.5, name
        assert contrast(palette.faint, ground) >= 3
    for name in ("strategic", "reactive", "reflex", "stop", "ok"):
        assert contrast(getattr(palette, name), getattr(palette, f"{name}_soft")) >= 4.5, name


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_layers_are_readable_and_tell_themselves_apart(palette: Palette) -> None:
    colours = {layer: getattr(palette, layer_colour(layer.value)) for layer in Layer}
    for colour in colours.values():
        for ground in (palette.background, palette.panel, palette.raised):
            assert contrast(colour, ground) >= 4.5, colour
    meanings = [getattr(palette, name) for name in ("strategic", "reactive", "reflex", "stop", "human")]
    for colour, other in combinations([*colours.values(), *meanings], 2):
        if colour in colours.values() or other in colours.values():
            assert _difference(colour, other) >= 40, (colour, other)


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_parts_of_a_score_stand_out_and_mean_nothing_else(palette: Palette) -> None:
    colours = [palette.score_likeness, palette.score_worth, palette.score_graph]
    meanings = [getattr(palette, name) for name in ("strategic", "reactive", "reflex", "stop", "human")]
    for colour in colours:
        for ground in (palette.background, palette.panel, palette.raised):
            assert contrast(colour, ground) >= 3, colour
        assert min(_difference(colour, meaning) for meaning in meanings) >= 40, colour
    for colour, other in combinations(colours, 2):
        assert _difference(colour, other) >= 60, (colour, other)


def _difference(first: str, other: str) -> float:
    """Euclidean distance in sRGB, 0 … 441."""
    return math.sqrt(sum((int(first[i : i + 2], 16) - int(other[i : i + 2], 16)) ** 2 for i in (1, 3, 5)))


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_the_stylesheet_names_only_colours_there_are(palette: Palette) -> None:
    assert "$" not in stylesheet(palette)


def test_a_theme_reaches_what_is_in_view_at_once_and_the_rest_as_it_is_shown(
    screen: str, qapp: QApplication, qtbot: QtBot
) -> None:
    assert screen
    look = Look(qapp, "dark")
    shown, hidden = QWidget(), QWidget()
    for part in (shown, hidden):
        qtbot.addWidget(part)
        look.dress(part)
    shown.show()
    look.use("light")
    assert qapp.styleSheet() == "", "one would polish all that is built anew with each box it is laid into"
    assert shown.styleSheet() == stylesheet(LIGHT)
    assert hidden.styleSheet() == ""
    hidden.show()
    assert hidden.styleSheet() == stylesheet(LIGHT)
    look.use("dark")
    assert shown.styleSheet() == hidden.styleSheet() == stylesheet(DARK)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_radio_button_is_round(qapp: QApplication, qtbot: QtBot, theme: ThemeName) -> None:
    """Its corners show the ground, the middle of each edge its border: a check box has neither."""
    ground, look = QWidget(), Look(qapp, theme)
    radio = QRadioButton("One", ground)
    radio.setChecked(True)
    qtbot.addWidget(ground)
    look.dress(ground)
    ground.resize(120, 40)
    radio.move(8, 8)
    ground.show()
    qtbot.waitExposed(ground)
    option = QStyleOptionButton()
    radio.initStyleOption(option)
    mark = radio.style().subElementRect(QStyle.SubElement.SE_RadioButtonIndicator, option, radio)
    mark = mark.translated(radio.pos())
    image = ground.grab().toImage()
    behind = image.pixelColor(2, 2)
    corners = (mark.topLeft(), mark.topRight(), mark.bottomLeft(), mark.bottomRight())
    assert [image.pixelColor(corner) for corner in corners] == [behind] * 4
    middle = mark.center()
    assert image.pixelColor(middle.x(), mark.top()) != behind
    assert image.pixelColor(mark.left(), middle.y()) != behind
    assert image.pixelColor(middle) != behind


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_an_entry_of_a_menu_that_cannot_be_chosen_looks_so(
    qapp: QApplication, qtbot: QtBot, theme: ThemeName
) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    Look(qapp, theme).dress(menu)
    entries = [menu.addAction("Delete the run"), menu.addAction("Delete the run")]
    entries[1].setEnabled(False)
    menu.show()
    qtbot.waitExposed(menu)
    image = menu.grab().toImage()
    ground = image.pixelColor(menu.actionGeometry(entries[0]).topRight() - QPoint(4, -4)).name()

    def ink(entry: QAction) -> float:
        area = menu.actionGeometry(entry).adjusted(12, 4, -12, -4)
        places = itertools.product(range(area.left(), area.right()), range(area.top(), area.bottom()))
        return max(contrast(image.pixelColor(x, y).name(), ground) for x, y in places)

    assert ink(entries[1]) < ink(entries[0]) - 1
