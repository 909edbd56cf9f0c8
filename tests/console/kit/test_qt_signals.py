"""PySide6 is pinned for this: 6.12.0 loses a reference to True with each signal, and soon aborts."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class _Sender(QObject):
    told = Signal(bool)


def test_twenty_thousand_signals_lose_no_reference() -> None:
    sender = _Sender()
    heard: list[bool] = []
    sender.told.connect(heard.append)
    before = sys.getrefcount(True)
    for _ in range(20_000):
        sender.told.emit(True)
    assert len(heard) == 20_000
    heard.clear()
    assert sys.getrefcount(True) >= before - 100 or sys.version_info >= (3, 12)
