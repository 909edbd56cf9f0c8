"""A keyboard and pointer of the agent's own: what reaches the game while a person works elsewhere."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from xcffib import xproto

from pitwall.core.actions import InputEvent, Refusal
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.injection import BrokerFault, FocusChanged, FocusHolder, Latched, Ready, StopCause
from pitwall.core.keys import QT_WITHOUT_DEVICES
from pitwall.desktops.here import this_desktop
from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.seat import NoSeat, OwnSeat
from pitwall.desktops.x11.xkb import read_keyboard
from pitwall.engine.action.broker_link import BrokerLink
from workshop.fixtures.broker_rig import PATIENT, BrokerRig, GameWindow
from workshop.fixtures.key_window import KeyWindow, WindowEvent
from workshop.fixtures.page_window import PageWindow
from workshop.fixtures.processes import freeze, resume

pytestmark = [
    pytest.mark.screen,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has one keyboard focus"),
]
OWN = replace(PATIENT, own_seat=True, actions_per_second=50)
_UNMANAGED = xproto.CW.OverrideRedirect
QT_WINDOW = """
from PySide6.QtGui import QGuiApplication, QWindow
app, window = QGuiApplication([]), QWindow()
window.show()
print("shown", flush=True)
app.exec()
"""
LAYOUTS = (
    "us",
    "fr",
    "de -variant neo",
    "ru",
    "gr",
    "us -variant dvorak",
    "us,fr",
    "us -option ctrl:swapcaps",
)


@pytest.fixture
def rig(mortal_rig: BrokerRig) -> BrokerRig:
    return mortal_rig


@pytest.fixture
def elsewhere(rig: BrokerRig) -> Iterator[KeyWindow]:
    """A person's window with the person's focus, away from the game's."""
    window = KeyWindow("person's window")
    place(rig, rig.window, 10, 30)
    place(rig, window, 400, 300)
    rig.hands.place_pointer_in(window.window_id, 50, 50)
    rig.hands.steal_focus(window.window_id)
    yield window
    window.close()


def place(rig: BrokerRig, window: GameWindow, x: int, y: int) -> None:
    """Put a window somewhere above the others, and wait until it is there."""
    rig.hands.place_window(window.window_id, x, y)
    with this_desktop().windows() as windows:
        rig.until(lambda: windows.at(x + 100, y + 100) == window.window_id)


def devices() -> str:
    """Return the names of the server's input devices, a line each."""
    display = Display()
    infos = display.xinput.XIQueryDevice(0).reply().infos
    names = [str(info.name.to_string()) for info in infos]
    display.close()
    return "\n".join(names)


def tap(rig: BrokerRig, key: str) -> list[Refusal | None]:
    receipts = rig.press(key), rig.release(key)
    rig.pump_for(0.01)  # SDL takes a release and a press within 2 ms for the key's repetition
    return [sent.refused for receipt in receipts for sent in receipt.events]


def test_both_type_at_once_and_each_window_gets_its_own(rig: BrokerRig, elsewhere: KeyWindow) -> None:
    rig.arm(OWN)
    assert rig.last_said(Ready).own_seat
    assert rig.hands.focus() == elsewhere.window_id, "the person's focus must stay"
    for _ in range(20):
        assert tap(rig, "w") == [None, None]
        rig.hands.key("s", down=True)
        rig.hands.key("s", down=False)
        rig.pump_for(0.01)
    rig.until(lambda: len(rig.events("key_up", "w")) == 20)
    typed: list[tuple[str, str]] = []
    while len(typed) < 40 and (events := elsewhere.events(20.0)):
        typed += [(event.kind, event.key) for event in events if event.kind.startswith("key")]
    assert typed == [("key_down", "s"), ("key_up", "s")] * 20
    assert {event.key for event in rig.events("key_down")} == {"w"}
    assert not rig.all_said(Latched)


