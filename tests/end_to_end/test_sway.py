"""On a real sway without a screen: windows seen and played natively. `installer/wayland-test` runs these."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.driver import until
from tests.patience import LIGHT, patient

from pitwall.core.actions import EventKind, InputEvent
from pitwall.core.errors import DisplayError
from pitwall.core.frames import Pixels
from pitwall.core.geometry import Rect, WindowHealth, WindowRef
from pitwall.core.injection import Configure, FocusHolder, HotkeyChords, InputLimits
from pitwall.core.paths import DataFolder
from pitwall.desktops.input_backend import FocusMoved, HotkeyHeard, TargetGone
from pitwall.desktops.window_search import find_window, list_windows, screen_size, window_at
from pitwall_desktops.sway.capture import SwaySource
from pitwall_desktops.sway.inject import VirtualDevices
from pitwall_desktops.sway.input import SwayInput
from pitwall_desktops.sway.ipc import Sway
from workshop.fixtures.sway_session import SwaySession, sway_session

pytestmark = pytest.mark.skipif(
    "PITWALL_WAYLAND_TEST" not in os.environ, reason="installer/wayland-test runs the tests of Wayland"
)
_SCREEN = Rect(0, 0, 1280, 800)
Open = Callable[..., "Shown"]
Capture = Callable[..., SwaySource]


class Shown:
    """A window of the tests, and what reached it."""

    def __init__(
        self, session: SwaySession, folder: Path, title: str, colour: tuple[int, int, int], x11: bool
    ):
        self.title, self._log = title, folder / f"{title}.jsonl"
        program = Path(__file__).with_name("sway_window.py")
        words = [sys.executable, str(program), title, *map(str, colour), str(self._log)]
        driver = "x11" if x11 else "wayland"
        self.process = session.start("env", f"SDL_VIDEODRIVER={driver}", *words, x11=x11)
        self.window = until(lambda: find_window(title=f"^{title}$"), f"the window {title}")

    def heard(self, kind: str = "") -> list[dict[str, Any]]:
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []
        return [item for item in map(json.loads, lines) if kind in ("", item["kind"])]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def session() -> Iterator[SwaySession]:
    with sway_session() as session:
        yield session


@pytest.fixture
def inside(session: SwaySession, monkeypatch: pytest.MonkeyPatch) -> SwaySession:
    """This process is in the session."""
    monkeypatch.delenv("DISPLAY", raising=False)
    for name, value in session.variables.items():
        monkeypatch.setenv(name, value)
    return session


@pytest.fixture
def open_window(inside: SwaySession, tmp_path: Path) -> Iterator[Open]:
    windows: list[Shown] = []

    def show(title: str, colour: tuple[int, int, int] = (40, 80, 120), *, x11: bool = False) -> Shown:
        windows.append(Shown(inside, tmp_path, title, colour, x11))
        return windows[-1]

    yield show
    for window in windows:
        window.close()
    until(lambda: not list_windows(), "every window to be gone")


@pytest.fixture
def capture(inside: SwaySession) -> Iterator[Capture]:
    """Captures windows; every source is closed afterwards."""
    assert inside
    sources: list[SwaySource] = []

    def open_source(window: WindowRef, after_frame: int = 0) -> SwaySource:
        sources.append(SwaySource(window, after_frame=after_frame))
        return sources[-1]

    yield open_source
    for source in sources:
        source.close()


@pytest.fixture
def backend(inside: SwaySession) -> Iterator[SwayInput]:
    assert inside
    backend = SwayInput()
    yield backend
    backend.close()


def _order(window: WindowRef | None) -> Configure:
    return Configure(
        limits=InputLimits(),
        hotkeys=HotkeyChords(),
        target=window,
        allowed_keys=("Space", "a"),
        allow_mouse=True,
    )


def _key(kind: EventKind, key: str) -> InputEvent:
    return InputEvent(kind=kind, key=key)


def _frame(source: SwaySource, wanted: Callable[[Pixels], bool]) -> Pixels:
    """The next frame that is as wanted."""

    def look() -> list[Pixels]:
        select.select([source.fileno()], [], [], 0.05)
        frame = source.take()
        return [frame.pixels.copy()] if frame is not None and wanted(frame.pixels) else []

    return until(look, "such a frame")[0]


@pytest.mark.parametrize("x11", [False, True], ids=["native", "xwayland"])
def test_a_windows_own_pixels_come_as_it_draws_them(open_window: Open, capture: Capture, x11: bool) -> None:
    shown = open_window("one", x11=x11)
    assert (shown.window.rect.width, shown.window.rect.height) == (320, 240)
    assert shown.window.pid == shown.process.pid
    source = capture(shown.window, 7)
    first = _frame(source, lambda pixels: pixels[239, 319, 2] == 255 and pixels[0, 0, 2] > 0)
    assert first.shape == (240, 320, 4)
    assert first[120, 160, :3].tolist() == [120, 80, 40]
    assert first[239, 319, :3].tolist() == [0, 255, 255]
    assert first[0, 0, 1] == 0
    mark = int(first[0, 0, 2])
    _frame(source, lambda pixels: int(pixels[0, 0, 2]) not in (mark, 0))
    fresh = source.fresh()
    assert fresh is not None
    assert fresh.frame_id > 8


def test_what_stands_over_the_game_is_blacked_out(open_window: Open, capture: Capture) -> None:
    game = open_window("game")
    source = capture(game.window)
    cover = open_window("cover", (250, 10, 10))
    place = game.window.rect
    with Sway() as sway:
        move = f"[con_id={cover.window.native_id}] move absolute position {place.x + 100} {place.y + 60}"
        assert sway.run(move) == []
    covered = _frame(source, lambda pixels: not pixels[150, 250, :3].any() and pixels[20, 200, 0] == 120)
    assert not (covered[..., 2] == 250).any(), "a pixel of the window over it is in the frame"


def test_a_window_is_followed_hidden_and_gone(open_window: Open, capture: Capture) -> None:
    game = open_window("game")
    source = capture(game.window)
    with Sway() as sway:
        sway.run(f"[con_id={game.window.native_id}] move absolute position 30 50")
        until(lambda: (source.take(), source.window.rect.x < 40)[1], "the window to be followed")
        _frame(source, lambda pixels: pixels[120, 160, 0] == 120)
        sway.run("workspace other")
        until(lambda: (source.take(), source.health is WindowHealth.MINIMISED)[1], "it to be hidden")
        assert source.fresh() is None
        sway.run("workspace 1")
        _frame(source, lambda pixels: pixels[120, 160, 0] == 120)
    assert screen_size() == (1280, 800)
    over = window_at(source.window.rect.x + 5, source.window.rect.y + 5)
    assert over is not None
    assert over.native_id == game.window.native_id
    game.close()
    until(lambda: (source.take(), source.health is WindowHealth.GONE)[1], "it to be gone")


@pytest.mark.parametrize("x11", [False, True], ids=["native", "xwayland"])
def test_keys_and_clicks_arrive_where_they_are_meant(
    open_window: Open, backend: SwayInput, x11: bool
) -> None:
    game = open_window("game", x11=x11)
    backend.configure(_order(game.window))
    backend.focus_target()
    until(lambda: (backend.hear(), backend.holder is FocusHolder.GAME)[1], "the game to have the focus")
    for key in ("Space", "a", "ArrowLeft", "Shift", "F6", "Numpad4", ";"):
        backend.emit(_key("key_down", key))
        backend.emit(_key("key_up", key))
    backend.settle()
    keys = ["space", "a", "left", "left shift", "f6", "[4]", ";"]
    until(lambda: [item["key"] for item in game.heard("up")] == keys, "every key")
    state = backend.desktop_state(InputEvent(kind="mouse_down", x=12, y=34))
    assert state.focused
    assert state.over_game
    backend.emit(InputEvent(kind="mouse_down", x=12, y=34), state.place)
    backend.emit(InputEvent(kind="mouse_up"))
    until(lambda: game.heard("release"), "the click")
    assert game.heard("press")[0]["at"] == [12, 34]
    assert not backend.desktop_state(InputEvent(kind="mouse_down", x=900, y=34)).over_game


def test_the_focus_and_the_windows_end_are_told(open_window: Open, backend: SwayInput) -> None:
    game = open_window("game")
    backend.configure(_order(game.window))
    assert backend.holder is FocusHolder.GAME
    other = open_window("other")
    message = until(
        lambda: [item for item in backend.hear() if isinstance(item, FocusMoved)], "the focus to move"
    )
    assert message[-1].holder is FocusHolder.OTHER
    assert not backend.desktop_state(_key("key_down", "a")).focused
    other.close()
    game.close()
    until(lambda: [item for item in backend.hear() if isinstance(item, TargetGone)], "the window's end")
    assert not backend.has_target


@pytest.mark.parametrize(
    "modifiers", [(), ("Shift",), ("Control", "Alt"), ("Shift", "Control", "Alt", "Meta"), ("CapsLock",)]
)
def test_the_stop_key_is_heard_whoever_has_the_focus_and_whatever_is_held(
    open_window: Open, backend: SwayInput, modifiers: tuple[str, ...]
) -> None:
    game, other = open_window("game"), open_window("other")
    backend.configure(_order(game.window))
    person = VirtualDevices()
    for name in modifiers:
        person.emit(_key("key_down", name), None, _SCREEN)
    person.emit(_key("key_down", "ScrollLock"), None, _SCREEN)
    heard = until(lambda: [item for item in backend.hear() if isinstance(item, HotkeyHeard)], "the stop key")
    assert heard[0].name == "stop"
    for name in ("ScrollLock", *modifiers):
        person.emit(_key("key_up", name), None, _SCREEN)
    if "CapsLock" in modifiers:
        person.emit(_key("key_down", "CapsLock"), None, _SCREEN)
        person.emit(_key("key_up", "CapsLock"), None, _SCREEN)
    person.settle()
    assert "scroll lock" not in [element.get("key") for element in (*game.heard(), *other.heard())]
    person.close()


def test_a_key_that_sways_configuration_has_is_left_to_it(open_window: Open, backend: SwayInput) -> None:
    game = open_window("game")
    hotkeys = HotkeyChords(pause="F8")
    order = Configure(limits=InputLimits(), hotkeys=hotkeys, target=game.window)
    hidden, faults = backend.configure(order)
    assert "F8" not in hidden
    assert any("F8" in fault.what for fault in faults)
    assert any("does not take over" in fault.what for fault in faults)


_HOLDS = """
import os, sys, time
from pitwall_desktops.sway.inject import VirtualDevices
from pitwall.core.actions import InputEvent
from pitwall.core.geometry import Rect
devices, screen = VirtualDevices(), Rect(0, 0, 1280, 800)
devices.emit(InputEvent(kind="key_down", key="ArrowRight"), None, screen)
devices.emit(InputEvent(kind="mouse_down"), (float(sys.argv[1]), float(sys.argv[2])), screen)
devices.settle()
time.sleep(60)
"""


def test_what_a_killed_broker_held_comes_up(open_window: Open, backend: SwayInput) -> None:
    game = open_window("game")
    place = game.window.rect
    where = [str(place.x + 50), str(place.y + 60)]
    holder = subprocess.Popen([sys.executable, "-c", _HOLDS, *where])
    until(lambda: game.heard("press"), "the button to be down")
    assert not game.heard("up")
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    until(lambda: [item["key"] for item in game.heard("up")] == ["right"], "the key to be up")
    backend.sweep(everything=True)  # as the second broker does
    until(lambda: game.heard("release"), "the button to be up")


def test_a_compositor_that_ends_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with sway_session() as short:
        monkeypatch.delenv("DISPLAY", raising=False)
        for name, value in short.variables.items():
            monkeypatch.setenv(name, value)
        shown = Shown(short, tmp_path, "short", (1, 2, 3), x11=False)
        source = SwaySource(shown.window)
        backend = SwayInput()
    shown.close()
    with pytest.raises(DisplayError, match="lost"):
        until(lambda: source.take() is not None and source.fresh() is None, "the end")
    with pytest.raises(DisplayError, match="lost"):
        until(lambda: bool(backend.hear()) and False, "the end")
    with pytest.raises(DisplayError, match="cannot be reached"):
        list_windows()
    source.close()
    backend.close()


@pytest.mark.parametrize(
    ("driver", "x11_road"),
    [("wayland", False), ("x11", False), ("x11", True)],
    ids=["native", "xwayland", "x11"],
)
def test_a_bundled_game_is_played(session: SwaySession, tmp_path: Path, driver: str, x11_road: bool) -> None:
    data = patient(DataFolder(tmp_path / "data"), LIGHT)
    variables: dict[str, str | None] = {**session.variables, "SDL_VIDEODRIVER": driver}
    variables["DISPLAY"] = session.x_display if driver == "x11" else None
    if x11_road:
        variables["SWAYSOCK"] = ""
    began = time.monotonic()
    words = ("demo", "--game", "flappy", "--seconds", "15", "--json")
    ran = pitwall(*words, data=data, timeout_s=100.0, **variables)
    assert ran.status == 0, ran.err
    answer = ran.answer
    road = "X11" if x11_road else "sway"
    sys.stdout.write(f"{driver} window by {road}: score {answer['score']}, {answer['reaction_ms']} ms\n")
    assert answer["outcome"] == "finished"
    assert answer["events_sent"] > 20
    assert answer["keys_down_at_end"] == 0
    assert answer["frames"] > 100
    assert time.monotonic() - began > 15
    assert Path(answer["export"][0]).is_file()
