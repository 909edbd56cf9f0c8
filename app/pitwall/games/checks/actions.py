"""The conformance checker's part for controls and actions; the base of all parts."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pitwall.core.bounded_reading import real_path
from pitwall.core.errors import Fault, nearest
from pitwall.core.keys import KEYS, canonical_key
from pitwall.games.actions.typed_line import ENTER, names_in
from pitwall.games.actions.vocabulary import fits
from pitwall.games.schema.actions import ActionBinding, Controls, Parameter
from pitwall.games.schema.fields import Box
from pitwall.games.schema.profile import Profile, Screen
from pitwall.games.trust import LEFT_OUT

_MOST_SHOWN = 60
_PARAMETER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FaultFactory:
    """Makes the faults of one file."""

    def __init__(self, file: str) -> None:
        self._file = file

    def fault(self, key: str, problem: str, expected: str = "", near: str = "") -> Fault:
        return Fault(file=self._file, key=key, problem=problem, expected=expected, nearest=near)

    def unknown(self, key: str, name: str, kind: str, options: Iterable[str]) -> Fault:
        """Return the fault of a name that is not among the options."""
        known = sorted(options)
        return self.fault(
            key, f"there is no {kind} {name!r}", f"one of {', '.join(known)}", nearest(name, known)
        )

    def outside(self, key: str, box: Box, screen: Screen) -> Iterator[Fault]:
        """Yield a fault for a box that is empty or reaches beyond the screen."""
        x, y, width, height = box
        inside = x >= 0 and y >= 0 and x + width <= screen.width and y + height <= screen.height
        if width <= 0 or height <= 0 or not inside:
            yield self.fault(key, f"found {list(box)}", f"a box inside {screen.width}×{screen.height} px")

    def no_pattern(self, key: str, pattern: str) -> Iterator[Fault]:
        """Yield a fault for a text that is no regular expression."""
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            problem = f"{pattern[:_MOST_SHOWN]!r} is no regular expression: {error}"
            yield self.fault(key, problem, "a regular expression")

    def misplaced(self, key: str, folder: Path, name: str) -> Iterator[Fault]:
        """Yield a fault for a path that cannot exist, leaves the game's folder, or is not trusted."""
        shown, path = repr(name[:_MOST_SHOWN]), real_path(folder / name)
        if path is None:
            yield self.fault(key, f"{shown} is no path that a file can have", "a path inside the folder")
        elif not path.is_relative_to(folder.resolve()):
            yield self.fault(key, f"{shown} lies outside the game's folder", "a path inside it")
        elif left_out := set(LEFT_OUT) & {*Path(name).parts, *path.relative_to(folder.resolve()).parts}:
            problem = f"{shown} lies in {left_out.pop()}, which trust leaves out"
            yield self.fault(key, problem, f"a path outside {' and '.join(LEFT_OUT)}")

    def unknown_keys(self, key: str, names: Iterable[str]) -> Iterator[Fault]:
        """Yield a fault for each name that is no key of a keyboard."""
        for name in names:
            try:
                canonical_key(name)
            except KeyError:
                yield self.fault(key, f"{name!r} is no key", "a key's name", nearest(name, KEYS))


class PartChecker:
    """Base of the checker's parts.

    Args:
        folder: the game's.
        file_there: yields a fault unless (key, file) is a file of the folder.
        dropped: names that the manifest declares in tables with faults of their own.
    """

    def __init__(
        self,
        profile: Profile,
        blame: FaultFactory,
        folder: Path,
        file_there: Callable[[str, str], Iterator[Fault]],
        dropped: frozenset[str],
    ) -> None:
        self._profile = profile
        self._blame = blame
        self._fault = blame.fault
        self._folder = folder
        self._file_there = file_there
        self._dropped = dropped

    def faults(self) -> Iterator[Fault]:
        """Yield every fault of this part."""
        raise NotImplementedError


