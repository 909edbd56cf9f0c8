"""Maps a person's presses to the game's actions, and leaves out typing.

A press is mapped one second after it came, when its length and the keys pressed with it are known. Typing is
any character key that none of the game's actions press, every character key within a second of such a key,
and every character key outside of play. Without a profile the game's keys are assumed to be W A S D, Q E R F,
Z X C V and the digits.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from dataclasses import dataclass, replace
from itertools import product

from pitwall.core.actions import Argument, EventKind, InputEvent, SemanticAction, wheel_name
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.keys import CHARACTER_KEYS, canonical_key
from pitwall.games.actions.look_reading import LOOK_NS, LookReader
from pitwall.games.actions.vocabulary import role_of
from pitwall.games.schema.actions import ActionBinding, Cells, Parameter
from pitwall.games.schema.profile import Profile

USUAL_KEYS = frozenset("wasdqerfzxcv0123456789")
"""Character keys of a game without a profile."""
_WAIT_NS = NS_PER_S
_TOGETHER_NS = 60 * NS_PER_MS
"""Longest time between the keys of one chord going down."""
_HOLD_STEP_MS = 50
_UNNAMED = "Unidentified"
_NEAR = 0.03
"""Largest distance of a click from an action's fixed point, as a share of the screen's width."""


@dataclass(slots=True)
class ReadPress:
    """A press and its meaning.

    Attributes:
        action: text of the game's action; empty for none. label: the same without numbers, for counting.
        typed: it was typing, and is left out.
        up_ns: when the key came up; None while it is down. down: keys and buttons held then.
        would: the action that the agent was about to take, in a correction.
    """

    at_ns: int
    event: InputEvent
    action: str = ""
    label: str = ""
    typed: bool = False
    up_ns: int | None = None
    down: frozenset[str] = frozenset()
    would: str = ""

    @property
    def pressed(self) -> str:
        """Return the name of the key, button or wheel."""
        return _name(self.event)

    @property
    def counts(self) -> bool:
        """Return whether it starts a press, as opposed to ending one."""
        return self.event.kind in ("key_down", "mouse_down", "mouse_look", "scroll")


@dataclass(frozen=True, slots=True)
class _Chord:
    """Keys that an action presses together, with the arguments that choose them."""

    keys: frozenset[str]
    binding: ActionBinding
    arguments: dict[str, Argument]

    @property
    def label(self) -> str:
        return str(SemanticAction(name=self.binding.name, arguments=self.arguments))


class PressReader:
    """Maps presses in the order they came.

    Args:
        profile: of the game; None for a bare window, which has no actions.
        keep_typing: keep typing as well.

    Attributes:
        labels: all labels of presses, in the profile's order.
        playing: whether the game is in play now.
        typed: number of presses that were left out as typing.
    """

    def __init__(self, profile: Profile | None, role: str = "", *, keep_typing: bool = False) -> None:
        self._keep_typing = keep_typing
        self._screen = profile.screen if profile is not None else None
        chosen = role_of(profile, role) if profile is not None else None
        names = set(chosen.actions) if chosen is not None and chosen.actions else None
        actions = (
            [action for action in profile.actions if names is None or action.name in names] if profile else []
        )
        self._chords = [chord for action in actions for chord in _chords(action)]
        self._clicks = [action for action in actions if action.click is not None]
        self._looks = LookReader(profile, actions) if profile is not None else None
        self._wheel = {f"wheel {action.wheel}": action.name for action in actions if action.wheel}
        self.labels = tuple(
            dict.fromkeys(
                [
                    *(chord.label for chord in self._chords),
                    *(click.name for click in self._clicks),
                    *self._wheel.values(),
                    *(self._looks.labels if self._looks is not None else ()),
                ]
            )
        )
        used = frozenset(key for chord in self._chords for key in chord.keys)
        self._game_keys = used if profile is not None else USUAL_KEYS
        self.types_text = any(action.line for action in actions)
        self.playing = True
        self.typed = 0
        self._waiting: deque[ReadPress] = deque()
        self._held: dict[str, ReadPress] = {}
        self._typing_until_ns = 0
        self._look: ReadPress | None = None

    def take(self, at_ns: int, event: InputEvent, would: str = "") -> None:
        """Take in an event; `ready` returns it once it can be mapped."""
        press = ReadPress(at_ns, event, would=would)
        if event.kind == "mouse_look":
            self._add_motion(press)
            return
        if event.kind in ("key_up", "mouse_up"):
            begun = self._held.pop(_name(event), None)
            if begun is None:
                return
            begun.up_ns = at_ns
            press.typed = begun.typed
        elif event.kind in ("key_down", "mouse_down"):
            if _name(event) in self._held:
                return
            self._held[_name(event)] = press
            press.down = frozenset(self._held)
            if event.kind == "key_down" and not self._keep_typing:
                self._judge_typing(press)
        self._waiting.append(press)

    def ready(self, now_ns: int, size: tuple[int, int]) -> list[ReadPress]:
        """Return the presses that can be mapped by now, oldest first, without typing.

        Args:
            size: of the window, in which clicks have their place.
        """
        presses = []
        while self._waiting and self._waiting[0].at_ns + _WAIT_NS <= now_ns:
            press = self._waiting.popleft()
            if press.event.kind == "key_up" and press.typed:
                continue
            if press.typed:
                self.typed += 1
                continue
            if press.event.kind == "key_down":
                self._name_keys(press, now_ns)
            elif press.event.kind == "mouse_look":
                assert self._looks is not None
                press.label, press.action = self._looks.named(press.event)
                if not press.action:
                    continue
            elif press.event.kind == "scroll":
                press.label = press.action = self._wheel.get(press.pressed, "")
            elif press.event.kind == "mouse_down" and self._screen is not None:
                self._name_click(press, size)
            presses.append(press)
        return presses

    def let_go(self, at_ns: int, size: tuple[int, int]) -> list[ReadPress]:
        """End watching: release everything that is down, and map all waiting presses."""
        for press in list(self._held.values()):
            kind: EventKind = "key_up" if press.event.kind == "key_down" else "mouse_up"
            self.take(at_ns, InputEvent(kind=kind, key=press.event.key, button=press.event.button))
        return self.ready(sys.maxsize, size)

    def _add_motion(self, press: ReadPress) -> None:
        """Add a motion of the mouse to the look under way, or begin another; drop it in other games."""
        event, newest = press.event, self._look
        if self._looks is None or not self._looks.labels:
            return
        if newest is not None and press.at_ns - newest.at_ns < LOOK_NS:
            look = newest.event
            newest.event = replace(look, dx=look.dx + event.dx, dy=look.dy + event.dy)
            return
        self._look = press
        self._waiting.append(press)

    # ---- typing

    def _judge_typing(self, press: ReadPress) -> None:
        key, at_ns = press.event.key, press.at_ns
        if key not in CHARACTER_KEYS and key != _UNNAMED:
            return
        strange = key not in self._game_keys
        press.typed = strange or not self.playing or at_ns < self._typing_until_ns
        if strange:
            self._typing_until_ns = at_ns + _WAIT_NS
            for before in self._waiting:
                if before.event.key in CHARACTER_KEYS and before.at_ns > at_ns - _WAIT_NS:
                    before.typed = True

    # ---- naming

    def _name_keys(self, press: ReadPress, now_ns: int) -> None:
        """Name a key by the chord that it completes; earlier keys of a chord get no name."""
        key = press.event.key
        mine = [chord for chord in self._chords if key in chord.keys]
        done = [chord for chord in mine if chord.keys <= press.down]
        widest = max((len(chord.keys) for chord in done), default=0)
        for later in self._waiting:
            if later.at_ns > press.at_ns + _TOGETHER_NS or later.event.kind != "key_down":
                continue
            if any(widest < len(chord.keys) and chord.keys <= later.down for chord in mine):
                return
        held_ms = ((press.up_ns or now_ns) - press.at_ns) / NS_PER_MS
        wide = [chord for chord in done if len(chord.keys) == widest]
        if wide:
            chord = min(wide, key=lambda chord: abs(_hold_ms(chord.binding, held_ms) - held_ms))
            press.label = chord.label
            press.action = _text(chord.binding, chord.arguments, hold_ms=held_ms)

    def _name_click(self, press: ReadPress, size: tuple[int, int]) -> None:
        event = press.event
        assert self._screen is not None
        if event.x is None or event.y is None:
            return
        x, y = event.x * self._screen.width / size[0], event.y * self._screen.height / size[1]
        hits = []
        for binding in self._clicks:
            if (
                binding.button == event.button
                and (hit := _hit(binding, x, y, self._screen.width)) is not None
            ):
                hits.append((hit[0], binding, hit[1]))
        if hits:
            _, binding, arguments = min(hits, key=lambda hit: hit[0])
            press.label, press.action = binding.name, _text(binding, arguments)


def _name(event: InputEvent) -> str:
    if event.kind == "scroll":
        return wheel_name(event.dx, event.dy)
    if event.kind == "mouse_look":
        return "mouse look"
    return event.key or f"mouse {event.button}"


def _chords(binding: ActionBinding) -> list[_Chord]:
    """Return the chords of an action, one for each combination of its choices; empty for other actions."""
    keys = binding.keys or (binding.sequence if len(binding.sequence) == 1 else [])
    asked = [key[1:] for key in keys if key.startswith("$")]
    choices = [binding.parameters[name].choices for name in asked]
    chords = []
    for chosen in product(*choices) if keys else ():
        arguments: dict[str, Argument] = dict(zip(asked, chosen, strict=True))
        pressed = (str(arguments[key[1:]]) if key.startswith("$") else key for key in keys)
        chords.append(_Chord(frozenset(map(canonical_key, pressed)), binding, arguments))
    return chords


def _hold_ms(binding: ActionBinding, held_ms: float) -> float:
    """Return an action's declared hold, or the actual one where an argument sets it."""
    return held_ms if isinstance(binding.hold_ms, str) else float(binding.hold_ms)


