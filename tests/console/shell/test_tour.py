"""The tour: five parts of the real window, none covered by its explanation."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QWidget
from tests.console.conftest import ConsoleHarness
from tests.console.shell.test_window import click, words_in_view

from pitwall.console.live.game_choice import GameTile
from pitwall.console.shell.tour import Tour, beside
from pitwall.core.settings import load_settings


def test_five_steps_point_at_parts_and_follow_what_is_done(room: ConsoleHarness) -> None:
    window, bridge = room.console.window, room.console.bridge
    window.show_tour()
    tour = next(tour_ for tour_ in window.findChildren(Tour))
    assert "1 of 5" in words_in_view(tour)
    assert window.findChildren(QDialog) == []

    def first_card() -> QRect:
        cards = window.page.findChildren(GameTile)
        return next((_in_window(card) for card in cards if card.isVisible()), QRect())

    room.bot.waitUntil(lambda: tour.pointer.isVisible())
    assert first_card().adjusted(-12, -12, 12, 12).contains(tour.pointer.tip)
    assert not _in_window(tour).intersects(first_card())
    window.show_page("new-game")
    room.bot.waitUntil(tour.isHidden)  # it covers nothing on a page that it is not about
    window.show_page("live")
    room.bot.waitUntil(tour.isVisible)
    room.play()  # chosen and started: both steps are done
    room.bot.waitUntil(lambda: "3 of 5" in words_in_view(tour))
    for number in (3, 4, 5):
        assert f"{number} of 5" in words_in_view(tour)
        QTest.qWait(20)
        part = tour.parts[number - 1]
        assert part.isVisible()
        assert not _in_window(tour).intersects(_in_window(part)), number
        assert tour.pointer.isVisible(), number
        click(room.button("Next in the tour"))
    assert load_settings(bridge.data.settings).console.tour_done


def test_it_is_skipped_for_good_and_taken_again_from_the_keys(room: ConsoleHarness) -> None:
    window, bridge = room.console.window, room.console.bridge
    window.show_tour()
    click(room.button("Skip the tour"))
    assert load_settings(bridge.data.settings).console.tour_done
    assert "Take the tour" in [command.name for command in window._commands()]
    window.show_help()
    click(room.button("Take the tour"))
    assert room.button("Skip the tour").isVisible()


@pytest.mark.parametrize("size", [QSize(1280, 720), QSize(1600, 1000), QSize(720, 440)])
@pytest.mark.parametrize("part", [QRect(4, 8, 200, 30), QRect(640, 8, 80, 30), QRect(4, 90, 60, 60)])
def test_it_stands_beside_a_part_and_inside_the_window(size: QSize, part: QRect) -> None:
    room = QRect(0, 0, size.width(), size.height())
    place = beside(part, room, 320, 140)
    assert room.contains(place)
    assert not place.intersects(part)


def _in_window(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), widget.rect().topLeft()), widget.size())
