"""`seat-table`: where the agent's own keyboard and pointer work: window managers and toolkits, one by one.

Under each window manager a person holds the focus of one SDL window while the agent types and clicks in
another. In a window of each toolkit (`seat_programs`) the agent types letters, and the window's pixels must
change. Beside it stands whether the X server was seen to hand the keys over: a game's own check goes by that.
What is not installed is named as such.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pitwall.core.actions import InputEvent
from pitwall.core.errors import DisplayError
from pitwall.core.geometry import WindowRef
from pitwall.core.settings import CaptureSettings
from pitwall.desktops.here import this_desktop
from pitwall.link.virtual_screen import virtual_screen
from workshop.benchmarks.input.seat_programs import PROGRAMS, Program
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.broker_rig import PATIENT, BrokerRig
from workshop.fixtures.key_window import KeyWindow

MANAGERS: dict[str, tuple[str, ...]] = {
    "openbox": ("openbox", "--sm-disable"),
    "openbox, focus follows the pointer": ("openbox", "--sm-disable", "--config-file", "{follows}"),
    "openbox, picom": ("openbox", "--sm-disable", "--startup", "picom --backend xrender"),
    "i3 (focus follows the pointer)": ("i3", "-c", "/dev/null"),
    "xfwm4": ("dbus-run-session", "--", "xfwm4"),
    "xfwm4, compositor": ("dbus-run-session", "--", "xfwm4", "--compositor=on"),
    "metacity": ("metacity",),
    "mutter": ("dbus-run-session", "--", "mutter", "--x11"),
    "kwin": ("dbus-run-session", "--", "kwin_x11"),
    "fluxbox": ("fluxbox",),
    "icewm": ("icewm",),
    "icewm, focus follows the pointer": ("icewm", "-c", "{icewm}"),
}
_OWN = replace(PATIENT, own_seat=True, actions_per_second=50)
_TURNS = 20
_OPENS_S = 60.0
_LETTERS = ("w", "e", "r", "f")
_OPENBOX = Path("/etc/xdg/openbox/rc.xml")
_FOLLOWS = ("<followMouse>no", "<followMouse>yes")


def run(*, quick: bool) -> dict[str, Any]:
    """Try each window manager and each toolkit; quick: the first three managers."""
    checks: list[dict[str, Any]] = []
    table: dict[str, Any] = {}
    for name, command in list(MANAGERS.items())[: 3 if quick else None]:
        if missing := _missing(command):
            table[name] = f"not installed: {missing}"
            continue
        with (
            tempfile.TemporaryDirectory(prefix="pitwall-seat-") as folder,
            own_screen(_configured(command, Path(folder))),
        ):
            table[name] = counts = _under_manager()
        kept = min(counts["keys"], counts["clicks"], counts["focus kept"], counts["typed"])
        met = kept == _TURNS and counts["strange"] == 0
        checks.append(check(name, "of 20", figure(kept), aim="20, no key in a wrong window", met=met))
    for name, program in PROGRAMS.items():
        if program.missing:
            table[name] = f"not installed: {program.missing}"
            continue
        with own_screen(MANAGERS["openbox"]):
            table[name] = row = _in_program(program)
        if row is not None:
            good = all(row.values())
            checks.append(check(name, "px", figure(row["changed px"]), aim="the text appears", met=good))
    return report("seat-table", checks, table=table)


def _missing(command: Sequence[str]) -> str:
    programs = [word for word in command if word in ("dbus-run-session", command[0])]
    programs += ["picom"] if any("picom" in word for word in command) else []
    if command[0] == "dbus-run-session":
        programs.append(command[2])
    return next((program for program in programs if shutil.which(program) is None), "")


def _configured(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Write the configurations that a window manager may be started with; return its words."""
    files = {"follows": folder / "rc.xml", "icewm": folder / "preferences"}
    if _OPENBOX.is_file():
        files["follows"].write_text(_OPENBOX.read_text(encoding="utf-8").replace(*_FOLLOWS), encoding="utf-8")
    files["icewm"].write_text("ClickToFocus=0\n", encoding="utf-8")
    return tuple(word.format(**files) if word.startswith("{") else word for word in command)


@contextlib.contextmanager
def own_screen(manager: Sequence[str]) -> Iterator[None]:
    """Work on a virtual screen of its own with a window manager until the block ends."""
    before = os.environ.get("DISPLAY")
    with virtual_screen("1280x800x24", manager=manager) as display:
        os.environ["DISPLAY"] = display
        time.sleep(2.0)
        try:
            yield
        finally:
            os.environ.pop("DISPLAY")
            if before is not None:
                os.environ["DISPLAY"] = before


