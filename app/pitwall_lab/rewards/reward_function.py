"""Runs reward functions for a training: many transitions at a time, in the sandbox.

A batch of 256 costs about 6 µs a call if the function reads its fields by constant keys, and about 20 µs if
not, because then whole states are sent.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from pitwall.core.errors import PitwallError
from pitwall.core.observations import Value
from pitwall_lab.rewards.contract import PARAMETERS, Reward, RewardCall
from pitwall_lab.rewards.sandbox import Limits, Sandbox, SandboxFault
from pitwall_lab.rewards.source import RewardFault, RewardSource, at_line, read_source

__all__ = ["RewardCheck", "RewardFault", "RewardFunction", "check"]

MOST_PARTS = 16
MOST_REWARD = 1e6
"""Largest reward: with larger ones the estimates lose the small differences that matter."""
_AT_ONCE = 256
_SLOW_US = 200.0
_FAR = 100.0
_ENTRY = "_pitwall_drive"
_DRIVER = """
import json as _pitwall_json

def _pitwall_drive(text, loads=_pitwall_json.loads, dumps=_pitwall_json.dumps, type=type, float=float,
                   int=int, str=str, dict=dict, len=len):
    answers = []
    for prev, after, action, done, history, changed, began, now, step in loads(text):
        answer = reward(prev, after, action, done, history, changed, began, now, step)
        kind = type(answer)
        if kind is dict:
            for name, part in answer.items():
                if type(name) is not str or len(name) > 40:
                    answer = ["name", f"{name}"[:40]]
                    break
                if type(part) is not float and type(part) is not int:
                    answer = ["part", name, f"{type(part)}"[:60]]
                    break
        elif kind is not float and kind is not int:
            answer = ["type", f"{kind}"[:60]]
        answers.append(answer)
    return dumps(answers)
