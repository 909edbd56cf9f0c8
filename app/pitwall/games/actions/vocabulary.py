"""Resolves names and aliases to a role's semantic actions, and actions to timed events (SPEC §5)."""

from __future__ import annotations

from collections.abc import Iterable

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
from pitwall.core.keys import KeyMeaning, canonical_key
from pitwall.games.actions.call_text import arguments_in, normalised_name, parse_call
from pitwall.games.actions.mouse_look import motions, units_of
from pitwall.games.actions.typed_line import ENTER, MOST_LETTERS, as_text, filled, keys_of, letters, taps
from pitwall.games.schema.actions import ActionBinding, Cells, Controls, MouseLook, Parameter
from pitwall.games.schema.profile import Profile, Role

NO_OP_MS = 250.0
_USUAL_LEAST_MS = 20
"""A longer shortest hold is that of a slow game, which misses short gaps between presses as well."""


class Vocabulary:
    """The legal actions of one role of a game.

    Args:
        profile: a checked profile.
        role: name of a role; empty: the game's first, or its only one.

    Raises:
        IllegalAction: there is no such role.
    """

    def __init__(self, profile: Profile, role: str = "") -> None:
        chosen = role_of(profile, role)
        names = set(chosen.actions) if chosen is not None and chosen.actions else None
        self._controls = (chosen.controls if chosen is not None else None) or profile.controls
        self._bindings = {
            binding.name: binding for binding in profile.actions if names is None or binding.name in names
        }
        self._names: dict[str, str] = {}
        for binding in self._bindings.values():
            for alias in (binding.name, *binding.aliases):
                self._names.setdefault(normalised_name(alias), binding.name)
        self._screen = profile.screen
        self._mouse_look = profile.mouse_look or MouseLook()
        self.legal = tuple(self._bindings)
        self.allowed_keys = frozenset(canonical_key(key) for key in self._controls.keys)
        self.allow_mouse = self._controls.mouse
        self.keys_mean = meaning_of_keys(profile, self._controls)
        self.rest_ms = rest_ms(self._controls)

    @property
    def forms(self) -> tuple[ActionForm, ...]:
        """Return the legal actions with their arguments, as a grammar or a prompt needs them.

        Actions that the role's keys and mouse do not allow are left out.
        """
        return tuple(self._form(binding) for binding in self._bindings.values() if self._may(binding))

    def _may(self, binding: ActionBinding) -> bool:
        """Return whether the role may do the action at all, whatever its arguments."""
        if binding.uses_mouse and not self.allow_mouse:
            return False
        if binding.turn is not None and not self._mouse_look.units_per_degree:
            return False
        if binding.line and not all(map(self._may_key, filter(None, (ENTER, binding.clear_key)))):
            return False
        for key in (*binding.keys, *binding.sequence):
            parameter = binding.parameters.get(key[1:]) if key.startswith("$") else None
            may = self._may_key(key) if parameter is None else self._may_press(parameter)
            if not may and (parameter is None or parameter.type == "choice"):
                return False
        return True

    def _may_press(self, parameter: Parameter) -> tuple[str, ...]:
        return tuple(choice for choice in parameter.choices if self._may_key(choice))

    def _may_key(self, key: str) -> bool:
        try:
            return canonical_key(key) in self.allowed_keys
        except KeyError:
            return False

    def _form(self, binding: ActionBinding) -> ActionForm:
        keys = {key[1:] for key in (*binding.keys, *binding.sequence) if key.startswith("$")}
        arguments = tuple(
            ArgumentForm(
                name=name,
                kind=parameter.type,
                choices=self._choices(parameter, pressed=name in keys),
                minimum=parameter.minimum,
                maximum=parameter.maximum,
                default=parameter.default,
                most=(parameter.most or MOST_LETTERS) if parameter.type == "text" else 0,
            )
            for name, parameter in binding.parameters.items()
        )
        return ActionForm(
            name=binding.name, description=binding.description, arguments=arguments, expect=binding.expect
        )

    def _choices(self, parameter: Parameter, *, pressed: bool) -> tuple[str, ...]:
        if parameter.type == "text":
            return letters(self.allowed_keys)
        return self._may_press(parameter) if pressed else tuple(parameter.choices)

    def knows(self, text: str) -> bool:
        """Return whether a text begins with the name of a legal action."""
        return normalised_name(text.split("(")[0]) in self._names

    def parse(self, text: str) -> SemanticAction:
        """Parse the action of a text: `name`, or `name(arg=value, other=value)`.

        Case, blanks and dashes in names do not matter, and aliases count. A value may be quoted.

        Raises:
            IllegalAction: unknown action or argument, or a value that does not fit; names the nearest.
        """
        written, inside = parse_call(text)
        name = self._names.get(written)
        if name is None:
            hint = suggestion(
                normalised_name(text.split("(")[0]), self._names, f"Legal: {', '.join(self.legal)}."
            )
            raise IllegalAction(f"there is no action {text.strip()[:80]!r}.", hint)
        binding = self._bindings[name]
        given: dict[str, Argument] = dict(arguments_in(inside, text))
        arguments = _checked(binding, given)
        if binding.line:
            keys_of(name, filled(binding.line, arguments), self.allowed_keys)
        return SemanticAction(name=name, arguments=arguments)

    def resolve(self, action: SemanticAction, *, width: int, height: int) -> ResolvedAction:
        """Return an action's timed events for a client area of `width` × `height` pixels.

        Never raises: an unknown or illegal action becomes a no-op that is marked so.
        """
        if not action.name.strip():
            return invalid_action(action, Invalid.NO_CALL)
        if action == NO_OP:
            return ResolvedAction(action=action, events=(), duration_ms=NO_OP_MS)
        name = self._names.get(normalised_name(action.name))
        if name is None:
            return invalid_action(action, Invalid.OUT_OF_SPACE)
        binding = self._bindings[name]
        try:
            arguments = _checked(binding, action.arguments)
            events = tuple(self._events(binding, arguments, width, height))
        except (IllegalAction, KeyError, ValueError, OverflowError):
            return invalid_action(action, Invalid.OUT_OF_SPACE)
        last_ms = max((event.at_ms for event in events), default=0.0)
        return ResolvedAction(
            action=SemanticAction(name=name, arguments=arguments),
            events=events,
            duration_ms=last_ms + binding.duration_ms if binding.line else max(binding.duration_ms, last_ms),
            expect=binding.expect,
            effect_wait_ms=binding.effect_wait_ms,
        )

    def _events(
        self, binding: ActionBinding, arguments: dict[str, Argument], width: int, height: int
    ) -> Iterable[TimedEvent]:
        hold_ms = self._hold_ms(binding, arguments)
        if binding.wait:
            return
        if binding.uses_mouse and not self.allow_mouse:
            raise IllegalAction(f"{binding.name} uses the mouse, and the role may not.")
        if binding.look is not None:
            dx, dy = (round(float(_merged(value, arguments))) for value in binding.look)
            yield from motions(dx, dy, self._mouse_look)
            return
        if binding.turn is not None:
            degrees = float(_merged(binding.turn, arguments))
            yield from motions(units_of(degrees, self._mouse_look), 0, self._mouse_look)
            return
        if binding.click is not None:
            yield from self._click(binding, arguments, hold_ms, width, height)
            return
        if binding.wheel:
            yield from self._turn(binding, width // 2, height // 2)
            return
        if binding.keys:
            keys = [self._key(key, arguments) for key in binding.keys]
            for key in keys:
                yield TimedEvent(at_ms=0.0, event=InputEvent(kind="key_down", key=key))
            for key in reversed(keys):
                yield TimedEvent(at_ms=hold_ms, event=InputEvent(kind="key_up", key=key))
            return
        if binding.line:
            keys = keys_of(binding.name, filled(binding.line, arguments), self.allowed_keys)
            keys[:0] = [self._key(binding.clear_key, arguments)] if binding.clear_key else []
        else:
            keys = [self._key(key, arguments) for key in binding.sequence]
        yield from taps(keys, hold_ms=hold_ms, gap_ms=max(binding.gap_ms, self.rest_ms))

    def _turn(self, binding: ActionBinding, x: int, y: int) -> Iterable[TimedEvent]:
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[binding.wheel]
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_move", x=x, y=y))
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="scroll", x=x, y=y, dx=dx, dy=dy))

    def _click(
        self,
        binding: ActionBinding,
        arguments: dict[str, Argument],
        hold_ms: float,
        width: int,
        height: int,
    ) -> Iterable[TimedEvent]:
        assert binding.click is not None
        x, y = (float(_merged(value, arguments)) for value in binding.click)
        if binding.cells is not None:
            x, y = _middle(binding.cells, x, y)
        px = min(width - 1, max(0, round(x * width / self._screen.width)))
        py = min(height - 1, max(0, round(y * height / self._screen.height)))
        button = binding.button
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_move", x=px, y=py))
        yield TimedEvent(at_ms=0.0, event=InputEvent(kind="mouse_down", button=button, x=px, y=py))
        yield TimedEvent(at_ms=hold_ms, event=InputEvent(kind="mouse_up", button=button, x=px, y=py))

    def _hold_ms(self, binding: ActionBinding, arguments: dict[str, Argument]) -> float:
        least, most = self._controls.hold_ms
        return min(float(most), max(float(least), float(_merged(binding.hold_ms, arguments))))

    def _key(self, name: str, arguments: dict[str, Argument]) -> str:
        key = canonical_key(str(_merged(name, arguments)))
        if key not in self.allowed_keys:
            raise IllegalAction(f"{key} is not among the role's keys.")
        return key