def test_the_window_manager_keeps_the_persons_window_active(rig: BrokerRig, elsewhere: KeyWindow) -> None:
    """Else it gives the game the person's focus as they come back from another workspace."""
    display = Display()
    name = display.atom("_NET_ACTIVE_WINDOW")

    def active() -> list[int]:
        reply = display.core.GetProperty(False, display.root, name, xproto.Atom.WINDOW, 0, 1).reply()
        return list(reply.value.to_atoms())

    rig.arm(OWN)
    rig.pump_for(0.3)  # the window manager hears of the agent's focus
    rig.until(lambda: active() == [elsewhere.window_id] or None)
    assert rig.hands.focus() == elsewhere.window_id
    assert tap(rig, "w") == [None, None]
    display.close()


def test_a_person_closes_a_window_and_has_the_keyboard_in_the_next(
    rig: BrokerRig, elsewhere: KeyWindow
) -> None:
    """The server tells a window manager no more of a lost focus while the agent has a focus of its own."""
    rig.arm(OWN)
    dialog = KeyWindow("person's dialog")
    rig.until(lambda: rig.hands.focus() == dialog.window_id or None)
    dialog.close()
    rig.until(lambda: rig.hands.focus() == elsewhere.window_id or None)
    assert tap(rig, "w") == [None, None]
    assert not rig.all_said(Latched)


def test_a_click_leaves_the_persons_pointer_and_focus(rig: BrokerRig, elsewhere: KeyWindow) -> None:
    rig.arm(OWN)
    rig.pump_for(0.1)  # SDL ignores a click within 10 ms of the focus
    before = rig.hands.pointer()
    for x in (20, 40, 60):
        rig.seen.clear()
        rig.inject(InputEvent(kind="mouse_down", x=x, y=30), InputEvent(kind="mouse_up", x=x, y=30))
        rig.until(lambda: rig.events("mouse_up"))
        assert rig.events("mouse_down")[0].pos == (x, 30)
    rig.pump_for(0.2)
    assert rig.hands.pointer() == before
    assert rig.hands.focus() == elsewhere.window_id


def test_a_game_that_holds_the_pointer_as_play_begins_leaves_the_persons_free(screen: str) -> None:
    assert screen
    rig = BrokerRig(window=KeyWindow("a game", holds_from="g"))
    place(rig, rig.window, 10, 30)
    rig.hands.place_pointer_in(rig.window.window_id, 50, 50)
    rig.arm(OWN, keys=("g", "w"))
    tap(rig, "g")
    rig.until(lambda: rig.events("key_up", "g"))
    for _ in range(20):
        rig.hands.move(40, 20)
        rig.pump_for(0.01)
    x, y = rig.hands.pointer()
    assert x > 600 and y > 300
    assert tap(rig, "w") == [None, None]
    rig.until(lambda: rig.events("key_up", "w"))
    assert not rig.all_said(Latched)
    rig.close()


def test_a_person_clicks_elsewhere_while_the_agent_holds_a_button_in_chromium(screen: str) -> None:
    """Chromium grabs every pointer of the screen as a button goes down in it, also when it is slow."""
    assert screen
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    rig, person = BrokerRig(window=PageWindow()), KeyWindow("person's window")
    try:
        place(rig, rig.window, 10, 30)
        place(rig, person, 800, 600)
        rig.hands.place_pointer_in(person.window_id, 50, 50)
        rig.hands.steal_focus(person.window_id)
        rig.arm(OWN)
        rig.pump_for(0.2)
        for _ in range(6):
            freeze(rig.window.pid)
            rig.inject(InputEvent(kind="mouse_down", x=100, y=60))
            rig.pump_for(0.1)
            resume(rig.window.pid)
            rig.pump_for(0.3)
            rig.hands.button(1, down=True)
            rig.hands.button(1, down=False)
            rig.inject(InputEvent(kind="mouse_up", x=100, y=60))
            rig.pump_for(0.1)
        rig.until(lambda: len(rig.events("mouse_up")) >= 6)
        clicks = [event for event in person.events(5.0) if event.kind == "mouse_down"]
        while len(clicks) < 6 and (more := person.events(5.0)):
            clicks += [event for event in more if event.kind == "mouse_down"]
        assert (len(clicks), len(rig.events("mouse_down"))) == (6, 6)
        assert not rig.all_said(Latched)
    finally:
        person.close()
        rig.close()