def _text(binding: ActionBinding, arguments: dict[str, Argument], *, hold_ms: float = 0.0) -> str:
    given = dict(arguments)
    if isinstance(binding.hold_ms, str) and (parameter := binding.parameters.get(binding.hold_ms[1:])):
        rounded = _HOLD_STEP_MS * round(hold_ms / _HOLD_STEP_MS)
        given[binding.hold_ms[1:]] = _within(parameter, rounded)
    ordered = {name: given[name] for name in binding.parameters if name in given}
    return str(SemanticAction(name=binding.name, arguments=ordered))


def _within(parameter: Parameter, value: float) -> int:
    low = parameter.minimum if parameter.minimum is not None else value
    high = parameter.maximum if parameter.maximum is not None else value
    return round(min(high, max(low, value)))


def _hit(binding: ActionBinding, x: float, y: float, width: int) -> tuple[float, dict[str, Argument]] | None:
    """Return a click's distance from an action's point and the arguments; None: the click is elsewhere.

    The distance is a share of the width. A point given by arguments ranks behind any fixed point.
    """
    assert binding.click is not None
    place: tuple[float, float] | None = (x, y)
    if binding.cells is not None:
        place = _cell(binding.cells, x, y)
    if place is None:
        return None
    arguments: dict[str, Argument] = {}
    away = []
    wants: tuple[int | str, ...] = binding.click
    for wanted, value in zip(wants, place, strict=True):
        if isinstance(wanted, str):
            parameter = binding.parameters[wanted[1:]]
            if _within(parameter, round(value)) != round(value):
                return None
            arguments[wanted[1:]] = round(value)
        else:
            away.append(value - wanted)
    if binding.cells is not None:
        return (0.0, arguments) if not any(away) else None
    far = math.hypot(*away) / width
    return (far + len(arguments), arguments) if far <= _NEAR else None


def _cell(cells: Cells, x: float, y: float) -> tuple[float, float] | None:
    left, top, width, height = cells.box
    column, row = (x - left) * cells.columns // width, (y - top) * cells.rows // height
    return (column, row) if 0 <= column < cells.columns and 0 <= row < cells.rows else None