class ActionChecker(PartChecker):
    """Checks the allowed keys, and the presses of the actions; conditions are checked elsewhere."""

    def faults(self) -> Iterator[Fault]:
        yield from self._controls("controls", self._profile.controls)
        for role in self._profile.roles:
            if role.controls is not None:
                yield from self._controls(f"roles.{role.name}.controls", role.controls)
        yield from self._bindings()
        yield from self._pause()

    def _controls(self, key: str, controls: Controls) -> Iterator[Fault]:
        yield from self._blame.unknown_keys(f"{key}.keys", controls.keys)
        least, most = controls.hold_ms
        if not 0 < least <= most:
            yield self._fault(
                f"{key}.hold_ms", f"found [{least}, {most}]", "[least, most] with 0 < least ≤ most"
            )

    def _pause(self) -> Iterator[Fault]:
        pause = self._profile.pause
        if pause is None:
            if self._profile.game.while_thinking == "pause":
                yield self._fault("pause", "is missing", 'keys = [...], for game.while_thinking = "pause"')
            return
        if not self._profile.status.paused and "paused" not in [
            passage.leaves for passage in self._profile.passages
        ]:
            yield self._fault("status.paused", "is missing", "what is seen while the game stands still")
        for name in ("keys", "resume_keys"):
            yield from self._allowed_of(f"pause.{name}", getattr(pause, name))

    def _bindings(self) -> Iterator[Fault]:
        for action in self._profile.actions:
            key = f"actions.{action.name}"
            pressed = [bool(action.keys), bool(action.sequence), bool(action.line)]
            mouse = (action.click, action.look, action.turn)
            ways = sum([*pressed, *(way is not None for way in mouse), bool(action.wheel), action.wait])
            if ways != 1:
                yield self._fault(
                    key,
                    f"has {ways} ways of acting",
                    "one of keys, sequence, line, click, wheel, look, turn, wait",
                )
            yield from self._pressed(key, action)
            yield from self._parameters(key, action)
            yield from self._held(key, action)
            yield from self._cells(key, action)
            if action.uses_mouse and not self._may_click(action.name):
                way = next(way for way in ("click", "wheel", "look", "turn") if getattr(action, way))
                yield self._fault(
                    f"{key}.{way}", "uses the mouse, but controls.mouse is false", "controls.mouse = true"
                )
            yield from self._looks(key, action)

    def _pressed(self, key: str, action: ActionBinding) -> Iterator[Fault]:
        for name in (*action.keys, *action.sequence):
            parameter = action.parameters.get(name[1:]) if name.startswith("$") else None
            named = [name] if not name.startswith("$") else parameter.choices if parameter else []
            yield from self._allowed_of(f"{key}.keys", named)
        if action.line:
            yield from self._allowed_of(f"{key}.line", [ENTER])
        if action.clear_key:
            yield from self._allowed_of(f"{key}.clear_key", [action.clear_key])
            if not action.line:
                yield self._fault(f"{key}.clear_key", "is of no use without line", 'line = "$text"')

    def _allowed_of(self, key: str, names: list[str]) -> Iterator[Fault]:
        unknown = list(self._blame.unknown_keys(key, names))
        yield from unknown
        for name in names if not unknown else []:
            if canonical_key(name) not in self._allowed:
                expected = f"one of controls.keys ({', '.join(sorted(self._allowed)) or 'none'})"
                yield self._fault(key, f"{name!r} is not among the allowed keys", expected)

    def _parameters(self, key: str, action: ActionBinding) -> Iterator[Fault]:
        used = [*action.keys, *action.sequence, action.hold_ms, *(action.click or ()), *(action.look or ())]
        used += [action.turn] if action.turn is not None else []
        names = {str(value)[1:] for value in used if isinstance(value, str) and value.startswith("$")}
        typed = set(names_in(action.line))
        for name in sorted(names):
            if name in action.parameters and action.parameters[name].type == "text":
                yield self._fault(f"{key}.parameters.{name}", "is a text", 'line = "$' + f'{name}"')
        names |= typed
        for name in names - set(action.parameters):
            near = nearest(name, action.parameters)
            yield self._fault(key, f"${name} names no parameter", f"[actions.parameters.{name}]", near)
        for name in set(action.parameters) - names:
            yield self._fault(f"{key}.parameters.{name}", "is never used", f'"${name}" in the binding')
        for name, parameter in action.parameters.items():
            yield from self._parameter(f"{key}.parameters.{name}", action, name, parameter)

    def _parameter(self, key: str, action: ActionBinding, name: str, parameter: Parameter) -> Iterator[Fault]:
        low, high = parameter.minimum, parameter.maximum
        if _PARAMETER_NAME.fullmatch(name) is None:
            yield self._fault(key, f"{name!r} is no name", "letters, digits and underscores")
        for choice in parameter.choices:
            if not choice.isprintable() or {"'", '"'} <= set(choice):
                yield self._fault(
                    f"{key}.choices", f"found {choice!r}", "printable text without both kinds of quotes"
                )
        if parameter.type == "choice" and not parameter.choices:
            yield self._fault(key, "has no choices", "choices = [...]")
        if low is not None and high is not None and low > high:
            yield self._fault(key, f"minimum {low:g} is more than maximum {high:g}", "minimum ≤ maximum")
        elif parameter.default is not None and not fits(parameter, parameter.default):
            yield self._fault(f"{key}.default", f"found {parameter.default!r}", "a value that fits")
        least, most = self._profile.controls.hold_ms
        if action.hold_ms == f"${name}" and not (least <= (low or least) and (high or most) <= most):
            yield self._fault(key, "reaches beyond controls.hold_ms", f"{least} … {most} ms")

    def _cells(self, key: str, action: ActionBinding) -> Iterator[Fault]:
        cells = action.cells
        if cells is None:
            return
        yield from self._blame.outside(f"{key}.cells.box", cells.box, self._profile.screen)
        if action.click is None:
            yield self._fault(f"{key}.cells", "is of no use without click", 'click = ["$column", "$row"]')
            return
        for value, count in ((action.click[0], cells.columns), (action.click[1], cells.rows)):
            least, most = _reach(action, value)
            if not 0 <= least <= most <= count - 1:
                yield self._fault(f"{key}.click", f"{value} may lie outside the cells", f"0 … {count - 1}")

    def _looks(self, key: str, action: ActionBinding) -> Iterator[Fault]:
        values: list[tuple[str, object]] = [(f"{key}.look", value) for value in action.look or ()]
        values += [(f"{key}.turn", action.turn)] if action.turn is not None else []
        if values and self._profile.mouse_look is None:
            yield self._fault("mouse_look", f"is missing, and {action.name} turns the view", "[mouse_look]")
        for where, value in values:
            if isinstance(value, str) and not value.startswith("$"):
                yield self._fault(where, f"found {value!r}", 'a number, or "$PARAMETER"')

    def _held(self, key: str, action: ActionBinding) -> Iterator[Fault]:
        least, most = self._profile.controls.hold_ms
        hold = action.hold_ms
        if isinstance(hold, str) and not hold.startswith("$"):
            yield self._fault(f"{key}.hold_ms", f"found {hold!r}", 'milliseconds, or "$PARAMETER"')
        if isinstance(hold, int) and not action.wait and not least <= hold <= most:
            yield self._fault(f"{key}.hold_ms", f"found {hold} ms", f"{least} … {most} ms (controls.hold_ms)")

    @functools.cached_property
    def _allowed(self) -> set[str]:
        allowed: set[str] = set()
        for controls in (self._profile.controls, *(role.controls for role in self._profile.roles)):
            for name in controls.keys if controls is not None else []:
                if not any(True for _ in self._blame.unknown_keys("", [name])):
                    allowed.add(canonical_key(name))
        return allowed

    def _may_click(self, action: str) -> bool:
        roles = [role for role in self._profile.roles if not role.actions or action in role.actions]
        return any((role.controls or self._profile.controls).mouse for role in roles) or (
            not roles and self._profile.controls.mouse
        )


def _reach(action: ActionBinding, value: int | str) -> tuple[float, float]:
    """Return the lowest and the highest value that a binding's value can have."""
    if isinstance(value, int):
        return value, value
    parameter = action.parameters.get(value[1:], Parameter())
    least = parameter.minimum if parameter.minimum is not None else float("-inf")
    return least, parameter.maximum if parameter.maximum is not None else float("inf")
