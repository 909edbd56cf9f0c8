"""The agent's own devices come and go beside Qt 6 programs, which plain removal would end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from pitwall.core.keys import QT_WITHOUT_DEVICES
from pitwall.desktops.x11.device_pairs import add_pair, list_devices, remove_pairs
from pitwall.desktops.x11.display import Display

pytestmark = pytest.mark.screen
NAME = "Pitwall test of pairs"
QT_WINDOW = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication(["qt", "-platform", "xcb"])
label = QLabel("Qt")
label.show()
QTimer.singleShot(500, lambda: print("shown", flush=True))
busy = QTimer(interval=50, timeout=lambda: time.sleep(float(sys.argv[1])))
busy.start()
sys.exit(app.exec())
"""


@pytest.fixture
def display(screen: str) -> Iterator[Display]:
    assert screen
    display = Display()
    yield display
    remove_pairs(display, [NAME], patience_s=20.0)
    display.close()


def qt_window(*, busy_s: float) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name != QT_WITHOUT_DEVICES}
    window = subprocess.Popen(
        [sys.executable, "-c", QT_WINDOW, str(busy_s)],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    assert window.stdout is not None
    assert window.stdout.readline() == "shown\n"
    return window


@pytest.mark.parametrize("busy_s", [0.0, 0.3])
def test_a_qt_program_survives_each_removal(display: Display, busy_s: float) -> None:
    window = qt_window(busy_s=busy_s)
    try:
        for _ in range(5):
            add_pair(display, NAME)
            time.sleep(2 * busy_s)
            assert remove_pairs(display, [NAME], patience_s=20.0)
            assert not any(name.startswith(NAME) for name in list_devices(display))
        time.sleep(2 * busy_s + 0.2)
        assert window.poll() is None, "Qt crashed"
    finally:
        window.kill()
        window.communicate()


def test_a_program_that_hangs_is_not_crashed_but_waited_for(display: Display) -> None:
    window = qt_window(busy_s=1.5)
    try:
        add_pair(display, NAME)
        time.sleep(2.0)
        results = [remove_pairs(display, [NAME], patience_s=0.1) for _ in range(3)]
        assert False in results, "the program never hung while it was asked"
        while not remove_pairs(display, [NAME], patience_s=0.5):
            assert window.poll() is None
        time.sleep(2.0)
        assert window.poll() is None, "Qt crashed"
    finally:
        window.kill()
        window.communicate()
