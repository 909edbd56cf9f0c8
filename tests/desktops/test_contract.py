"""Every desktop fulfils the contract: its shape everywhere, its behaviour where these tests run on it."""

from __future__ import annotations

import inspect
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pitwall.core.actions import InputEvent
from pitwall.core.geometry import WindowHealth, WindowRef
from pitwall.core.injection import Configure, FocusHolder, HotkeyChords, InputLimits
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.contract import Desktop, WindowList
from pitwall.desktops.here import desktops, this_desktop
from pitwall.desktops.process_contract import Processes
from workshop.fixtures.key_window import KeyWindow

_PATIENCE_S = 30.0
_NO_WINDOW = 0x7FFF_FFF0
OWN_WINDOW = "PITWALL_TEST_OWN_WINDOW"
"""Set where the desktop has a window already: a program's window would not appear on it."""


@pytest.fixture(params=desktops(), ids=lambda desktop: desktop.name)
def desktop(request: pytest.FixtureRequest) -> Desktop:
    assert isinstance(request.param, Desktop)
    return request.param


@pytest.fixture
def live(desktop: Desktop, screen: str) -> Desktop:
    """The desktop, where it is the one that these tests run on."""
    assert screen
    if desktop is not this_desktop():
        pytest.skip(f"these tests do not run on {desktop.name}")
    return desktop


@pytest.fixture
def game(live: Desktop) -> Iterator[WindowRef]:
    """A new window on this desktop, or the open one of a desktop that draws none."""
    if OWN_WINDOW in os.environ:
        with live.windows() as windows:
            yield _state(windows, windows.client_ids()[-1])
            return
    window = KeyWindow("contract")
    with live.windows() as windows:
        _until(lambda: window.window_id in windows.client_ids())
        yield _state(windows, window.window_id)
    window.close()


def _state(windows: WindowList, window_id: int) -> WindowRef:
    state = windows.look(window_id)
    assert state is not None
    return state.window


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_names_differ_and_one_desktop_is_chosen() -> None:
    assert len({desktop.name for desktop in desktops()}) == len(desktops())
    assert this_desktop() is next(desktop for desktop in desktops() if desktop.is_here())


def test_its_methods_take_what_the_contract_says(desktop: Desktop) -> None:
    for name, declared in inspect.getmembers(Desktop, inspect.isfunction):
        own = inspect.signature(getattr(type(desktop), name))
        assert [*own.parameters] == [*inspect.signature(declared).parameters], name


def test_its_processes_answer_every_question(desktop: Desktop) -> None:
    for name, declared in inspect.getmembers(Processes, inspect.isfunction):
        if not name.startswith("_"):
            wanted = [*inspect.signature(declared).parameters][1:]
            assert [*inspect.signature(getattr(desktop.processes, name)).parameters] == wanted, name


@pytest.mark.screen
def test_it_lists_windows(live: Desktop, game: WindowRef) -> None:
    live.check()
    assert all(live.notes())
    with live.windows() as windows:
        assert game.native_id in windows.client_ids()
        assert isinstance(windows.unmanaged_ids(), list)
        assert windows.playable(game.native_id)
        state = windows.look(game.native_id)
        assert state is not None and state.health is WindowHealth.VISIBLE
        assert windows.look(_NO_WINDOW) is None
        width, height = windows.screen_size
        middle = (game.rect.x + game.rect.width // 2, game.rect.y + game.rect.height // 2)
        assert middle[0] < width and middle[1] < height
        assert windows.at(*middle) == game.native_id
        assert windows.covering(game.native_id) == []


@pytest.mark.screen
@pytest.mark.parametrize("backend", ["auto", "screen"])
def test_it_captures_a_window(live: Desktop, game: WindowRef, backend: str) -> None:
    settings = CaptureSettings.model_validate({"backend": backend})
    source = live.capture(game, settings, after_frame=41)
    try:
        first, second = source.fresh(), source.fresh()
        assert first is not None and second is not None
        assert (first.frame_id, second.frame_id) == (42, 43)
        assert second.pixels.shape == (game.rect.height, game.rect.width, 4)
        assert source.window.native_id == game.native_id
        assert source.health is WindowHealth.VISIBLE
        assert source.fileno() > 0
    finally:
        source.close()


@pytest.mark.screen
def test_a_window_that_is_gone_is_no_fault_of_the_input(live: Desktop, game: WindowRef) -> None:
    """The engine reports it; a game replaces its first window without a word."""
    backend = live.input()
    gone = replace(game, native_id=_NO_WINDOW)
    order = Configure(
        limits=InputLimits(),
        hotkeys=HotkeyChords(),
        target=gone,
        console_pids=(),
        allowed_keys=("w",),
        allow_mouse=False,
    )
    try:
        _, faults = backend.configure(order)
        assert not [fault for fault in faults if "window" in fault.what]
        assert not backend.has_target
    finally:
        backend.close()


def test_it_presses_keys_and_brings_them_up(live: Desktop, game: WindowRef) -> None:
    backend = live.input()
    try:
        hidden, _faults = backend.configure(
            Configure(
                limits=InputLimits(),
                hotkeys=HotkeyChords(),
                target=game,
                console_pids=(),
                allowed_keys=("w",),
                allow_mouse=False,
            )
        )
        assert all(isinstance(chord, str) for chord in hidden)
        assert backend.has_target
        backend.focus_target()
        _until(lambda: backend.hear() is not None and backend.holder is FocusHolder.GAME)
        press = InputEvent(kind="key_down", key="w")
        assert backend.knows(press) and not backend.knows(InputEvent(kind="key_down", key="no key"))
        with backend.still():
            assert backend.desktop_state(press).focused
            backend.emit(press)
        assert backend.settle() > 0
        assert "w" in backend.sweep(everything=False)
        assert "w" not in backend.sweep(everything=False)
        assert select.select([backend.fileno()], [], [], 0) is not None
    finally:
        backend.close()


@pytest.mark.screen
def test_it_follows_processes(live: Desktop) -> None:
    processes = live.processes
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert 0 < processes.born(os.getpid()) <= processes.born(child.pid)
        entry = next(entry for entry in processes.running() if entry.pid == child.pid)
        assert entry.parent == os.getpid()
        program = processes.program(child.pid)
        assert program is not None and "python" in program.name.lower()
        assert any(listed.pid == child.pid for listed in processes.programs())
        assert not processes.is_supervisor(child.pid)
        death = processes.death_of(child.pid)
        assert death is not None
    finally:
        child.kill()
        child.communicate()
    if sys.platform != "win32":  # select takes sockets alone there
        assert select.select([death], [], [], _PATIENCE_S)[0]
        os.close(death)
    assert processes.born(child.pid) == 0
    assert processes.death_of(0) is None