def _middle(cells: Cells, column: float, row: float) -> tuple[float, float]:
    """Return the middle of a cell, in `screen` pixels."""
    left, top, width, height = cells.box
    return left + (column + 0.5) * width / cells.columns, top + (row + 0.5) * height / cells.rows


def rest_ms(controls: Controls) -> int:
    """Return the least time between two presses that the game can tell apart; 0 where it is a quick game."""
    least_ms = controls.hold_ms[0]
    return least_ms if least_ms > _USUAL_LEAST_MS else 0


def meaning_of_keys(profile: Profile, controls: Controls) -> KeyMeaning:
    """Return what a game reads of a key; a game in which lines are typed reads letters."""
    if controls.keys_mean == "auto" and any(action.line for action in profile.actions):
        return "letter"
    return controls.keys_mean


def role_of(profile: Profile, name: str) -> Role | None:
    """Return the role of a name, or the first role for an empty name; None where the game has no roles.

    Raises:
        IllegalAction: there is no such role; names the nearest.
    """
    if not name:
        return profile.roles[0] if profile.roles else None
    for role in profile.roles:
        if role.name == name:
            return role
    names = [role.name for role in profile.roles]
    hint = suggestion(name, names, f"Roles: {', '.join(names) or 'none'}.")
    raise IllegalAction(f"{profile.game.name} has no role {name!r}.", hint)


