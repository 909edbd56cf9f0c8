"""The bar with a command's outcome covers its page and moves nothing."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from pitwall.console.kit.elements import column
from pitwall.console.kit.notification import Notification, NotificationBar

pytestmark = pytest.mark.usefixtures("screen", "qapp")


def test_a_notification_moves_nothing_of_its_page_and_shows_the_whole_sentence(qtbot: QtBot) -> None:
    page, button = QWidget(), QPushButton("Save")
    bar = NotificationBar(page)
    page.setLayout(column(button, gap=0))
    page.resize(500, 200)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    qtbot.waitUntil(lambda: button.width() == 500)
    before = button.geometry()
    bar.notify(Notification("Saved.", offers="undo"))
    QApplication.processEvents()
    assert button.geometry() == before
    assert bar.isVisible() and bar.geometry().bottomLeft() == page.rect().bottomLeft()
    short = bar.height()
    bar.notify(Notification("The file is damaged and was set aside. " * 8, done=False))
    QApplication.processEvents()
    assert bar.height() > short and bar.geometry().bottomLeft() == page.rect().bottomLeft()
    page.resize(700, 260)
    qtbot.waitUntil(lambda: button.width() == 700)
    assert bar.geometry().bottomRight() == page.rect().bottomRight()
