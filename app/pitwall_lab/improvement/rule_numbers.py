"""The numbers of a rule-based module: found in its conditions, told by their places, put back changed."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from pitwall.games.schema.modules import Module, Rule

NumberPosition = tuple[int, int]
"""Rule and number within it, both from 1; a rule's last number is its cooldown in milliseconds."""
_LONGEST_MS = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNumber:
    """Holds one number. `whole`: it was written without a fraction. `cooldown`: in ms, never below 0."""

    place: NumberPosition
    value: float
    whole: bool
    cooldown: bool = False


def rule_numbers(module: Module) -> tuple[RuleNumber, ...]:
    """Every number of a module's rules, in order."""
    found: list[RuleNumber] = []
    for rule, one in enumerate(module.rules, start=1):
        nodes = _numbers(one.when)
        for number, node in enumerate(nodes, start=1):
            value = _value(node)
            found.append(RuleNumber(place=(rule, number), value=value, whole=isinstance(node.value, int)))
        place = (rule, len(nodes) + 1)
        found.append(RuleNumber(place=place, value=float(one.cooldown_ms), whole=True, cooldown=True))
    return tuple(found)


def with_numbers(module: Module, values: Mapping[NumberPosition, float]) -> Module:
    """The module with some of its numbers changed; a sign stays where the condition writes it.

    Raises:
        KeyError: it has no number at one of the places.
    """
    unknown = set(values) - {one.place for one in rule_numbers(module)}
    if unknown:
        raise KeyError(min(unknown))
    rules = [
        _changed(one, {number: value for (rule, number), value in values.items() if rule == count})
        for count, one in enumerate(module.rules, start=1)
    ]
    return module.model_copy(update={"rules": rules})


def numbered_rules(module: Module) -> str:
    """The rules with their numbers' places, for whoever is to change them."""
    lines = []
    for count, one in enumerate(module.rules, start=1):
        nodes = _numbers(one.when)
        text = one.when.encode()
        for number, node in sorted(enumerate(nodes, start=1), key=lambda pair: -pair[1].col_offset):
            text = text[: node.col_offset] + f"[{number}: ".encode() + text[node.col_offset :]
            end = _end(node) + len(f"[{number}: ")
            text = text[:end] + b"]" + text[end:]
        lines.append(
            f"rule {count}: when {text.decode()} -> {one.action or '(nothing new)'}, "
            f"cooldown [{len(nodes) + 1}: {one.cooldown_ms}] ms"
        )
    return "\n".join(lines)


def number_changes(before: Module, after: Module) -> str:
    """Describe the changed numbers briefly: "rule 2, number 1: 15 → 18.5"; "" if the rules differ in more."""
    old, new = rule_numbers(before), rule_numbers(after)
    if [one.place for one in old] != [one.place for one in new]:
        return ""
    return "; ".join(
        f"rule {one.place[0]}, number {one.place[1]}: {one.value:g} → {other.value:g}"
        for one, other in zip(old, new, strict=True)
        if one.value != other.value
    )


def _numbers(when: str) -> list[ast.Constant]:
    """Number constants of a condition in the order they stand."""
    nodes = [
        node
        for node in ast.walk(ast.parse(when.strip(), mode="eval"))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float)
    ]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def _value(node: ast.Constant) -> float:
    assert isinstance(node.value, int | float)
    return float(node.value)


def _end(node: ast.Constant) -> int:
    return node.end_col_offset if node.end_col_offset is not None else node.col_offset


def _changed(rule: Rule, values: Mapping[int, float]) -> Rule:
    text = rule.when.strip().encode()
    nodes = _numbers(rule.when)
    update: dict[str, object] = {}
    for number, node in sorted(enumerate(nodes, start=1), key=lambda pair: -pair[1].col_offset):
        if number in values:
            text = text[: node.col_offset] + _written(values[number]).encode() + text[_end(node) :]
            update["when"] = text.decode()
    if len(nodes) + 1 in values:
        update["cooldown_ms"] = min(_LONGEST_MS, max(0, round(values[len(nodes) + 1])))
    return rule.model_copy(update=update)


def _written(value: float) -> str:
    """Write a number as a condition does; a negative one in brackets, so that no sign meets another."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return f"({text})" if value < 0 and text != "-0" else text.removeprefix("-") if text == "-0" else text
