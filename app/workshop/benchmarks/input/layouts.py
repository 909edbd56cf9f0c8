"""`layouts`: the keys of every bundled game on the keyboard layouts that people have.

On a screen of its own each layout is put in force. Each bundled game's keys are pressed as its folder says
(`keys_mean`), into an SDL window for programs and into a Chromium page for pages. The event is read as that
game reads keys: by place, as typed text, or by the letter, and by the place where the layout types none.
A layout on which a key cannot be pressed counts where the obstacle names the key and a remedy.
"""

from __future__ import annotations

import contextlib
import os
import string
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pitwall.core.injection import FocusChanged, Ready
from pitwall.core.keys import CHARACTER_KEYS, canonical_key
from pitwall.core.paths import bundled_games_dir
from pitwall.desktops.x11.display import Display
from pitwall.desktops.x11.xkb import CORE_KEYBOARD
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.manifest import MANIFEST, load_profile
from pitwall.games.schema.profile import Profile
from workshop.benchmarks.input.seat_table import MANAGERS, own_screen
from workshop.benchmarks.report import check, figure, report
from workshop.fixtures.broker_rig import PATIENT, BrokerRig, GameWindow
from workshop.fixtures.key_window import KeyWindow, WindowEvent
from workshop.fixtures.page_window import PageWindow

LAYOUTS: dict[str, tuple[str, str, str, int]] = {
    "us": ("us", "", "", 0),
    "fr": ("fr", "", "", 0),
    "de": ("de", "", "", 0),
    "ru": ("ru", "", "", 0),
    "gr": ("gr", "", "", 0),
    "dvorak": ("us", "dvorak", "", 0),
    "us,fr: us": ("us,fr", "", "", 0),
    "us,fr: fr": ("us,fr", "", "", 1),
    "altgr-intl": ("us", "altgr-intl", "", 0),
    "Caps and Ctrl swapped": ("us", "", "ctrl:swapcaps", 0),
}
"""Layout, variant, option and group in force."""
_QUICK = ("us", "fr", "ru")
_OWN = replace(PATIENT, own_seat=True, actions_per_second=50)
_SIGNS_TOO = ("doom", "shooting")
"""Games of ZDoom's engine, which takes signs by what the layout types, too."""
_ALNUM = frozenset(string.ascii_lowercase + string.digits)
_SDL_PLACES = {
    **{4 + number: letter for number, letter in enumerate(string.ascii_lowercase)},
    **{30 + number: digit for number, digit in enumerate("1234567890")},
    **dict(enumerate("-=[]\\", start=45)),
    **dict(enumerate(";'`,./", start=51)),
}
_SDL_NAMES = {"return": "Enter", "left ctrl": "Control", "left shift": "Shift", "left alt": "Alt"}
_SETTLES_S, _ARRIVES_S = 1.5, 5.0


@dataclass(slots=True)
class _Counts:
    """Keys that were read as the action's, refused in a sentence, and wrong (named)."""

    right: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)


def run(*, quick: bool) -> dict[str, Any]:
    """Press every bundled game's keys on every layout; quick: on three of them."""
    profiles = [load_profile(file.parent) for file in sorted(bundled_games_dir().glob(f"*/{MANIFEST}"))]
    checks, table = [], {}
    with own_screen(MANAGERS["openbox"]), _rig(KeyWindow) as program, _rig(PageWindow) as page:
        for name in _QUICK if quick else LAYOUTS:
            _put_in_force(*LAYOUTS[name])
            counts = _Counts()
            for profile in profiles:
                _press_all(profile, page if profile.browser is not None else program, counts)
            keys = counts.right + counts.refused + len(counts.wrong)
            table[name] = {"right": counts.right, "refused": counts.refused, "wrong": counts.wrong}
            share = 100 * (counts.right + counts.refused) / keys
            checks.append(check(name, "%", figure(share), aim="100", met=not counts.wrong))
    return report("layouts", checks, games=len(profiles), table=table)


@contextlib.contextmanager
def _rig(window: type[KeyWindow] | type[PageWindow]) -> Iterator[BrokerRig]:
    opened: GameWindow = window()
    rig = BrokerRig(window=opened)
    try:
        rig.hands.place_window(rig.window.window_id, 10, 30)
        yield rig
    finally:
        rig.close()


def _put_in_force(layout: str, variant: str, option: str, group: int) -> None:
    words = ["setxkbmap", "-display", os.environ["DISPLAY"], "-layout", layout, "-variant", variant]
    subprocess.run([*words, "-option", "", *(["-option", option] if option else [])], check=True, timeout=60)
    display = Display()
    display.xkb.LatchLockState(CORE_KEYBOARD, 0, 0, True, group, 0, False, 0)
    display.core.GetInputFocus().reply()
    display.close()


def _press_all(profile: Profile, rig: BrokerRig, counts: _Counts) -> None:
    vocabulary = Vocabulary(profile, "")
    keys = tuple(sorted(vocabulary.allowed_keys))
    if not keys:
        return
    rig.link.disarm()
    rig.messages.clear()
    rig.configure(_OWN, keys=keys, keys_mean=vocabulary.keys_mean)
    rig.until(lambda: rig.link.answered and rig.all_said(Ready) and rig.all_said(FocusChanged))
    rig.pump_for(_SETTLES_S)
    obstacle = rig.last_said(Ready).obstacle
    if obstacle is not None:
        if any(key in obstacle.what.split(" cannot press ")[-1] for key in keys) and obstacle.fix:
            counts.refused += len(keys)
        else:
            counts.wrong.append(f"{profile.game.id}: {obstacle.what}")
        return
    rig.link.rearm()  # the agent's own keyboard takes the focus as it comes
    rig.focus_game()
    typed = any(action.line for action in profile.actions)
    for key in keys:
        got = _press(rig, key)
        read = _reading(profile, vocabulary.keys_mean, got, typed=typed) if got is not None else "nothing"
        if read == key:
            counts.right += 1
        else:
            counts.wrong.append(f"{profile.game.id}: {key} was read as {read} ({got})")


def _press(rig: BrokerRig, key: str) -> WindowEvent | None:
    """Tap a key; return the window's last key press, which is the key after any modifiers."""
    rig.seen.clear()
    sent = rig.press(key)
    rig.release(key)
    if sent.events[0].refused is not None:
        rig.pump_for(1.0)  # the rate cap
        sent = rig.press(key)
        rig.release(key)
    with contextlib.suppress(Exception):
        rig.until(lambda: rig.events("key_up"), timeout_s=_ARRIVES_S)
    rig.pump_for(0.03)
    presses = rig.events("key_down")
    plain = [event for event in presses if _named(event.key) not in ("Shift", "AltGraph")]
    return next(reversed(plain or presses), None)


def _reading(profile: Profile, meaning: str, event: WindowEvent, *, typed: bool) -> str:
    """Return the key that a game takes an event for."""
    letter = _named(event.key)
    place = _SDL_PLACES.get(event.scancode, letter)
    if event.code:
        code = event.code.removesuffix("Left").removesuffix("Right")
        place = _named(event.code if event.code.startswith("Arrow") else code)
    if meaning == "place":
        return place
    if typed and event.typed.isprintable() and event.typed.strip():
        return event.typed
    taken = CHARACTER_KEYS if profile.game.id in _SIGNS_TOO else _ALNUM
    return letter if len(letter) > 1 or letter in taken else place


def _named(name: str) -> str:
    try:
        return _SDL_NAMES.get(name) or canonical_key(name)
    except KeyError:
        return name
