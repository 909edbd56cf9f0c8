"""The gate: the pure state machine that decides which input may pass. It knows no screen.

A press passes only while armed, not latched, with a living target that has the focus, for an allowed
key, within the caps, in no forbidden combination and in answer to a fresh look. Releases always pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from pitwall.core.actions import Button, InputEvent, Refusal
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.injection import Configure, HotkeyChords, InputLimits, StopCause
from pitwall.core.keys import DESKTOP_CHORDS, parse_chord
from pitwall.desktops.input_backend import BUTTON_NAMES, DesktopState, held_name

_NEVER_GATED = ("key_up", "mouse_up", "wait")
_MOTIONS = ("mouse_move", "mouse_look")
UNFOCUSED = DesktopState(focused=False)
"""Enough to judge releases by."""


class Gate:
    """Decides which input may pass. Every change of state returns the releases that it requires.

    Attributes:
        armed: `Rearm` came, and no `Disarm` since.
        latched: why everything is up and stays up; None while it is not.
        person: a person plays: no press passes, armed or not.
        follow: report a person's input after a takeover.
        unsafe: a condition of every run does not hold: arming is refused.
    """

    def __init__(self) -> None:
        self.armed = False
        self.latched: StopCause | None = None
        self.has_target = self.unsafe = False
        self.person = self.follow = False
        self.ledger = Ledger()
        self.limits = InputLimits()
        self._keys: frozenset[str] = frozenset()
        self._others: frozenset[str] = frozenset()
        self._mouse = False
        self._combinations: tuple[Combination, ...] = DESKTOP_CHORDS
        self._presses: deque[int] = deque()
        self._beat_ns = 0

    @property
    def live(self) -> bool:
        """Return whether presses may pass, as far as arming and latch are concerned."""
        return self.armed and self.latched is None

    @property
    def goes_on(self) -> bool:
        """Return whether the engine plays, or will after its hiccup: a person who acts takes over."""
        return self.live or self.latched is StopCause.ENGINE_HUNG

    @property
    def follows(self) -> bool:
        """Return whether a person has taken over and their input is reported."""
        return self.follow and self.latched is StopCause.TAKEOVER

    def configure(self, order: Configure) -> None:
        """Take new limits, hotkeys and controls; holds that are no longer allowed end by themselves."""
        self.limits = order.limits
        self.has_target = order.target is not None
        self._keys = frozenset(order.allowed_keys)
        self._others = frozenset(order.others_keys)
        self._mouse = order.allow_mouse
        self.person, self.follow = order.person, order.follow
        self._combinations = (*DESKTOP_CHORDS, *operators_combinations(order.hotkeys))

    def is_of_another_side(self, event: InputEvent | None) -> bool:
        """Return whether the input belongs to a side that somebody else plays in the same window."""
        return event is not None and event.kind in ("key_down", "key_up") and event.key in self._others

    # ---- arming

    def rearm(self, now_ns: int) -> None:
        """Clear the latch and let presses pass; the engine's silence is counted from now."""
        if not self.unsafe:
            self.armed, self.latched, self._beat_ns = True, None, now_ns

    def disarm(self) -> list[InputEvent]:
        self.armed = False
        return self.release_all()

    def latch(self, cause: StopCause) -> list[InputEvent]:
        """Bring everything up and refuse presses until `rearm`."""
        self.armed, self.latched = False, cause
        return self.release_all()

    def release_all(self) -> list[InputEvent]:
        return [release_of(name) for name in self.ledger.clear()]

    # ---- time

    def beat(self, now_ns: int) -> None:
        """Note a sign of life of the engine."""
        self._beat_ns = now_ns

    def hung(self, now_ns: int) -> bool:
        """Return whether the engine was silent for too long while presses may pass (no person plays)."""
        return self.live and not self.person and now_ns - self._beat_ns > self.limits.heartbeat_ms * NS_PER_MS

    def overdue(self, now_ns: int) -> list[InputEvent]:
        """Release what was held for longer than allowed; return the events."""
        names = self.ledger.overdue(now_ns, self.limits.hold_ms * NS_PER_MS)
        for name in names:
            self.ledger.release(name)
        return [release_of(name) for name in names]

    def next_deadline_ns(self) -> int | None:
        """Return when `overdue` or `hung` may change by time alone; None: never."""
        deadlines = []
        if (hold := self.ledger.next_overdue_ns(self.limits.hold_ms * NS_PER_MS)) is not None:
            deadlines.append(hold)
        if self.live and not self.person:
            deadlines.append(self._beat_ns + self.limits.heartbeat_ms * NS_PER_MS + 1)
        return min(deadlines, default=None)

    # ---- events

    def admit(
        self, event: InputEvent, desktop: DesktopState, *, now_ns: int, observed_ns: int = 0
    ) -> Refusal | None:
        """Judge one event; None means that it is injected now, and the ledger has it.

        Args:
            observed_ns: time of the frame it answers to; 0 skips the age check.
        """
        if event.kind in _NEVER_GATED:
            if event.kind != "wait":
                self.ledger.release(held_name(event))
            return None
        refusal = (
            self._refused_by_state()
            or self._refused_by_controls(event, desktop)
            or self._refused_by_moment(event, desktop, now_ns, observed_ns)
            or self._refused_by_caps(event, now_ns)
        )
        if refusal is None and event.kind in ("key_down", "mouse_down"):
            self.ledger.press(held_name(event), now_ns)
        return refusal

    def _refused_by_state(self) -> Refusal | None:
        if self.latched is not None:
            return Refusal.LATCHED
        if not self.armed or self.person:
            return Refusal.DISARMED
        return None if self.has_target else Refusal.WINDOW_GONE

    def _refused_by_controls(self, event: InputEvent, desktop: DesktopState) -> Refusal | None:
        allowed = event.key in self._keys if event.kind == "key_down" else self._mouse
        if not allowed:
            return Refusal.NOT_ALLOWED
        down = desktop.modifiers.union(self.ledger.names)
        if event.kind in ("key_down", "mouse_down"):
            down |= {held_name(event)}
        return Refusal.FORBIDDEN if is_forbidden(down, self._combinations) else None

    def _refused_by_moment(
        self, event: InputEvent, desktop: DesktopState, now_ns: int, observed_ns: int
    ) -> Refusal | None:
        if observed_ns and now_ns - observed_ns > self.limits.observation_age_ms * NS_PER_MS:
            return Refusal.STALE
        if not desktop.focused:
            return Refusal.FOCUS
        if desktop.foreign and event.kind not in _MOTIONS:
            return Refusal.MODIFIER
        return Refusal.POINTER if event.kind != "key_down" and not desktop.over_game else None

    def _refused_by_caps(self, event: InputEvent, now_ns: int) -> Refusal | None:
        """Check the cap on held keys, then the rate of presses in any one second.

        Each notch of the wheel counts as a click; moves count as nothing.
        """
        if event.kind in _MOTIONS:
            return None
        if event.kind == "scroll":
            count = abs(event.dx) + abs(event.dy)
        elif held_name(event) in self.ledger:
            return None
        elif len(self.ledger) >= self.limits.held_keys:
            return Refusal.HELD_CAP
        else:
            count = 1
        while self._presses and now_ns - self._presses[0] >= NS_PER_S:
            self._presses.popleft()
        if len(self._presses) + count > self.limits.actions_per_second:
            return Refusal.RATE
        self._presses.extend([now_ns] * count)
        return None


