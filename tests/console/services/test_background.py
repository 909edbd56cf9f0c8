"""Work on a thread: its order, its errors, and an owner that goes away in the middle of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.services.background import BackgroundWorker
from pitwall.core.errors import PitwallError

_WAIT_MS = 90_000

pytestmark = pytest.mark.usefixtures("screen", "qapp")


def _unwanted(value: object) -> None:
    pytest.fail(f"{value!r} was delivered")


def _refuse() -> str:
    raise PitwallError("no.")


def _break() -> str:
    raise ZeroDivisionError("by zero")


def test_answers_come_in_order_in_the_windows_thread(qtbot: QtBot) -> None:
    aside = BackgroundWorker("test")
    came: list[tuple[int, int]] = []
    for number in range(20):
        aside.ask(partial(int, number), lambda got: came.append((got, threading.get_ident())))
    qtbot.waitUntil(lambda: len(came) == 20, timeout=_WAIT_MS)
    assert came == [(number, threading.get_ident()) for number in range(20)]
    aside.close()


def test_an_error_goes_to_the_callers_handler_else_to_the_signal(qtbot: QtBot) -> None:
    aside = BackgroundWorker("test")
    mine: list[PitwallError] = []
    aside.ask(_refuse, _unwanted, mine.append)
    qtbot.waitUntil(lambda: bool(mine), timeout=_WAIT_MS)
    with qtbot.waitSignal(aside.failed, timeout=_WAIT_MS) as failed:
        aside.ask(_refuse, _unwanted)
    assert failed.args[0].what == "no."
    aside.close()


class _Window(QObject):
    def take(self, value: object) -> None:
        pytest.fail(f"{value!r} was delivered to {self.objectName()!r}")


@pytest.mark.parametrize("work", [partial(int, 7), _refuse, _break])
def test_a_window_that_was_closed_meanwhile_is_told_nothing(qtbot: QtBot, work: Callable[[], object]) -> None:
    aside, window, came = BackgroundWorker("test"), _Window(), list[int]()
    with qtbot.captureExceptions() as raised:
        aside.ask(work, window.take, window.take)
        shiboken6.delete(window)
        aside.ask(partial(int, 8), came.append)
        qtbot.waitUntil(lambda: bool(came), timeout=_WAIT_MS)
    assert [kind for kind, *_ in raised] == ([ZeroDivisionError] if work is _break else [])
    aside.close()


def test_any_other_error_is_raised_where_it_is_shown_and_stops_nothing(qtbot: QtBot) -> None:
    aside = BackgroundWorker("test")
    came: list[int] = []
    with qtbot.captureExceptions() as raised:
        aside.ask(_break, _unwanted)
        aside.ask(lambda: 7, came.append)
        qtbot.waitUntil(lambda: came == [7], timeout=_WAIT_MS)
    assert [kind for kind, _, _ in raised] == [ZeroDivisionError]
    aside.close()


def test_an_owner_may_go_away_in_the_middle_of_it(qapp: QApplication) -> None:
    threads = threading.active_count()
    for _ in range(300):
        owner = QObject()
        aside = BackgroundWorker("test", owner)
        for _ in range(4):
            aside.ask(lambda: None, _unwanted)
        shiboken6.delete(owner)
        qapp.processEvents()
    assert threading.active_count() - threads < 50


def test_after_closing_nothing_comes_any_more(qtbot: QtBot) -> None:
    aside = BackgroundWorker("test")
    aside.ask(lambda: 1, _unwanted)
    aside.close()
    aside.ask(lambda: 2, _unwanted)
    qtbot.wait(50)