def test_keys_reach_chromium_after_the_person_has_left_it(screen: str) -> None:
    """Chromium takes the end of the person's focus for the end of the agent's."""
    assert screen
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    rig, person = BrokerRig(window=PageWindow()), KeyWindow("person's window")
    try:
        place(rig, rig.window, 10, 30)
        place(rig, person, 800, 600)
        subprocess.run(
            ["xdotool", "windowactivate", "--sync", str(rig.window.window_id)], check=True, timeout=30
        )
        rig.arm(OWN)
        rig.until(lambda: rig.link.own_seat)
        for _ in range(2):
            rig.hands.place_pointer_in(person.window_id, 50, 50)
            rig.hands.button(1, down=True)
            rig.hands.button(1, down=False)
            rig.until(lambda: rig.hands.focus() == person.window_id)
            rig.pump_for(0.3)
            rig.forget()
            assert tap(rig, "w") == [None, None]
            rig.until(lambda: rig.events("key_up", "w"))
            rig.hands.steal_focus(rig.window.window_id)
            rig.pump_for(0.1)
        assert not rig.all_said(Latched)
    finally:
        person.close()
        rig.close()


def test_keys_reach_a_game_that_another_window_covers(rig: BrokerRig, elsewhere: KeyWindow) -> None:
    rig.arm(OWN)
    place(rig, elsewhere, 10, 30)
    assert tap(rig, "w") == [None, None]
    rig.until(lambda: rig.events("key_up", "w"))
    covered = rig.inject(InputEvent(kind="mouse_down", x=160, y=120)).events[0].refused
    assert covered is Refusal.POINTER, "the click would go to the window above"


@pytest.mark.usefixtures("elsewhere")
def test_a_person_in_another_window_does_not_take_over_but_in_the_game_does(rig: BrokerRig) -> None:
    rig.arm(OWN)
    rig.hands.key("s", down=True)
    rig.hands.key("s", down=False)
    rig.hands.button(1, down=True)
    rig.hands.button(1, down=False)
    rig.pump_for(0.2)  # the broker asks where the pointer is as it hears of the click
    rig.hands.place_pointer_in(rig.window.window_id, 10, 10)
    rig.hands.move(30, 30)  # a pointer that crosses the game acts on nothing
    rig.pump_for(0.3)
    assert tap(rig, "w") == [None, None]
    assert not rig.all_said(Latched)
    rig.press("w")
    rig.hands.button(1, down=True)
    latched = rig.latched()
    assert (latched.cause, latched.released) == (StopCause.TAKEOVER, ("w",))
    rig.hands.button(1, down=False)


@pytest.mark.usefixtures("elsewhere")
def test_a_person_who_types_in_the_game_takes_over(rig: BrokerRig) -> None:
    rig.arm(OWN)
    rig.pump_for(0.3)  # a focus that comes with the start is given back
    rig.hands.steal_focus(rig.window.window_id)
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    assert rig.latched().cause is StopCause.TAKEOVER


def test_two_agents_play_beside_each_other(rig: BrokerRig) -> None:
    other = BrokerRig()
    try:
        place(rig, rig.window, 10, 30)
        place(rig, other.window, 400, 300)
        other.arm(OWN)
        rig.arm(OWN)
        rig.pump_for(0.3)  # a focus that comes with the start is given back
        rig.hands.steal_focus(rig.window.window_id)
        for _ in range(5):
            assert (tap(other, "w"), tap(rig, "a")) == ([None, None], [None, None])
        other.until(lambda: len(other.events("key_up", "w")) == 5)
        rig.until(lambda: len(rig.events("key_up", "a")) == 5)
        assert not rig.all_said(Latched) and not other.all_said(Latched)
    finally:
        other.close()


@pytest.mark.usefixtures("elsewhere")
def test_the_stop_key_works_from_the_persons_keyboard_under_any_modifiers(rig: BrokerRig) -> None:
    rig.arm(OWN)
    for modifiers in ((), ("Control",), ("Shift", "Alt", "Meta")):
        rig.press("w", "Shift")
        for key in (*modifiers, "ScrollLock"):
            rig.hands.key(key, down=True)
        latched = rig.latched()
        for key in ("ScrollLock", *modifiers):
            rig.hands.key(key, down=False)
        assert latched.cause is StopCause.HOTKEY, modifiers
        assert set(latched.released) == {"w", "Shift"}
        rig.until(lambda: rig.hands.keys_down() == ())
        rig.link.rearm()
        rig.until(lambda: rig.link.own_seat)