Combination = frozenset[str]


def operators_combinations(hotkeys: HotkeyChords) -> tuple[Combination, ...]:
    """Return the operator's hotkeys as combinations; the stop key counts under any modifiers."""
    stop, *others = map(parse_chord, (hotkeys.stop, hotkeys.pause, hotkeys.overlay, hotkeys.clip))
    return (frozenset((stop[1],)), *(frozenset((*modifiers, key)) for modifiers, key in others))


def is_forbidden(down: frozenset[str], combinations: Iterable[Combination]) -> bool:
    """Return whether these keys and buttons, down together, make a forbidden combination.

    The order of the presses does not matter: F4 held and then Alt is Alt+F4 as well. Anything with
    Meta, and any key beside Control and Alt together, is forbidden too.
    """
    if "Meta" in down:
        return True
    if "Control" in down and "Alt" in down and len(down) > 2:
        return True
    return any(combination <= down for combination in combinations)


def releases_only(events: Sequence[InputEvent]) -> bool:
    """Return whether a batch presses nothing: such a batch does not need the desktop to be held still."""
    return all(
        event.kind in ("key_up", "wait") or (event.kind == "mouse_up" and event.x is None) for event in events
    )


_BUTTONS: dict[str, Button] = {name: button for button, name in BUTTON_NAMES.items()}


def release_of(name: str) -> InputEvent:
    """Return the event that brings a held key or button up."""
    if name in _BUTTONS:
        return InputEvent(kind="mouse_up", button=_BUTTONS[name])
    return InputEvent(kind="key_up", key=name)


class Ledger:
    """Names held down, oldest first, with the monotonic time of their press."""

    def __init__(self) -> None:
        self._down: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._down

    def __len__(self) -> int:
        return len(self._down)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._down)

    def since(self, name: str) -> int | None:
        """Return when it was pressed, in monotonic ns; None if it is not held."""
        return self._down.get(name)

    def press(self, name: str, now_ns: int) -> None:
        """Note a press; if the name is held already, its first time is kept."""
        self._down.setdefault(name, now_ns)

    def release(self, name: str) -> None:
        """Note a release; does nothing if the name is not held."""
        self._down.pop(name, None)

    def overdue(self, now_ns: int, longest_ns: int) -> tuple[str, ...]:
        """Return the names held for at least `longest_ns`."""
        return tuple(name for name, since in self._down.items() if now_ns - since >= longest_ns)

    def next_overdue_ns(self, longest_ns: int) -> int | None:
        """Return when the oldest hold ends; None if nothing is held."""
        return next(iter(self._down.values())) + longest_ns if self._down else None

    def clear(self) -> tuple[str, ...]:
        """Forget everything; return what was held, last pressed first (modifiers come up last)."""
        names = tuple(reversed(self._down))
        self._down.clear()
        return names
