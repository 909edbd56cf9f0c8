"""Checks changed rules, and writes check results of reward functions and rules as lines. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted, number
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game

ENDS = -1
"""A `RuleFault.rule` for the end condition."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """The name and result of one check: "Time per call", "11 µs"."""

    name: str
    value: str
    tone: Literal["neutral", "ok", "stop", "reflex"] = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of a check.

    Attributes:
        sentence: the fault; empty without one. line: of the fault; 0 if unknown.
    """

    lines: tuple[CheckLine, ...] = ()
    sentence: str = ""
    line: int = 0

    @property
    def passed(self) -> bool:
        return not self.sentence


def reward_checked(answer: Mapping[str, Any]) -> Checked:
    """Write the answer of `pitwall gsm check-reward` as lines."""
    passed = bool(answer.get("passed"))
    asked, finite = int(answer.get("asked") or 0), int(answer.get("finite") or 0)
    us = answer.get("us_per_call")
    ran = passed or finite > 0
    lines = [CheckLine("Sandbox: no files, no network", "✓ passed" if ran else "✕ refused", _tone(ran))]
    if ran:
        whole = finite == asked
        answered = "✓ finite" if whole else f"✕ {finite:,} answered"
        lines.append(CheckLine(f"{asked:,} sampled transitions", answered, _tone(whole)))
    if us is not None:
        lines.append(CheckLine("Time per call", f"{float(us):.1f} µs" if us < 10 else f"{float(us):.0f} µs"))
    low, mean, high = (answer.get(name) for name in ("low", "mean", "high"))
    if low is not None and mean is not None and high is not None:
        lines.append(CheckLine("Reward", f"{_signed(low)} … {_signed(high)}, mean {_signed(mean)}"))
    if answer.get("parts"):
        lines.append(CheckLine("Parts", ", ".join(str(part) for part in answer["parts"])))
    lines += [CheckLine("Note", str(warning), "reflex") for warning in answer.get("warnings") or ()]
    return Checked(
        lines=tuple(lines),
        sentence="" if passed else str(answer.get("sentence") or "It did not pass."),
        line=int(answer.get("line") or 0),
    )


def rules_checked(faults: Sequence[RuleFault], rules: int) -> Checked:
    """Write the result of checking changed rules as lines."""
    bad_when, bad_action = (any(fault.column == at for fault in faults) for at in (0, 1))
    lines = [
        CheckLine("Conditions", "✕ faulty" if bad_when else "✓ parse", _tone(not bad_when)),
        CheckLine("Actions", "✕ unknown" if bad_action else "✓ legal", _tone(not bad_action)),
    ]
    if not faults:
        lines.append(CheckLine("Rules", counted(rules, "rule")))
    return Checked(lines=tuple(lines), sentence="\n".join(str(fault) for fault in faults))


def _tone(good: bool) -> Literal["ok", "stop"]:
    return "ok" if good else "stop"


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else ''}{number(abs(value))}"


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A fault in a rule.

    Attributes:
        rule: its place from 0, or ENDS. column: 0 its condition, 1 its action.
    """

    rule: int
    column: int
    message: str

    def __str__(self) -> str:
        where = "The end condition" if self.rule == ENDS else f"Rule {self.rule + 1}"
        return f"{where}: {self.message}"


def check_rules(module: Module, game: Game) -> list[RuleFault]:
    """List every fault of a module's rules."""
    fields = frozenset(field.name for field in game.profile.fields)
    faults = _condition(module.ends, fields, ENDS)
    if not module.rules:
        faults.append(RuleFault(0, 0, "there is no rule: nothing would ever act."))
    for at, rule in enumerate(module.rules):
        faults += _condition(rule.when, fields, at)
        faults += _action(rule.action, game, at)
    return faults


def _condition(text: str, fields: frozenset[str], at: int) -> list[RuleFault]:
    try:
        parse_condition(text, fields)
    except PitwallError as error:
        return [RuleFault(at, 0, str(error))]
    return []


def _action(text: str, game: Game, at: int) -> list[RuleFault]:
    """Check that an action is legal for at least one role."""
    last = ""
    for role in [role.name for role in game.profile.roles] or [""]:
        try:
            Vocabulary(game.profile, role).parse(text)
            return []
        except PitwallError as error:
            last = str(error)
    return [RuleFault(at, 1, last)]
