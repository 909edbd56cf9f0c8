"""What belongs to Qt is freed on the window's thread alone."""

from __future__ import annotations

import threading
import weakref
from functools import partial

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from pitwall.console.services.background import BackgroundWorker

pytestmark = [pytest.mark.screen, pytest.mark.usefixtures("screen")]


class _Cycle(QObject):
    """An object that only a collection of garbage frees."""

    def __init__(self, freed_on: list[threading.Thread]) -> None:
        super().__init__()
        self.itself = self
        weakref.finalize(self, lambda: freed_on.append(threading.current_thread()))


def _make_much_garbage() -> None:
    for _ in range(100_000):
        cycle: list[object] = []
        cycle.append(cycle)


def test_garbage_of_a_thread_has_no_object_of_qt_freed_there(qapp: QApplication, qtbot: QtBot) -> None:
    assert qapp
    freed_on: list[threading.Thread] = []
    _Cycle(freed_on)
    thread = threading.Thread(target=_make_much_garbage)
    thread.start()
    thread.join()
    assert not freed_on
    qtbot.waitUntil(lambda: bool(freed_on))
    assert freed_on == [threading.main_thread()]


def test_a_worker_lets_go_of_its_work_on_the_window_s_thread(qtbot: QtBot) -> None:
    """Else the last to hold a window may be the thread that read for it."""
    worker, freed_on = BackgroundWorker("reading"), list[threading.Thread]()
    results: list[bool] = []
    for _ in range(300):
        held = QObject()
        weakref.finalize(held, lambda: freed_on.append(threading.current_thread()))
        worker.ask(partial(QObject.signalsBlocked, held), results.append)
        del held
    qtbot.waitUntil(lambda: len(results) == 300)
    worker.close()
    assert {*freed_on} == {threading.main_thread()}
