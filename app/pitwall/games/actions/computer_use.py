"""The low-level interface of GameWorld: keys and pointer in place of a profile's named actions.

One command a step, and all commands last equally long (SPEC §5), so that the paused protocol is defined. The
vocabulary leaves out what a role's controls do not allow: there is no click without the mouse, and no press
without keys.
"""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from pitwall.core.actions import (
    NO_OP,
    ActionForm,
    Argument,
    ArgumentForm,
    InputEvent,
    Invalid,
    ResolvedAction,
    SemanticAction,
    TimedEvent,
)
from pitwall.core.errors import IllegalAction, suggestion
from pitwall.core.keys import CHARACTER_KEYS, canonical_key
from pitwall.games.actions.call_text import arguments_in, normalised_name, parse_call
from pitwall.games.actions.command_events import (
    BUTTONS,
    Events,
    Given,
    click_events,
    drag_events,
    key_events,
    move_events,
    scroll_events,
    type_events,
)
from pitwall.games.actions.mouse_look import look_commands
from pitwall.games.actions.placed_arguments import placed_arguments
from pitwall.games.actions.vocabulary import (
    NO_OP_MS,
    Vocabulary,
    fitting,
    invalid_action,
    meaning_of_keys,
    rest_ms,
    role_of,
)
from pitwall.games.schema.actions import Controls, Parameter
from pitwall.games.schema.profile import Profile

Interface = Literal["semantic", "computer-use"]

_SHORTEST_MS, _LONGEST_MS = 200, 500
"""Bounds of a command's length where the profile declares none (SPEC §5)."""
_TAP_MS = 60
_LETTER_MS = 50
_MOST_LETTERS, _MOST_TOGETHER, _MOST_NOTCHES = 16, 3, 5
_PLACES = ("x", "y", "to_x", "to_y")
_ALIASES = {
    "left_click": "click",
    "move": "mouse_move",
    "move_mouse": "mouse_move",
    "hotkey": "press_keys",
    "key": "press_key",
    "press": "press_key",
    "type_text": "type",
    "mouse_move_relative": "move_relative",
    "look": "move_relative",
}
_UNTYPED = frozenset("'\"\\")
"""Characters that would end the quotes around a text."""


def vocabulary_of(profile: Profile, role: str, interface: Interface) -> Vocabulary | ComputerUse:
    """Build the vocabulary of a role through an interface.

    Raises:
        IllegalAction: there is no such role.
    """
    return Vocabulary(profile, role) if interface == "semantic" else ComputerUse(profile, role)


def command_ms(profile: Profile, role: str = "") -> int:
    """Return the length of a role's commands in ms, as declared, else the median of its actions."""
    chosen = role_of(profile, role)
    controls = (chosen.controls if chosen is not None else None) or profile.controls
    if controls.duration_ms is not None:
        return controls.duration_ms
    names = set(chosen.actions) if chosen is not None and chosen.actions else None
    lengths = [action.duration_ms for action in profile.actions if names is None or action.name in names]
    usual = round(statistics.median(lengths)) if lengths else _SHORTEST_MS
    return max(_SHORTEST_MS, 2 * controls.hold_ms[0], min(_LONGEST_MS, usual))


@dataclass(frozen=True, slots=True)
class _Command:
    """A command: its help, its arguments, and its events in pixels of the profile's screen."""

    description: str
    arguments: tuple[ArgumentForm, ...]
    events: Callable[[Given], Events]