@pytest.mark.parametrize("own_first", [True, False])
def test_a_key_that_is_held_as_the_devices_are_exchanged_can_be_pressed_again(
    rig: BrokerRig, own_first: bool
) -> None:
    limits = [OWN, replace(OWN, own_seat=False)]
    before, after = limits if own_first else reversed(limits)
    rig.arm(before)
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    rig.configure(after)  # the operator changed the setting
    rig.until(lambda: rig.events("key_up", "w") and not rig.link.held, timeout_s=10)
    rig.until(lambda: rig.last_said(FocusChanged).holder is FocusHolder.GAME)
    assert tap(rig, "w") == [None, None]
    rig.until(lambda: len(rig.events("key_down", "w")) == 2, timeout_s=10)


@pytest.mark.usefixtures("elsewhere")
def test_a_persons_modifiers_do_not_change_the_agents_keys(rig: BrokerRig) -> None:
    rig.arm(OWN)
    rig.hands.key("Alt", down=True)
    rig.pump_for(0.1)
    refused = tap(rig, "Tab")
    rig.hands.key("Alt", down=False)
    assert refused == [None, None], "Alt is down on another keyboard: this is no Alt+Tab"


def test_a_thief_of_focus_and_keyboard_costs_nothing(rig: BrokerRig, elsewhere: KeyWindow) -> None:
    rig.arm(OWN)
    thief = KeyWindow("thief")
    try:
        for _ in range(10):
            rig.hands.steal_focus(thief.window_id)
            assert tap(rig, "w") == [None, None]
            rig.hands.steal_focus(elsewhere.window_id)
        rig.until(lambda: len(rig.events("key_down", "w")) == 10)
        assert not [event for event in thief.events(0.2) if event.kind.startswith("key")]
    finally:
        thief.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_dead_brokers_keys_come_up_and_its_devices_go(
    rig: BrokerRig, elsewhere: KeyWindow, number: signal.Signals
) -> None:
    rig.arm(OWN)
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    assert f"Pitwall agent {rig.link.pid} pointer" in devices()
    first = rig.link.pid
    os.kill(first, number)
    rig.until(lambda: rig.events("key_up", "w"))
    deadline = time.monotonic() + 30
    while f"agent {first} " in devices() and time.monotonic() < deadline:
        rig.pump()
    assert f"agent {first} " not in devices()
    assert rig.hands.focus() == elsewhere.window_id


def test_a_dead_brokers_keys_come_up_while_the_engine_hangs(rig: BrokerRig) -> None:
    rig.arm(OWN)
    rig.press("w")
    rig.until(lambda: rig.events("key_down", "w"))
    os.kill(rig.link.pid, signal.SIGKILL)  # it stays a zombie, for this engine no longer looks after it
    deadline = time.monotonic() + 30
    came: list[WindowEvent] = []
    while not came and time.monotonic() < deadline:
        came = [event for event in rig.window.events(0.5) if event.kind == "key_up"]
    assert [event.key for event in came] == ["w"]


def test_devices_that_a_crash_left_go_with_the_next_start(rig: BrokerRig, tmp_path: Path) -> None:
    rig.arm(OWN)
    link = rig.link
    left = f"agent {link.pid} "
    for broker in (link._standby, link._duty):
        assert broker is not None
        broker.child.process.kill()
        broker.child.process.wait()
    link.close()
    assert left in devices(), "nobody was left to remove them"
    rig.messages.clear()
    rig.link = BrokerLink(stop_line=None, logs=tmp_path)
    rig.arm(OWN)
    assert left not in devices()


def test_a_server_without_room_for_devices_shares_the_seat(rig: BrokerRig) -> None:
    display = Display()
    seats: list[OwnSeat] = []
    try:
        with pytest.raises(NoSeat):
            while len(seats) < 100:
                seats.append(OwnSeat(display))
        rig.arm(OWN)
        assert any("gives the agent no keyboard" in fault.what for fault in rig.all_said(BrokerFault))
        assert not rig.last_said(Ready).own_seat
        assert tap(rig, "w") == [None, None]
    finally:
        for seat in seats:
            seat.remove()
        display.close()


