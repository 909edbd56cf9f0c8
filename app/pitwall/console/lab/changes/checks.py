"""Writes the result of a reward function's or rules' check as lines. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pitwall.console.kit.format import counted
from pitwall.console.lab.changes.rules_check import RuleFault
from pitwall.console.lab.format import number


@dataclass(frozen=True, slots=True)
class CheckLine:
    """Holds one check's name and result: "Time per call", "11 µs"."""

    name: str
    value: str
    tone: Literal["neutral", "ok", "stop", "reflex"] = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Attributes:
    said: what is wrong, in a sentence; empty where nothing is. line: where; 0 where that is not known.
    """

    lines: tuple[CheckLine, ...] = ()
    said: str = ""
    line: int = 0

    @property
    def passed(self) -> bool:
        return not self.said


def reward_checked(answer: Mapping[str, Any]) -> Checked:
    """The answer of `pitwall gsm check-reward`."""
    passed = bool(answer.get("passed"))
    asked, finite = int(answer.get("asked") or 0), int(answer.get("finite") or 0)
    us = answer.get("us_per_call")
    ran = passed or finite > 0
    lines = [CheckLine("Sandbox: no files, no network", "✓ passed" if ran else "✕ refused", _tone(ran))]
    if ran:
        whole = finite == asked
        lines.append(
            CheckLine(
                f"{asked:,} sampled transitions",
                "✓ finite" if whole else f"✕ {finite:,} answered",
                _tone(whole),
            )
        )
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
        said="" if passed else str(answer.get("sentence") or "It did not pass."),
        line=int(answer.get("line") or 0),
    )


def rules_checked(faults: Sequence[RuleFault], rules: int) -> Checked:
    """Write the result of checking changed rules as lines."""
    if not faults:
        return Checked(
            lines=(
                CheckLine("Conditions", "✓ parse", "ok"),
                CheckLine("Actions", "✓ legal", "ok"),
                CheckLine("Rules", counted(rules, "rule")),
            )
        )
    bad_action = any(fault.column == 1 for fault in faults)
    bad_when = any(fault.column == 0 for fault in faults)
    return Checked(
        lines=(
            CheckLine("Conditions", "✕ faulty" if bad_when else "✓ parse", _tone(not bad_when)),
            CheckLine("Actions", "✕ unknown" if bad_action else "✓ legal", _tone(not bad_action)),
        ),
        said="\n".join(str(fault) for fault in faults),
    )


def _tone(good: bool) -> Literal["ok", "stop"]:
    return "ok" if good else "stop"


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else ''}{number(abs(value))}"
