"""PySide6 is pinned for this: 6.12.0 loses a reference to True with each signal, and soon aborts."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal


class _Sender(QObject):
    emitted = Signal(bool)


def test_twenty_thousand_signals_lose_no_reference() -> None:
    sender = _Sender()
    received: list[bool] = []
    sender.emitted.connect(received.append)
    before = sys.getrefcount(True)
    for _ in range(20_000):
        sender.emitted.emit(True)
    assert len(received) == 20_000
    received.clear()
    assert sys.getrefcount(True) >= before - 100 or sys.version_info >= (3, 12)