class ComputerUse:
    """The legal commands of one role, with the interface of `Vocabulary`.

    Args:
        profile: a checked profile.
        role: name of a role; empty: the game's first, or its only one.

    Attributes:
        duration_ms: length of every command.
        screen: width and height in which places are given; whole: they are whole numbers.
        allowed_keys: keys that the broker may press; the agent's commands leave out keys that only pause the
            game.

    Raises:
        IllegalAction: there is no such role.
    """

    def __init__(self, profile: Profile, role: str = "") -> None:
        chosen = role_of(profile, role)
        controls = (chosen.controls if chosen is not None else None) or profile.controls
        self.duration_ms = command_ms(profile, role)
        self.allowed_keys = frozenset(canonical_key(key) for key in controls.keys)
        self.allow_mouse = controls.mouse
        self.keys_mean = meaning_of_keys(profile, controls)
        self.rest_ms = rest_ms(controls)
        self.screen = (profile.screen.width, profile.screen.height)
        self._mouse_look = profile.mouse_look
        self.whole, self._size = True, ""
        self._keys = self.allowed_keys - _pause_only(profile)
        self._hold = _hold(controls, self.duration_ms)
        self._commands = {
            **self._pointer_commands(),
            **self._key_commands(),
            "wait": _Command("nothing is pressed", (), lambda _given: ()),
        }
        self.legal = tuple(self._commands)

    def on_screen(self, width: int, height: int, *, size: str = "", whole: bool = True) -> ComputerUse:
        """Return the same commands for a screen of another size: the picture that a model sees.

        Args:
            size: the screen in words; empty: its size in pixels. whole: places are whole numbers.
        """
        other = copy.copy(self)
        other.screen, other.whole, other._size = (width, height), whole, size
        other._commands = {**self._commands, **other._pointer_commands()}
        return other

    @property
    def forms(self) -> tuple[ActionForm, ...]:
        """Return the legal commands with their arguments, as a grammar or a prompt needs them."""
        return tuple(
            ActionForm(name=name, description=command.description, arguments=command.arguments)
            for name, command in self._commands.items()
        )

    def knows(self, text: str) -> bool:
        """Return whether a text begins with the name of a legal command."""
        return self._name(normalised_name(text.split("(")[0])) in self._commands

    def parse(self, text: str) -> SemanticAction:
        """Parse the command of a text: `name`, or `name(arg=value, other=value)`.

        Case, blanks and dashes in names do not matter; names of keys may be aliases (left → ArrowLeft). A
        place may be a list, a box (its middle counts), a percentage, or a number with a fraction.

        Raises:
            IllegalAction: unknown command or argument, or a value that does not fit; names the nearest.
        """
        written, inside = parse_call(text)
        name = self._name(written)
        if name not in self._commands:
            hint = suggestion(
                normalised_name(text.split("(")[0]), self._commands, f"Legal: {', '.join(self.legal)}."
            )
            raise IllegalAction(f"there is no command {text.strip()[:80]!r}.", hint)
        places = [form for form in self._commands[name].arguments if form.name in _PLACES]
        given = placed_arguments(inside, text, places) if places else dict(arguments_in(inside, text))
        return SemanticAction(name=name, arguments=self._checked(name, given))

    def resolve(self, action: SemanticAction, *, width: int, height: int) -> ResolvedAction:
        """Return a command's timed events for a client area of `width` × `height` pixels.

        Never raises: an unknown or illegal command becomes a no-op that is marked so.
        """
        if not action.name.strip():
            return invalid_action(action, Invalid.NO_CALL)
        if action == NO_OP:
            return ResolvedAction(action=action, events=(), duration_ms=NO_OP_MS)
        name = self._name(normalised_name(action.name))
        if name not in self._commands:
            return invalid_action(action, Invalid.OUT_OF_SPACE)
        try:
            arguments = self._checked(name, action.arguments)
        except IllegalAction:
            return invalid_action(action, Invalid.OUT_OF_SPACE)
        events = tuple(
            TimedEvent(at_ms=timed.at_ms, event=self._placed(timed.event, width, height))
            for timed in self._commands[name].events(arguments)
        )
        return ResolvedAction(
            action=SemanticAction(name=name, arguments=arguments),
            events=events,
            duration_ms=float(self.duration_ms),
        )

    # ---- commands

    def _pointer_commands(self) -> dict[str, _Command]:
        if not self.allow_mouse:
            return {}
        width, height = self.screen
        size = self._size or f"a screen of {width} by {height} pixels"
        x, y = self._place("x", width), self._place("y", height)
        to_x, to_y = self._place("to_x", width), self._place("to_y", height)
        button = ArgumentForm(name="button", kind="choice", choices=BUTTONS, default="left")
        dx, dy = _notches("dx"), _notches("dy")
        tap_ms = float(min(max(_TAP_MS, self._hold.minimum or 0), self.duration_ms))
        looks = look_commands(self._mouse_look, self.duration_ms * 0.8)
        return {
            "click": _Command(
                f"a click at x, y on {size}", (x, y, button), lambda given: click_events(given, tap_ms)
            ),
            "click_hold": _Command(
                "the button held down at x, y",
                (x, y, self._hold, button),
                lambda given: click_events(given, float(given["hold_ms"])),
            ),
            "drag": _Command(
                "the button down at x, y and up at to_x, to_y",
                (x, y, to_x, to_y, button),
                lambda given: drag_events(given, self.duration_ms * 0.8),
            ),
            "mouse_move": _Command("the pointer goes to x, y", (x, y), move_events),
            "scroll": _Command(
                "the wheel over x, y, in notches right and down", (x, y, dx, dy), scroll_events
            ),
            **{name: _Command(*parts) for name, parts in looks.items()},
        }

    def _key_commands(self) -> dict[str, _Command]:
        keys = tuple(sorted(self._keys))
        if not keys:
            return {}
        key = ArgumentForm(name="key", kind="choice", choices=keys)
        commands = {
            "press_key": _Command(
                "one key held for hold_ms",
                (key, self._hold),
                lambda given: key_events([str(given["key"])], given),
            )
        }
        if len(keys) > 1:
            together = ArgumentForm(
                name="keys", kind="keys", choices=keys, most=min(_MOST_TOGETHER, len(keys))
            )
            commands["press_keys"] = _Command(
                "keys held together for hold_ms",
                (together, self._hold),
                lambda given: key_events(str(given["keys"]).split("+"), given),
            )
        letters = tuple(sorted(self._keys & CHARACTER_KEYS - _UNTYPED))
        letters += (" ",) if letters and "Space" in self._keys else ()
        if letters:
            letter_ms = max(_LETTER_MS, 2 * round(self._hold.minimum or 0))
            most = max(1, min(_MOST_LETTERS, self.duration_ms // letter_ms))
            text = ArgumentForm(name="text", kind="text", choices=letters, most=most)
            commands["type"] = _Command(
                "letters typed one after another", (text,), lambda given: type_events(given, letter_ms)
            )
        return commands

    def _place(self, name: str, length: int) -> ArgumentForm:
        last = length if self._size else length - 1  # in parts of the picture its far edge has a number
        return ArgumentForm(name=name, kind="int" if self.whole else "float", minimum=0, maximum=last)

    # ---- reading

    def _name(self, written: str) -> str:
        return written if written in self._commands else _ALIASES.get(written, "")

    def _checked(self, name: str, given: Given) -> dict[str, Argument]:
        forms = {form.name: form for form in self._commands[name].arguments}
        for argument in given:
            if argument not in forms:
                known = ", ".join(forms) or "none"
                raise IllegalAction(f"{name} has no argument {argument!r}.", f"Arguments: {known}.")
        checked: dict[str, Argument] = {}
        for form in forms.values():
            value = given.get(form.name, form.default)
            if value is None:
                raise IllegalAction(f"{name} needs the argument {form.name!r}.")
            checked[form.name] = _fitted(name, form, value)
        return checked

    def _placed(self, event: InputEvent, width: int, height: int) -> InputEvent:
        """Return the event in pixels of the actual window."""
        if event.x is None or event.y is None:
            return event
        x = min(width - 1, max(0, round(event.x * width / self.screen[0])))
        y = min(height - 1, max(0, round(event.y * height / self.screen[1])))
        return replace(event, x=x, y=y)


def _pause_only(profile: Profile) -> frozenset[str]:
    """Return the keys of [pause] that no action presses: only the engine presses them."""
    if profile.pause is None:
        return frozenset()
    bound = {key for action in profile.actions for key in (*action.keys, *action.sequence)}
    pausing = {canonical_key(key) for key in (*profile.pause.keys, *profile.pause.resume)}
    return frozenset(pausing - {canonical_key(key) for key in bound if not key.startswith("$")})


def _hold(controls: Controls, duration_ms: int) -> ArgumentForm:
    """Return the argument for a key's hold, bounded by the role's controls and the command's length."""
    least = min(controls.hold_ms[0], duration_ms)
    most = max(least, min(controls.hold_ms[1], duration_ms))
    usual = min(most, max(least, _TAP_MS))
    return ArgumentForm(name="hold_ms", kind="int", minimum=least, maximum=most, default=usual)


def _notches(name: str) -> ArgumentForm:
    return ArgumentForm(name=name, kind="int", minimum=-_MOST_NOTCHES, maximum=_MOST_NOTCHES, default=0)


# ---- arguments


def _fitted(command: str, form: ArgumentForm, value: Argument) -> Argument:
    if form.kind == "text":
        return _text(command, form, str(value))
    if form.kind == "keys":
        names = dict.fromkeys(_key(command, form, part) for part in str(value).split("+"))
        if len(names) > form.most:
            raise IllegalAction(f"{command}: {len(names)} keys together are more than {form.most}.")
        return "+".join(names)
    if form.name == "key":
        return _key(command, form, str(value))
    kind: Literal["int", "float", "choice"] = form.kind if form.kind in ("float", "choice") else "int"
    parameter = Parameter(type=kind, choices=list(form.choices), minimum=form.minimum, maximum=form.maximum)
    return fitting(command, form.name, parameter, value)


def _key(command: str, form: ArgumentForm, name: str) -> str:
    try:
        key = canonical_key(name)
    except KeyError as error:
        raise IllegalAction(f"{command}: {error.args[0]}.") from None
    if key not in form.choices:
        raise IllegalAction(
            f"{command}: {key} is not among the role's keys.", f"Keys: {', '.join(form.choices)}."
        )
    return key


def _text(command: str, form: ArgumentForm, text: str) -> str:
    strange = sorted(set(text) - set(form.choices))
    if strange:
        raise IllegalAction(f"{command}: the role cannot type {''.join(strange)[:20]!r}.")
    if not 1 <= len(text) <= form.most:
        raise IllegalAction(f"{command}: a text has 1 to {form.most} letters, not {len(text)}.")
    return text
