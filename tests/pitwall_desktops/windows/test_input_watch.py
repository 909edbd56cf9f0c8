"""What the hooks of Windows hear of a key: pressed, repeated, or let go where nobody heard it."""

from __future__ import annotations

from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.injection import Configure, HotkeyChords, InputLimits
from pitwall.desktops.input_backend import HotkeyHeard
from pitwall_desktops.windows.focus import Focus
from pitwall_desktops.windows.input_watch import InputWatch, RawEvent

_SCROLL_LOCK = 0x91


def _watch() -> InputWatch:
    watch = InputWatch(Focus())
    watch.listen(
        Configure(
            limits=InputLimits(),
            hotkeys=HotkeyChords(stop="ScrollLock"),
            target=None,
            console_pids=(),
            allowed_keys=(),
            allow_mouse=False,
        )
    )
    return watch


def _press(watch: InputWatch, at_ns: int) -> bool:
    return watch.take(
        RawEvent(message=0, at_ns=at_ns, injected=False, own=False, virtual=_SCROLL_LOCK, extended=False)
    )


def _stops(watch: InputWatch) -> int:
    return sum(isinstance(heard, HotkeyHeard) for heard in watch.judge(0))


def test_a_stop_key_that_is_held_stops_once_and_stays_hidden() -> None:
    watch = _watch()
    hidden = [_press(watch, at) for at in (NS_PER_S, 2 * NS_PER_S, 2 * NS_PER_S + 30 * NS_PER_MS)]
    assert hidden == [True, True, True]
    assert _stops(watch) == 1


def test_a_stop_key_whose_release_nobody_heard_stops_again() -> None:
    watch = _watch()
    assert _press(watch, NS_PER_S)  # then the screen is locked: its release reaches no hook
    assert _press(watch, 9 * NS_PER_S)
    assert _stops(watch) == 2
