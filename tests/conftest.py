"""A real screen for the tests that need one: Xvfb with a window manager, one per test session."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pytestqt.qtbot import QtBot

from pitwall.core.errors import PitwallError
from pitwall.core.keys import QT_WITHOUT_DEVICES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

os.environ.setdefault("PITWALL_SHIPPED_MODEL", "off")
"""Who thinks is what each test chooses, not the shipped model; its own tests bring it back."""
os.environ.setdefault("OMP_NUM_THREADS", "1")
"""Several tests run at a time: more threads of torch in each only wait for one another."""
os.environ[QT_WITHOUT_DEVICES] = str(os.getpid())
"""Tests of the agent's own keyboard share the screen with this process's windows."""
for _wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitExposed):
    _wait.__kwdefaults__ = {**(_wait.__kwdefaults__ or {}), "timeout": 90_000}
"""Milliseconds that a test waits for a window: five seconds of pytest-qt's own pass on a busy machine."""
gc.disable()
"""Until the tests are collected: what is imported for them stays, and is not searched for garbage."""


def pytest_collection_finish() -> None:
    """The search leaves out from now on what is there already."""
    gc.collect()
    gc.freeze()
    gc.enable()


_FIRST = {
    "end_to_end",
    "new_game",
    "playing",
    "game_trials",
    "campaigns",
    "tasks",
    "benchmarks",
    "test_rail.py",
}
"""Folders and files whose tests take long; they begin first, so that none is left for the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the long tests first, and leave out what is run by command unless it is asked for."""
    items.sort(key=lambda item: _FIRST.isdisjoint(item.path.parts))
    if not config.getoption("--long"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--campaign",
        type=int,
        default=0,
        metavar="N",
        help="cases of each campaign (damaged files, adversarial replies); 0: a sample",
    )
    parser.addoption("--long", action="store_true", help="run the tests that are marked long, too")
    parser.addoption("--foreign", action="store_true", help="play the games of installer/extra foreign, too")


@pytest.fixture(scope="session")
def campaign_size(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many cases a campaign runs: `campaign_size(sample)` is the sample, or what --campaign asks for."""
    asked: int = request.config.getoption("--campaign")
    return lambda sample: asked or sample


def _start_screen(size: str = "1600x1000x24") -> tuple[str, list[subprocess.Popen[bytes]]]:
    options = ("-nolisten", "tcp", "-dpi", "96", "-noreset")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, *options],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        display = f":{numbers.readline().strip()}"
    manager = subprocess.Popen(
        ["openbox", "--sm-disable"],
        env={**os.environ, "DISPLAY": display},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(0.5)
    return display, [manager, server]


_NOT_HERE = (
    "fcntl",
    "resource",
    "termios",
    "pwd",
    "xcffib",
    "Xlib",
    "pysqlite3",
    "llama_cpp",
    "torch",
    "ray",
    "mypy",
)
"""What Windows' Python, or the Windows bench, has not: a test module that needs one is passed over there."""
_FAILS_UNDER_WINE = {"intermodule_singleton": "ViZDoom's message queues"}
"""What its error says → what does not work under Wine, whoever asks for it."""


class _WindowsModule(pytest.Module):
    """Says of a test module that needs what is not there on Windows what that is."""

    def _getobj(self) -> Any:
        try:
            return super()._getobj()  # type: ignore[no-untyped-call]
        except self.CollectError as error:
            named = re.search(r"No module named '(\w+)|cannot import name '(\w+)'", str(error))
            if named is None or (named[1] or named[2]) not in _NOT_HERE:
                raise
            pytest.skip(
                f"needs {named[1] or named[2]}, which the Windows bench has not", allow_module_level=True
            )


def _not_here(error: BaseException | None) -> str:
    """What is not there on Windows and this error tells of; empty for any other."""
    while error is not None:
        if isinstance(error, ImportError) and error.name and error.name.split(".")[0] in _NOT_HERE:
            return error.name.split(".")[0]
        if isinstance(error, PitwallError) and error.what.startswith("Local models: not"):
            return "llama_cpp"
        for text, subject in _FAILS_UNDER_WINE.items():
            if text in str(error):
                return subject
        error = error.__cause__ or error.__context__
    return ""


if sys.platform == "win32":

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup() -> Iterator[None]:
        yield from _passed_over()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call() -> Iterator[None]:
        yield from _passed_over()

    def _passed_over() -> Iterator[None]:
        """Skip a test that runs into what is not there, with what it is."""
        try:
            yield
        except Exception as error:
            if name := _not_here(error):
                pytest.skip(f"needs {name}, which the Windows bench has not")
            raise

    def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
        module: pytest.Module = _WindowsModule.from_parent(parent, path=module_path)
        return module


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """DISPLAY of a virtual screen of our own, set in the environment for the whole session.

    On Windows it is the desktop that is there.
    """
    if sys.platform == "win32":
        yield "windows"
        return
    display, processes = _start_screen()
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = display
    yield display
    if before is None:
        os.environ.pop("DISPLAY", None)
    else:
        os.environ["DISPLAY"] = before
    for process in processes:
        process.terminate()
        process.wait(60)


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The program of every window here; as in the console, no thread beside it frees what belongs to Qt."""
    from pitwall.console.services.garbage import GarbageCollector

    GarbageCollector(qapp)
    return qapp


@pytest.fixture(scope="session")
def qapp_args(screen: str) -> list[str]:
    """Arguments of pytest-qt's application, which ends the whole process where it has no screen."""
    assert screen
    return ["pitwall"]


@pytest.fixture(scope="module", autouse=True)
def _no_window_is_left() -> Iterator[None]:
    """Hide the windows that a file's tests left open: other tests search the screen for their own."""
    yield
    if (widgets := sys.modules.get("PySide6.QtWidgets")) is not None:
        for window in widgets.QApplication.topLevelWidgets():
            window.hide()


@pytest.fixture(scope="session")
def llama() -> str:
    """Says of a test whose model thinks with llama.cpp that this is not there, where it is not."""
    from pitwall.models.shipped import llama_is_installed

    if not llama_is_installed():
        pytest.skip("needs llama_cpp, which the Windows bench has not")
    return "llama_cpp"


@pytest.fixture(scope="session")
def signals() -> None:
    """Says of a test that ends a program as Ctrl+C or a session's end does that this cannot be sent."""
    if sys.platform == "win32":
        pytest.skip("Windows ends no program by a signal")


@pytest.fixture
def project_root() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for resources with the model that ships in it: a tiny one, without a card."""
    from pitwall.models import shipped
    from workshop.fixtures.tiny_models import tiny_text_model

    monkeypatch.delenv(shipped.SWITCH, raising=False)
    folder = tmp_path / "resources"
    (folder / "models").mkdir(parents=True)
    monkeypatch.setattr(shipped, "resources_dir", lambda: folder)
    tiny_text_model(shipped.shipped_file(), seed=7)
    return folder


@pytest.fixture
def python() -> str:
    """The interpreter that runs the tests."""
    return sys.executable
