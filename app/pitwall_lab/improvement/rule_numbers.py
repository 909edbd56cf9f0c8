"""Finds the numbers in a rule-based module's conditions by their places, and replaces them."""

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
    """One number of a rule. `whole`: written without a fraction. `cooldown`: in ms, never below 0."""

    place: NumberPosition
    value: float
    whole: bool
    cooldown: bool = False


def rule_numbers(module: Module) -> tuple[RuleNumber, ...]:
    """List every number of a module's rules, in order."""
    numbers: list[RuleNumber] = []
    for count, rule in enumerate(module.rules, start=1):
        nodes = _numbers(rule.when)
        for number, node in enumerate(nodes, start=1):
            value = _value(node)
            numbers.append(RuleNumber(place=(count, number), value=value, whole=isinstance(node.value, int)))
        place = (count, len(nodes) + 1)
        numbers.append(RuleNumber(place=place, value=float(rule.cooldown_ms), whole=True, cooldown=True))
    return tuple(numbers)


def with_numbers(module: Module, values: Mapping[NumberPosition, float]) -> Module:
    """Return the module with some of its numbers changed; a sign written in the condition stays.

    Raises:
        KeyError: the module has no number at one of the places.
    """
    unknown = set(values) - {number.place for number in rule_numbers(module)}
    if unknown:
        raise KeyError(min(unknown))
    rules = [
        _changed(rule, {number: value for (place, number), value in values.items() if place == count})
        for count, rule in enumerate(module.rules, start=1)
    ]
    return module.model_copy(update={"rules": rules})


def numbered_rules(module: Module) -> str:
    """Write the rules with the place of each number, for a model that is to change them."""
    lines = []
    for count, rule in enumerate(module.rules, start=1):
        nodes = _numbers(rule.when)
        text = rule.when.encode()
        for number, node in sorted(enumerate(nodes, start=1), key=lambda pair: -pair[1].col_offset):
            text = text[: node.col_offset] + f"[{number}: ".encode() + text[node.col_offset :]
            end = _end(node) + len(f"[{number}: ")
            text = text[:end] + b"]" + text[end:]
        lines.append(
            f"rule {count}: when {text.decode()} -> {rule.action or '(nothing new)'}, "
            f"cooldown [{len(nodes) + 1}: {rule.cooldown_ms}] ms"
        )
    return "\n".join(lines)


def number_changes(before: Module, after: Module) -> str:
    """Describe the changed numbers briefly: "rule 2, number 1: 15 → 18.5"; "" if the rules differ in more."""
    old, new = rule_numbers(before), rule_numbers(after)
    if [number.place for number in old] != [number.place for number in new]:
        return ""
    return "; ".join(
        f"rule {number.place[0]}, number {number.place[1]}: {number.value:g} → {other.value:g}"
        for number, other in zip(old, new, strict=True)
        if number.value != other.value
    )


def _numbers(when: str) -> list[ast.Constant]:
    """Return the number constants of a condition in their order."""
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
    """Write a number for a condition; a negative number gets brackets, so that no two signs meet."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return f"({text})" if value < 0 and text != "-0" else text.removeprefix("-") if text == "-0" else text