def keys_of_roles(profile: Profile, names: Iterable[str]) -> tuple[str, ...]:
    """Return the canonical names of the keys that these roles may press.

    Raises:
        IllegalAction: there is no such role; names the nearest.
    """
    roles = [role for name in names if (role := role_of(profile, name)) is not None]
    return tuple(
        sorted({canonical_key(key) for role in roles for key in (role.controls or profile.controls).keys})
    )


def presses_at_once(profile: Profile) -> int:
    """Return the largest number of keys that an action of the game and its pause can hold together."""
    pausing = len(profile.pause.keys) if profile.pause is not None else 0
    return pausing + max((len(binding.keys) or 1 for binding in profile.actions), default=1)


def invalid_action(action: SemanticAction, kind: Invalid) -> ResolvedAction:
    """Return the no-op that replaces an invalid action."""
    return ResolvedAction(action=action, events=(), duration_ms=NO_OP_MS, invalid=kind)


def _checked(binding: ActionBinding, given: dict[str, Argument]) -> dict[str, Argument]:
    for name in given:
        if name not in binding.parameters:
            known = ", ".join(binding.parameters) or "none"
            hint = suggestion(name, binding.parameters, f"Arguments: {known}.")
            raise IllegalAction(f"{binding.name} has no argument {name!r}.", hint)
    arguments: dict[str, Argument] = {}
    for name, parameter in binding.parameters.items():
        value = given.get(name, parameter.default)
        if value is None:
            raise IllegalAction(f"{binding.name} needs the argument {name!r}.")
        arguments[name] = fitting(binding.name, name, parameter, value)
    return arguments


def fits(parameter: Parameter, value: Argument) -> bool:
    """Return whether the parameter accepts a value."""
    try:
        fitting("", "", parameter, value)
    except IllegalAction:
        return False
    return True


def fitting(action: str, name: str, parameter: Parameter, value: Argument) -> Argument:
    """Convert a value to the parameter's type.

    Raises:
        IllegalAction: it does not fit; names the action and the argument.
    """
    if parameter.type == "choice":
        if value in parameter.choices:
            return value
        for choice in parameter.choices:
            if normalised_name(choice) == normalised_name(str(value)):
                return choice
        raise IllegalAction(f"{action}: {name}={value!r} is none of {', '.join(parameter.choices)}.")
    if parameter.type == "text":
        return as_text(action, name, value, parameter.most)
    try:
        number: int | float = int(str(value)) if parameter.type == "int" else float(value)
    except (ValueError, OverflowError):
        raise IllegalAction(f"{action}: {name}={value!r} is no {parameter.type}.") from None
    low, high = parameter.minimum, parameter.maximum
    if number != number or (low is not None and number < low) or (high is not None and number > high):
        raise IllegalAction(f"{action}: {name}={value!r} is outside {low} … {high}.")
    return number


def _merged(value: Argument, arguments: dict[str, Argument]) -> Argument:
    """Return a binding's value, with "$NAME" replaced by the argument."""
    if isinstance(value, str) and value.startswith("$"):
        return arguments[value[1:]]
    return value
