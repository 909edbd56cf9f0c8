"""What reaches a window's program is seen, whatever it selected and whosever keyboard it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

if sys.platform == "win32":
    pytest.skip("needs an X server", allow_module_level=True)

import xcffib.xinput
from xcffib import xproto

from pitwall.desktops.x11.arrivals import watch_x11_arrivals
from pitwall.desktops.x11.display import KEY_PRESS, KEY_RELEASE, MOTION, Display
from pitwall.desktops.x11.seat import OwnSeat, SharedSeat

pytestmark = pytest.mark.screen
_SHIFT = 50
_XI_KEYS, _XI_MOTION = 1 << 2 | 1 << 3, 1 << 6
_ALL_DEVICES, _ALL_MASTERS, _PERSONS = 0, 1, (2, 3)


@pytest.fixture
def broker(screen: str) -> Iterator[Display]:
    assert screen
    display = Display()
    yield display
    display.close()


@pytest.fixture
def own(broker: Display) -> Iterator[OwnSeat]:
    seat = OwnSeat(broker)
    yield seat
    seat.remove()


@pytest.fixture
def program(screen: str) -> Iterator[Display]:
    assert screen
    display = Display()
    yield display
    display.close()


def _window(program: Display, *, core: bool = False, devices: tuple[int, ...] = ()) -> int:
    window = program.connection.generate_id()
    mask = xproto.EventMask.KeyPress | xproto.EventMask.PointerMotion if core else 0
    values = [1, mask]
    chosen = xproto.CW.OverrideRedirect | xproto.CW.EventMask
    program.core.CreateWindow(0, window, program.root, 0, 0, 120, 120, 0, 1, 0, chosen, values)
    for device in devices:
        selected = xcffib.xinput.EventMask.synthetic(device, 1, [_XI_KEYS | _XI_MOTION])
        program.xinput.XISelectEventsChecked(window, 1, [selected]).check()
    program.core.MapWindow(window)
    program.core.GetInputFocus().reply()
    return int(window)


def _arrives(seat: SharedSeat, broker: Display, window: int, wait_s: float) -> tuple[bool, bool]:
    """Press a key and move the pointer; return which of both was seen to arrive."""
    if not seat.aim(window):
        broker.core.SetInputFocus(2, window, 0)
    with watch_x11_arrivals(window) as arrivals:
        for x in (50, 51):
            seat.fake(MOTION, 0, x, 50)
        for kind in (KEY_PRESS, KEY_RELEASE):
            seat.fake(kind, _SHIFT)
        broker.flush()
        key = arrivals.any("key", wait_s)
        return key, arrivals.any("pointer", 0.0)  # the server hands both over in one order


@pytest.mark.parametrize(
    ("core", "devices"), [(True, ()), (False, (_ALL_MASTERS,)), (False, (_ALL_DEVICES,))]
)
def test_a_press_of_either_seat_is_seen_to_arrive(
    broker: Display, own: OwnSeat, program: Display, core: bool, devices: tuple[int, ...]
) -> None:
    window = _window(program, core=core, devices=devices)
    assert _arrives(own, broker, window, 30.0) == (True, True)
    assert _arrives(SharedSeat(broker), broker, window, 30.0) == (True, True)


def test_a_program_that_hears_the_persons_devices_alone_is_found_out(
    broker: Display, own: OwnSeat, program: Display
) -> None:
    window = _window(program, devices=_PERSONS)
    assert _arrives(own, broker, window, 0.3) == (False, False)
    assert _arrives(SharedSeat(broker), broker, window, 30.0) == (True, True)


def test_what_another_window_of_the_program_gets_does_not_count(
    broker: Display, own: OwnSeat, program: Display
) -> None:
    other, window = _window(program, core=True), _window(program, core=True)
    own.aim(other)
    with watch_x11_arrivals(window) as arrivals:
        own.fake(KEY_PRESS, _SHIFT)
        own.fake(KEY_RELEASE, _SHIFT)
        broker.flush()
        assert not arrivals.any("key", 0.3)