"""
_MEND = "Mend that line; the states hold the module's fields, with None for a field that was not read."
_MENDING = {
    "None": "A field that was not read is None: test it first.",
    "ZeroDivisionError": "Test the divisor first.",
    "KeyError": "The states hold the module's fields only; read others with .get.",
    "IndexError": "Test the length first: an episode's first steps have a short history.",
}
_CALM = "Answer a finite number, or a dict of named finite numbers."


class RewardFunction:
    """A reward function in a sandbox of its own.

    It gets copies of its arguments, with lists in place of tuples. Its globals are lost when its worker is
    replaced, so it must calculate from its arguments alone; `check` verifies that.

    Args:
        source: Python text with `def reward(…)` (pitwall_lab.rewards.contract).
        name: of its file, for messages.
        limits: of each batch of 256.

    Raises:
        RewardFault: it cannot be used.
    """

    def __init__(self, source: str, *, name: str = "reward.py", limits: Limits | None = None) -> None:
        self.source: RewardSource = read_source(source, name)
        self.limits = limits or Limits()
        self._pick = [_picker(self.source, state) for state in ("prev_state", "next_state")]
        self._used = [parameter in self.source.parameters for parameter in PARAMETERS]
        try:
            self._sandbox = Sandbox(_DRIVER, source, entry=_ENTRY, limits=self.limits)
        except SandboxFault as fault:
            raise self._explained(fault) from None

    @property
    def worker_pid(self) -> int | None:
        """Return the process id of its worker; None while it is being replaced."""
        return self._sandbox.pid

    def batch(self, calls: Sequence[RewardCall]) -> list[Reward]:
        """Compute the reward of each transition, in order.

        Raises:
            RewardFault: it raised, ran too long, used too much memory, or did not return a reward.
        """
        rewards: list[Reward] = []
        for start in range(0, len(calls), _AT_ONCE):
            rewards += self._some(calls[start : start + _AT_ONCE], start)
        return rewards

    def close(self) -> None:
        """End its worker."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _some(self, calls: Sequence[RewardCall], start: int) -> list[Reward]:
        asked = json.dumps([self._row(call) for call in calls], separators=(",", ":"), default=_plain)
        try:
            text = self._sandbox.call(asked)
        except SandboxFault as fault:
            raise self._explained(fault) from None
        try:
            answers = json.loads(text)
        except (ValueError, RecursionError):
            answers = None
        if not isinstance(answers, list) or len(answers) != len(calls):
            raise RewardFault(f"{self.source.name}: the answers of the sandbox cannot be read.", _CALM)
        return [self._reward(answer, number) for number, answer in enumerate(answers, start=start + 1)]

    def _row(self, call: RewardCall) -> list[Any]:
        row = (
            self._pick[0](call.prev_state),
            self._pick[1](call.next_state),
            call.action_idx,
            call.done,
            call.action_history,
            call.action_state_changes,
            call.episode_start_time,
            call.step_time,
            call.step,
        )
        return [value if used else 0 for value, used in zip(row, self._used, strict=True)]

    def _reward(self, answer: object, number: int) -> Reward:
        match answer:
            case int() | float() if not isinstance(answer, bool):
                return Reward(self._number(answer, f"transition {number}"), {})
            case dict() if len(answer) <= MOST_PARTS:
                where = f"transition {number}"
                parts = {name: self._number(value, f"{where}, {name!r}") for name, value in answer.items()}
                return Reward(self._number(math.fsum(parts.values()), where), parts)
            case dict():
                problem = f"it answered {len(answer)} named parts; at most {MOST_PARTS} are allowed."
            case ["name", name]:
                problem = f"it answered a part named {name!s:.40}: names are texts of at most 40 characters."
            case ["part", name, kind]:
                problem = f"its part {name!s:.40} is not a number but {_kind_of(kind)}."
            case ["type", kind]:
                problem = f"it answered {_kind_of(kind)} on transition {number}."
            case _:
                problem = f"it did not answer a number on transition {number}."
        raise RewardFault(f"{self.source.name}: {problem}", _CALM)

    def _number(self, value: Any, where: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.inf
        if not math.isfinite(number) or abs(number) > MOST_REWARD:
            answer = "NaN" if number != number else "inf" if math.isinf(number) else f"{number:g}"
            raise RewardFault(
                f"{self.source.name}: it answered {answer} on {where}.",
                f"Keep rewards finite and small, about −1 … 1; more than {MOST_REWARD:,.0f} is refused.",
            )
        return number

    def _explained(self, fault: SandboxFault) -> RewardFault:
        name, line, loop = self.source.name, fault.line, self.source.loop_line
        seconds, mib = self.limits.seconds, self.limits.memory_bytes >> 20
        match fault.kind:
            case "time":
                problem = f"it ran longer than {seconds:g} s for one batch and was stopped."
                fix = f"See its loop on line {loop}." if loop else "Make it a short calculation."
                line = 0
            case "memory":
                problem, fix = (
                    f"it took more than {mib} MiB of memory and was stopped.",
                    "Keep no big texts or lists.",
                )
            case "recursion":
                problem, fix = (
                    "its calls nest too deep.",
                    f"At most {self.limits.depth} nested calls are allowed.",
                )
            case "forbidden":
                problem = f"it tried something that the sandbox does not allow: {fault.what}."
                fix = "A reward function only calculates from its arguments."
            case "died":
                problem, fix = (
                    f"its sandbox died twice: {fault.what}.",
                    "Try again; simplify it if that happens again.",
                )
            case "unsupported":
                problem, fix = f"{fault.what}.", "Write it with plain functions, conditions and arithmetic."
            case _:
                problem = f"{fault.what}."
                fix = next((fix for word, fix in _MENDING.items() if word in fault.what), _MEND)
        return RewardFault(f"{at_line(name, line)} {problem}".replace("..", "."), fix, line=line)


class RewardCheck(BaseModel):
    """The result of trying a reward function.

    Attributes:
        passed: it may be used for training.
        sentence: the fault, or what was tried.
        line: of the fault; 0 if unknown.
        asked, finite: sampled transitions, and how many of them it answered.
        us_per_call: microseconds, in batches.
        parts: named parts of its answers, in order.
        low, mean, high: of the totals.
        warnings: probable mistakes.
    """

    model_config = ConfigDict(frozen=True)

    passed: bool
    sentence: str
    line: int = 0
    asked: int = 0
    finite: int = 0
    us_per_call: float | None = None
    parts: tuple[str, ...] = ()
    low: float | None = None
    mean: float | None = None
    high: float | None = None
    warnings: tuple[str, ...] = Field(())


def check(source: str, transitions: Sequence[RewardCall], *, name: str = "reward.py") -> RewardCheck:
    """Try a reward function on sampled transitions; the sandbox keeps any code from doing harm."""
    try:
        with RewardFunction(source, name=name) as function:
            return _tried(function, transitions)
    except RewardFault as fault:
        return RewardCheck(passed=False, sentence=str(fault), line=fault.line, asked=len(transitions))


def _tried(function: RewardFunction, transitions: Sequence[RewardCall]) -> RewardCheck:
    name = function.source.name
    if not transitions:
        return RewardCheck(
            passed=False, sentence=f"{name}: there is no transition to try it on. Play a few first."
        )
    rewards: list[Reward] = []
    try:
        began = time.perf_counter()
        rewards = function.batch(transitions)
        us = (time.perf_counter() - began) * 1e6 / len(transitions)
        again = function.batch(transitions[::-1])[::-1]
    except RewardFault as fault:
        finite = len(rewards) or _answered(function, transitions)
        return RewardCheck(
            passed=False, sentence=str(fault), line=fault.line, asked=len(transitions), finite=finite
        )
    totals = [reward.total for reward in rewards]
    shown = RewardCheck(
        passed=True,
        sentence=f"{name}: {len(rewards)} sampled transitions answered, {us:.1f} µs a call.",
        asked=len(transitions),
        finite=len(rewards),
        us_per_call=us,
        parts=tuple(dict.fromkeys(part for reward in rewards for part in reward.parts)),
        low=min(totals),
        mean=math.fsum(totals) / len(totals),
        high=max(totals),
        warnings=tuple(_warnings(function.source, transitions, rewards, us)),
    )
    for number, (reward, other) in enumerate(zip(rewards, again, strict=True), start=1):
        if reward.total != other.total:
            sentence = f"{name}: asked twice about transition {number} it answered {reward.total:g}, then"
            fix = "Calculate from the arguments alone, and keep nothing between calls."
            return shown.model_copy(
                update={"passed": False, "sentence": f"{sentence} {other.total:g}. {fix}"}
            )
    return shown


def _answered(function: RewardFunction, transitions: Sequence[RewardCall]) -> int:
    """Count the transitions that it answers before it fails or the time of a batch is over."""
    until = time.monotonic() + function.limits.seconds
    for number, call in enumerate(transitions[:_AT_ONCE]):
        if time.monotonic() > until:
            return number
        try:
            function.batch([call])
        except PitwallError:
            return number
    return min(len(transitions), _AT_ONCE)


def _warnings(
    source: RewardSource, transitions: Sequence[RewardCall], rewards: Sequence[Reward], us: float
) -> Iterable[str]:
    totals = {reward.total for reward in rewards}
    if len(totals) == 1 and len(rewards) > 1:
        yield f"It is constant: {totals.pop():g} on every sampled transition, so it teaches nothing."
    elif max(abs(reward.total) for reward in rewards) > _FAR:
        yield f"It reaches {max(abs(reward.total) for reward in rewards):g}: about −1 … 1 learns best."
    if not source.parameters & {"next_state", "done"}:
        yield "It never looks at next_state, so it cannot tell what an action led to."
    seen = {name for call in transitions for name in call.next_state} | {"status"}
    for state, read in source.fields.items():
        for field in sorted((read or frozenset()) - seen):
            yield f"It reads {field!r} of {state}, which no sampled state has."
    for part in dict.fromkeys(name for reward in rewards for name in reward.parts):
        if all(reward.parts.get(part, 0.0) == 0.0 for reward in rewards):
            yield f"Its part {part!r} was 0 on every sampled transition."
    if us > _SLOW_US:
        yield f"It takes {us:.0f} µs a call: training will wait for it."


def _picker(source: RewardSource, state: str) -> Callable[[Mapping[str, Value]], dict[str, Value]]:
    """Choose the fields of a state that travel into the sandbox."""
    fields = source.fields[state]
    if fields is None:
        return dict
    names = tuple(sorted(fields))
    return lambda values: {name: values[name] for name in names if name in values}


def _plain(value: Any) -> Any:
    """Convert numbers of numpy and other mappings for JSON."""
    return dict(value) if isinstance(value, Mapping) else float(value)


def _kind_of(kind: object) -> str:
    """Name a type for people: "a str" for `<class 'str'>`."""
    word = str(kind).removeprefix("<class ").removesuffix(">").strip("'")
    return "None" if word == "NoneType" else f"a {word}"
