"""From Teach to a module that drives, on an installation without torch: clicks alone, and few of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.driver import until
from tests.patience import LIGHT, patient

from pitwall.core.paths import DataFolder
from workshop.fixtures.simulated_person import SimulatedPerson

if sys.platform == "win32":
    pytest.skip("an environment of links needs symbolic links", allow_module_level=True)

from tests.end_to_end.fresh_environment import can_be_installed, environment_without

pytestmark = [pytest.mark.screen, pytest.mark.timeout(1500)]

_MOST_CLICKS = 6
_RECORDED_S = 30.0
_TRAINING_S = 900.0
"""Downloading and unpacking torch, importing it, and training, on a busy machine."""


class Console:
    """A console in a process of its own, a person's hands on it, and the count of their clicks."""

    def __init__(self, python: Path, data: DataFolder, root: Path) -> None:
        program = root / "tests" / "end_to_end" / "watched_console.py"
        path = os.pathsep.join(filter(None, (str(root / "app"), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [str(python), str(program), "--game", "flappy", "--data", str(data.root)],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._hands = SimulatedPerson()
        self.clicks = 0

    def look(self) -> dict[str, Any]:
        """Return what is in view."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the console has ended"
        seen: dict[str, Any] = json.loads(line)
        assert not seen.get("faults"), seen["faults"]
        return seen

    def until(self, holds: Callable[[dict[str, Any]], bool], what: str, timeout_s: float = 120.0) -> None:
        until(lambda: holds(self.look()), what, timeout_s)

    def click(self, *names: str, timeout_s: float = 120.0) -> None:
        """Click the first of these buttons that is offered, as soon as one is."""
        self.until(lambda seen: bool(set(names) & set(seen["buttons"])), f"one of {names}", timeout_s)
        buttons = self.look()["buttons"]
        place = next(buttons[name] for name in names if name in buttons)
        self._hands.place_pointer(*place)
        self._hands.button(1, down=True)
        self._hands.button(1, down=False)
        self.clicks += 1

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)
        self._hands.close()


@pytest.fixture
def python(tmp_path: Path) -> Iterator[Path]:
    """The Python of an installation without the component Training."""
    folder = tmp_path / "environment"
    python = environment_without(folder, "training")
    if why := can_be_installed(python, "training"):
        pytest.skip(f"pip cannot install torch here: {why}")
    yield python
    shutil.rmtree(folder)  # torch is large


def _imports_torch(python: Path) -> bool:
    """Return whether torch can be imported, without the path of this process."""
    words = [str(python), "-c", "import torch"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@contextmanager
def _player(data: DataFolder) -> Iterator[None]:
    """The independent demonstrator: its own eyes on Flappy's window, its own hands on the keyboard."""
    command = [sys.executable, "-m", "workshop.demonstrator.player", "flappy", "--data", str(data.root)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@pytest.mark.long
def test_six_clicks_lead_from_teach_to_a_module_that_drives(
    screen: str, tmp_path: Path, project_root: Path, python: Path
) -> None:
    assert screen
    assert not _imports_torch(python)
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    console = Console(python, data, project_root)
    try:
        console.click("Teach")
        with _player(data):
            console.until(lambda seen: seen["recorded_s"] >= _RECORDED_S, "half a minute of play")
        console.click("Stop recording")
        console.click("Train now")
        console.click("Play beside it", timeout_s=_TRAINING_S)
        assert _imports_torch(python), "the button installed it"
        with _player(data):
            console.until(lambda seen: seen["person"] and seen["compared"] >= 200, "ten seconds beside it")
        console.click("Give it control", "Give it control anyway")
        console.until(lambda seen: not seen["person"] and "reflex" in seen["routes"], "the module to drive")
        assert console.look()["drives"]["fly"] == "v1"
        assert console.clicks <= _MOST_CLICKS
    finally:
        console.close()
