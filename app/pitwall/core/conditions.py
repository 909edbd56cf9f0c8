"""Conditions on state-reader fields: a small, safe expression language for game manifests.

    health < 30 and not door_open
    status == "menu"
    abs(bird_y - gap_y) > 12
    says(banner, "game over")

Numbers, strings, true/false/none, field names, + - * / %, comparisons (chains too), and, or, not,
and the functions abs, min, max, and says: whether a text that was read holds these words, whatever their
case and blanks, one letter in seven misread. Nothing else parses; nothing is executed as Python.
A field that could not be read is none: comparing or calculating with it makes the condition false,
except `field == none` and `field != none`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pitwall.core.errors import ConditionError, nearest
from pitwall.core.observations import Value

_Env = Mapping[str, Value]
_Node = Callable[[_Env], Value]
_MOST_SHOWN = 120
_MISREAD_IN = 7
_ALIKE = str.maketrans("0158i", "olsbl")


class _Unknown(Exception):
    """A field in a calculation is none."""


_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"abs": abs, "min": min, "max": max}
_CONSTANTS: dict[str, Value] = {
    "true": True,
    "false": False,
    "none": None,
    "True": True,
    "False": False,
    "None": None,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A parsed condition or calculation.

    Attributes:
        text: as written.
        fields: names of the fields it reads.
    """

    text: str
    fields: frozenset[str]
    _run: _Node

    def holds(self, values: _Env) -> bool:
        """Return whether it is true on these field values; false where a needed field is None."""
        try:
            return bool(self._run(values))
        except (_Unknown, TypeError, ArithmeticError):
            return False

    def value(self, values: _Env) -> Value:
        """Evaluate the condition on field values; None if a needed field is None."""
        try:
            return self._run(values)
        except (_Unknown, TypeError, ArithmeticError):
            return None


def parse_condition(text: str, known: frozenset[str] | None = None) -> Condition:
    """Parse a condition.

    Args:
        text: see the module's text.
        known: names of fields that may be used; None allows any.

    Raises:
        ConditionError: it does not parse, uses something not allowed, or names an unknown field.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(
            f"the condition {_shown(text)} does not parse: {error}.",
            "Write it like: health < 30 and status == 'playing'.",
        ) from None
    fields: set[str] = set()
    try:
        node = _compile(tree.body, fields, text)
    except RecursionError:
        raise ConditionError(f"the condition {_shown(text)} is nested too deep.") from None
    if known is not None:
        for name in sorted(fields - known - {"status"}):
            near = nearest(name, known | {"status"})
            hint = f"Did you mean {near!r}?" if near else f"Fields: {', '.join(sorted(known))}."
            raise ConditionError(
                f"the condition {_shown(text)} names an unknown field {_shown(name)}.", hint, near
            )
    return Condition(text, frozenset(fields), node)


def _shown(text: str) -> str:
    quoted = repr(text)
    return quoted if len(quoted) <= _MOST_SHOWN else f"{quoted[:_MOST_SHOWN]}…"


def _compile(node: ast.expr, fields: set[str], text: str) -> _Node:
    run = _leaf(node, fields) or _logic(node, fields, text) or _calculation(node, fields, text)
    if run is None:
        raise ConditionError(
            f"the condition {_shown(text)} uses {_shown(ast.unparse(node))}, which is not allowed.",
            "Allowed: numbers, strings, fields, + - * / %, comparisons, and, or, not, abs, min, max, says.",
        )
    return run


def _leaf(node: ast.expr, fields: set[str]) -> _Node | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str | None):
        constant: Value = node.value
        return lambda _: constant
    if not isinstance(node, ast.Name):
        return None
    name = node.id
    if name in _CONSTANTS:
        named = _CONSTANTS[name]
        return lambda _: named
    fields.add(name)
    return lambda env: env.get(name)


def _logic(node: ast.expr, fields: set[str], text: str) -> _Node | None:
    match node:
        case ast.BoolOp(op=op, values=values):
            return _together([_compile(part, fields, text) for part in values], any_of=isinstance(op, ast.Or))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            negated = _compile(operand, fields, text)
            return lambda env: not _truth(negated, env)
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(type(op) in _COMPARE for op in ops):
            return _comparison(left, ops, rest, fields, text)
        case ast.Call(func=ast.Name(id="says"), args=[read, ast.Constant(value=str(words))], keywords=[]) if (
            _letters(words)
        ):
            source = _compile(read, fields, text)
            return lambda env: _says(source(env), words)
    return None


def _says(read: Value, words: str) -> bool:
    if read is None:
        raise _Unknown
    seen, wanted = _letters(str(read)), _letters(words)
    places = range(len(seen) - len(wanted) + 1)
    wrong = (sum(map(operator.ne, wanted, seen[at:])) for at in places)
    return any(count <= len(wanted) // _MISREAD_IN for count in wrong)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, with look-alikes replaced by one of them."""
    return "".join(letter for letter in text.casefold() if letter.isalnum()).translate(_ALIKE)


def _calculation(node: ast.expr, fields: set[str], text: str) -> _Node | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = _compile(operand, fields, text)
            return lambda env: -_number(positive(env))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _compile(left, fields, text), _compile(right, fields, text)
            do = _BINARY[type(op)]
            return lambda env: do(_number(a(env)), _number(b(env)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            call, inner = _FUNCTIONS[name], [_compile(arg, fields, text) for arg in args]
            if not inner or (name == "abs") != (len(inner) == 1):
                raise ConditionError(f"the condition {_shown(text)} calls {name}() with {len(inner)} values.")
            return lambda env: call(*(_number(part(env)) for part in inner))
    return None


def _comparison(
    left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr], fields: set[str], text: str
) -> _Node:
    sides = [_compile(side, fields, text) for side in (left, *rest)]
    kinds = [type(op) for op in ops]
    if kinds == [ast.Eq]:
        first, second = sides
        return lambda env: first(env) == second(env)

    def run(env: _Env) -> bool:
        values = [side(env) for side in sides]
        for kind, a, b in zip(kinds, values, values[1:], strict=False):
            if kind not in (ast.Eq, ast.NotEq) and (a is None or b is None):
                raise _Unknown
            if not _COMPARE[kind](a, b):
                return False
        return True

    return run


def _together(parts: list[_Node], *, any_of: bool) -> _Node:
    def run(env: _Env) -> bool:
        for part in parts:
            if _truth(part, env) is any_of:
                return any_of
        return not any_of

    return run


def _truth(node: _Node, env: _Env) -> bool:
    try:
        return bool(node(env))
    except (_Unknown, TypeError, ArithmeticError):
        return False


def _number(value: Value) -> float:
    if value is None:
        raise _Unknown
    if isinstance(value, str):
        raise TypeError(f"{value!r} is no number")
    return value