@pytest.mark.usefixtures("elsewhere")
def test_the_devices_exist_only_while_the_agent_may_press(rig: BrokerRig) -> None:
    mine = f"Pitwall agent {rig.link.pid} pointer"
    rig.configure(OWN)
    rig.until(lambda: rig.link.answered)
    assert mine not in devices(), "no run is on"
    rig.arm(OWN)
    assert mine in devices()
    rig.press("w")
    rig.link.disarm()
    rig.until(lambda: not rig.link.own_seat)
    assert mine not in devices(), "the agent is paused"
    rig.until(lambda: rig.events("key_up", "w"))
    rig.arm(OWN)
    assert mine in devices()
    rig.link.latch()
    rig.latched()
    rig.until(lambda: not rig.link.own_seat)
    assert mine not in devices(), "the agent is stopped"


@pytest.mark.parametrize("killed", [False, True])
def test_a_game_outlives_the_devices_whose_layout_it_read(rig: BrokerRig, killed: bool) -> None:
    """Xlib asks by the number of the agent's keyboard then, and ends where that is gone."""
    try:
        rig.arm(OWN)
        rig.inject(InputEvent(kind="mouse_down", x=5, y=5))
        rig.until(lambda: rig.events("mouse_down"))
        subprocess.run(["setxkbmap", "fr"], check=True, timeout=30)  # read while the agent's button is down
        rig.inject(InputEvent(kind="mouse_move", x=9, y=9))
        rig.until(lambda: [event for event in rig.events("mouse_move") if event.pos == (9, 9)])
        if killed:
            rig.kill_broker()
            rig.latched()
        else:
            rig.link.disarm()
        rig.until(lambda: rig.events("mouse_up") and "Pitwall agent" not in devices())
    finally:
        subprocess.run(["setxkbmap", "us"], check=True, timeout=30)
    rig.arm(OWN)
    assert tap(rig, "w") == [None, None]
    rig.until(lambda: rig.events("key_up", "w"))