def _under_manager() -> dict[str, int]:
    rig, person = BrokerRig(), KeyWindow("person")
    try:
        _give_focus(rig, person)
        rig.arm(_OWN)
        rig.pump_for(0.3)
        rig.seen.clear()
        person.events()
        kept = 0
        for turn in range(_TURNS):
            rig.press("w")
            rig.pump_for(0.03)
            rig.release("w")
            rig.inject(InputEvent(kind="mouse_down", x=20 + turn, y=30))
            rig.pump_for(0.05)
            rig.inject(InputEvent(kind="mouse_up", x=20 + turn, y=30))
            rig.pump_for(0.12)
            rig.hands.key("s", down=True)
            rig.hands.key("s", down=False)
            kept += rig.hands.focus() == person.window_id
        rig.pump_for(1.0)
        typed = [event.key for event in person.events() if event.kind == "key_down"]
        return {
            "keys": len(rig.events("key_down", "w")),
            "clicks": len(rig.events("mouse_down")),
            "focus kept": kept,
            "typed": typed.count("s"),
            "strange": len(typed) - typed.count("s") + len(rig.events("key_down", "s")),
        }
    finally:
        person.close()
        rig.close()


def _give_focus(rig: BrokerRig, person: KeyWindow) -> None:
    """Put both windows apart, and give the person's the focus as a person does."""
    rig.hands.place_window(rig.window.window_id, 10, 30)
    rig.hands.place_window(person.window_id, 800, 450)
    deadline = time.monotonic() + _OPENS_S
    while rig.hands.focus() != person.window_id and time.monotonic() < deadline:
        rig.hands.place_pointer_in(person.window_id, 50, 50)
        time.sleep(0.3)
        for down in (True, False, True, False):
            rig.hands.button(1, down=down)
        time.sleep(0.5)


def _in_program(program: Program) -> dict[str, Any] | None:
    with tempfile.TemporaryDirectory(prefix="pitwall-seat-") as folder:
        process = subprocess.Popen(
            program.command(Path(folder)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        rig, person = BrokerRig(), KeyWindow("person")
        try:
            window = _window(program.title)
            return _typed_into(window, rig, person) if window is not None else None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, 9)
            process.wait()
            person.close()
            rig.close()


def _typed_into(window: WindowRef, rig: BrokerRig, person: KeyWindow) -> dict[str, Any]:
    time.sleep(1.0)
    rig.hands.place_window(window.native_id, 360, 30)
    rig.hands.steal_focus(person.window_id)  # from a game that grabbed keyboard and pointer
    _give_focus(rig, person)
    rig.arm(_OWN, target=window, keys=_LETTERS)
    rig.pump_for(0.5)
    with this_desktop().watch_arrivals(window) as arrivals:
        changed = _press_letters(window, rig)
        arrived = arrivals.any("key", 0.0)
    kept = rig.hands.focus() == person.window_id
    rig.link.disarm()
    rig.hands.steal_focus(window.native_id)  # a person who looks at the game as it begins, and leaves
    rig.pump_for(0.3)
    rig.arm(_OWN, target=window, keys=_LETTERS)
    rig.pump_for(0.5)
    _give_focus(rig, person)
    rig.pump_for(0.5)
    return {
        "changed px": changed,
        "arrived": arrived,
        "focus kept": kept,
        "changed px after the person left": _press_letters(window, rig),
        "focus kept after it": rig.hands.focus() == person.window_id,
    }


def _press_letters(window: WindowRef, rig: BrokerRig) -> int:
    """Press each letter once; return how many pixels of the window differ from before."""
    before = _pixels(window)
    for letter in _LETTERS:
        rig.press(letter)
        rig.pump_for(0.08)
        rig.release(letter)
        rig.pump_for(0.08)
    rig.pump_for(1.0)
    after = _pixels(window)
    return int((before != after).any(axis=2).sum()) if before.shape == after.shape else 0


def _window(title: str) -> WindowRef | None:
    """Return the window whose title holds a text, once it is there; None: it does not come."""
    deadline = time.monotonic() + _OPENS_S
    while time.monotonic() < deadline:
        with this_desktop().windows() as windows:
            for number in windows.client_ids():
                state = windows.look(number)
                if state is not None and title in state.window.title:
                    return state.window
        time.sleep(0.3)
    return None


def _pixels(window: WindowRef) -> np.ndarray[Any, Any]:
    source = this_desktop().capture(window, CaptureSettings())
    try:
        until_s = time.monotonic() + _OPENS_S
        while (frame := source.fresh()) is None and time.monotonic() < until_s:
            time.sleep(0.05)
        if frame is None:
            raise DisplayError(f"window {window.native_id} gave no picture.")
        return np.array(frame.pixels)
    finally:
        source.close()