def qt_program(shown: bool) -> subprocess.Popen[bytes]:
    """Start a Qt 6 program that hears of devices, with or without a window."""
    usual = {name: text for name, text in os.environ.items() if name != QT_WITHOUT_DEVICES}
    source = QT_WINDOW if shown else QT_WINDOW.replace("window.show()", "")
    program = subprocess.Popen([sys.executable, "-c", source], env=usual, stdout=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stdout.readline()
    return program


@pytest.mark.parametrize("killed", [False, True])
def test_a_qt_6_program_with_a_window_survives_the_agents_devices(rig: BrokerRig, killed: bool) -> None:
    """Qt 6.11 frees the slaves of a removed master twice, unless it has forgotten them before."""
    program = qt_program(shown=True)
    try:
        for _ in range(1 if killed else 5):
            rig.arm(OWN)
            rig.until(lambda: rig.link.own_seat)
            assert tap(rig, "w") == [None, None]
            if killed:
                rig.kill_broker()
                rig.latched()
            else:
                rig.link.disarm()
            rig.until(lambda: "Pitwall agent" not in devices())
        rig.pump_for(0.5)
        assert program.poll() is None, "the program crashed"
        assert not rig.all_said(BrokerFault)
    finally:
        program.kill()
        program.communicate()


def test_the_agent_shares_beside_a_qt_6_program_that_cannot_be_asked(rig: BrokerRig) -> None:
    program = qt_program(shown=False)
    try:
        for _ in range(2):
            rig.arm(OWN)
            assert not rig.last_said(Ready).own_seat
            rig.link.disarm()
        assert len(rig.all_said(BrokerFault)) == 1, "one fault, however often it is armed"
        rig.pump_for(0.3)
        assert program.poll() is None
    finally:
        program.kill()
        program.communicate()


@pytest.mark.usefixtures("screen")
def test_each_layout_is_copied_whole() -> None:
    display = Display()
    seat = OwnSeat(display)
    try:
        for layout in LAYOUTS:
            subprocess.run(["setxkbmap", "-option", "", *layout.split()], check=True, timeout=30)
            seat.copy_keyboard()
            mine, persons = (read_keyboard(display.core, display.xkb, k) for k in (seat.xtest_keyboard, 3))
            assert (mine.groups, mine.wraps, mine.places) == (
                persons.groups,
                persons.wraps,
                persons.places,
            ), layout
            assert mine.names[: len(persons.names)] == persons.names
    finally:
        subprocess.run(["setxkbmap", "-option", "", "us"], check=True, timeout=30)
        seat.remove()
        display.close()


@pytest.mark.usefixtures("screen")
def test_a_person_types_in_chromium_and_loses_no_key() -> None:
    """Chromium hears the newest keyboard alone: the agent's goes as the person types, and comes back."""
    if shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    rig, page = BrokerRig(), PageWindow()
    try:
        place(rig, rig.window, 10, 30)
        rig.hands.steal_focus(page.window_id)
        rig.arm(OWN)
        for _ in range(3):
            rig.until(lambda: rig.link.own_seat and rig.link.focus is FocusHolder.GAME)
            assert tap(rig, "w") == [None, None]
            rig.press("a")
            for key in ("s", "d"):
                rig.hands.key(key, down=True)
                rig.hands.key(key, down=False)
            rig.until(lambda: rig.link.gives_way)
            heard: list[tuple[str, str]] = []
            while len(heard) < 4 and (events := page.events(20.0)):
                heard += [(event.kind, event.key) for event in events if event.kind.startswith("key")]
            assert heard == [("key_down", "s"), ("key_up", "s"), ("key_down", "d"), ("key_up", "d")]
        rig.until(
            lambda: len(rig.events("key_up", "a")) == 3
        )  # what the agent holds comes up as it gives way
        assert not rig.all_said(Latched)
    finally:
        page.close()
        rig.close()


@pytest.mark.usefixtures("elsewhere")
def test_the_devices_go_with_the_broker(rig: BrokerRig) -> None:
    rig.arm(OWN)
    assert "Pitwall agent" in devices()
    rig.link.close()
    assert "Pitwall agent" not in devices()


def test_a_window_whose_frame_is_shown_later_gets_the_agents_focus(rig: BrokerRig) -> None:
    """A window manager maps a window first and its frame after it; until then nothing can have the focus."""
    rig.arm(OWN)
    rig.press("w")
    rig.release("w")
    display = Display()
    core, root = display.core, display.root
    frame, window = display.connection.generate_id(), display.connection.generate_id()
    for made, parent in ((frame, root), (window, frame)):
        core.CreateWindow(
            0, made, parent, 0, 0, 90, 90, 0, xproto.WindowClass.InputOutput, 0, _UNMANAGED, [1]
        )
    core.MapWindow(window)
    display.flush()
    shown = WindowRef(native_id=window, pid=1, title="", wm_class="", rect=Rect(0, 0, 90, 90))
    rig.configure(OWN, target=shown)
    rig.pump_for(0.5)
    assert rig.link.own_seat and rig.link.focus is FocusHolder.OTHER
    core.MapWindow(frame)
    display.flush()
    rig.until(lambda: rig.link.focus is FocusHolder.GAME or None)
    display.close()


def test_the_agents_keys_follow_a_layout_group_that_changes_while_it_plays(rig: BrokerRig) -> None:
    """XIQueryPointer leaves the group in force empty; keys were pressed as if the first were in force."""
    display = Display()
    core_keyboard = 0x100
    before = subprocess.run(["setxkbmap", "-query"], capture_output=True, text=True, check=True).stdout
    layout = next(line.split()[1] for line in before.splitlines() if line.startswith("layout"))
    subprocess.run(["setxkbmap", "-layout", "us,fr"], check=True)
    try:
        rig.arm(OWN, keys=("z",), keys_mean="letter")
        display.xkb.LatchLockState(core_keyboard, 0, 0, True, 1, 0, False, 0)
        display.core.GetInputFocus().reply()
        rig.pump_for(0.3)
        rig.press("z")
        rig.release("z")
        rig.until(lambda: rig.events("key_up"))
        assert [event.key for event in rig.events("key_down")] == ["z"]
    finally:
        display.xkb.LatchLockState(core_keyboard, 0, 0, True, 0, 0, False, 0)
        display.core.GetInputFocus().reply()
        subprocess.run(["setxkbmap", "-layout", layout], check=True)
        display.close()
