"""Reward functions as a training uses them: many transitions at a time, through the sandbox.

A batch of 256 costs about 6 µs a call where the function names the fields it reads by constant keys, and
some 20 µs where it does not: then whole states travel.
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
from pitwall.gsm.reward import PARAMETERS, Reward, RewardCall
from pitwall_lab.rewards.sandbox import Limits, Sandbox, SandboxFault
from pitwall_lab.rewards.source import RewardFault, RewardSource, at_line, read_source

__all__ = ["RewardCheck", "RewardFault", "RewardFunction", "check"]

MOST_PARTS = 16
MOST_REWARD = 1e6
"""Beyond it nothing can be learnt: the estimates lose the small differences that decide."""
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
_MEND = "Mend that line; the states hold the module's fields, None where one was not read."
_MENDING = {
    "None": "A field that was not read is None: test it first.",
    "ZeroDivisionError": "Test the divisor first.",
    "KeyError": "The states hold the module's fields only; read others with .get.",
    "IndexError": "Test the length first: an episode's first steps have a short history.",
}
_CALM = "Answer a finite number, or a dict of named finite numbers."


class RewardFunction:
    """A reward function in a sandbox of its own.

    It is asked with copies; lists stand for tuples. What it keeps between calls is lost when its worker is
    replaced, so it must calculate from its arguments alone (`check` finds out).

    Args:
        source: Python text with `def reward(…)` (gsm.reward).
        name: of its file, for sentences.
        limits: of each batch of 256.

    Raises:
        RewardFault: it cannot be used.
    """

    def __init__(self, source: str, *, name: str = "reward.py", limits: Limits | None = None) -> None:
        self.source: RewardSource = read_source(source, name)
        self.limits = limits or Limits()
        self._pick = [_picker(self.source, state) for state in ("prev_state", "next_state")]
        self._used = [one in self.source.parameters for one in PARAMETERS]
        try:
            self._sandbox = Sandbox(_DRIVER, source, entry=_ENTRY, limits=self.limits)
        except SandboxFault as fault:
            raise self._told(fault) from None

    @property
    def worker_pid(self) -> int | None:
        """Process id of its worker; None between two."""
        return self._sandbox.pid

    def batch(self, calls: Sequence[RewardCall]) -> list[Reward]:
        """The reward of each transition, in their order.

        Raises:
            RewardFault: it raised, ran too long, took too much, or answered something else than a reward.
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
            raise self._told(fault) from None
        try:
            answers = json.loads(text)
        except (ValueError, RecursionError):
            answers = None
        if not isinstance(answers, list) or len(answers) != len(calls):
            raise RewardFault(f"{self.source.name}: the answers of the sandbox cannot be read.", _CALM)
        return [self._reward(one, number) for number, one in enumerate(answers, start=start + 1)]

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
                what = f"it answered {len(answer)} named parts; at most {MOST_PARTS} are told apart."
            case ["name", name]:
                what = f"it answered a part named {name!s:.40}: names are texts of at most 40 characters."
            case ["part", name, kind]:
                what = f"its part {name!s:.40} is no number but {_kind_of(kind)}."
            case ["type", kind]:
                what = f"it answered {_kind_of(kind)} on transition {number}."
            case _:
                what = f"it answered something else than a number on transition {number}."
        raise RewardFault(f"{self.source.name}: {what}", _CALM)

    def _number(self, value: Any, where: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.inf
        if not math.isfinite(number) or abs(number) > MOST_REWARD:
            said = "NaN" if number != number else "inf" if math.isinf(number) else f"{number:g}"
            raise RewardFault(
                f"{self.source.name}: it answered {said} on {where}.",
                f"Keep rewards finite and small, about −1 … 1; more than {MOST_REWARD:,.0f} is refused.",
            )
        return number

    def _told(self, fault: SandboxFault) -> RewardFault:
        name, line, loop = self.source.name, fault.line, self.source.loop_line
        seconds, mib = self.limits.seconds, self.limits.memory_bytes >> 20
        match fault.kind:
            case "time":
                what = f"it ran longer than {seconds:g} s for one batch and was cut."
                fix = f"See its loop on line {loop}." if loop else "Make it a short calculation."
                line = 0
            case "memory":
                what, fix = (
                    f"it took more than {mib} MiB of memory and was cut.",
                    "Keep no big texts or lists.",
                )
            case "recursion":
                what, fix = (
                    "its calls go too deep.",
                    f"At most {self.limits.depth} calls inside one another.",
                )
            case "forbidden":
                what = f"it tried what a sandbox has not: {fault.what}."
                fix = "A reward function only calculates from its arguments."
            case "died":
                what, fix = (
                    f"its sandbox died twice: {fault.what}.",
                    "Try again; simplify it if that stays so.",
                )
            case "unsupported":
                what, fix = f"{fault.what}.", "Write it with plain functions, conditions and arithmetic."
            case _:
                what = f"{fault.what}."
                fix = next((fix for word, fix in _MENDING.items() if word in fault.what), _MEND)
        return RewardFault(f"{at_line(name, line)} {what}".replace("..", "."), fix, line=line)


class RewardCheck(BaseModel):
    """Holds the result of trying a reward function.

    Attributes:
        passed: it may be trained with.
        sentence: why not, or what was tried.
        line: where the trouble is; 0 where that is not known.
        asked, finite: sampled transitions, and how many of them it answered.
        us_per_call: microseconds, in batches.
        parts: named parts it answered, in their order.
        low, mean, high: of the totals.
        warnings: what it may well be wrong with.
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
    """Try a reward function on sampled transitions. Harms nothing, whatever it holds."""
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
    totals = [one.total for one in rewards]
    shown = RewardCheck(
        passed=True,
        sentence=f"{name}: {len(rewards)} sampled transitions answered, {us:.1f} µs a call.",
        asked=len(transitions),
        finite=len(rewards),
        us_per_call=us,
        parts=tuple(dict.fromkeys(part for one in rewards for part in one.parts)),
        low=min(totals),
        mean=math.fsum(totals) / len(totals),
        high=max(totals),
        warnings=tuple(_warnings(function.source, transitions, rewards, us)),
    )
    for number, (one, other) in enumerate(zip(rewards, again, strict=True), start=1):
        if one.total != other.total:
            said = f"{name}: asked twice about transition {number} it answered {one.total:g}, then"
            fix = "Calculate from the arguments alone, and keep nothing between calls."
            return shown.model_copy(update={"passed": False, "sentence": f"{said} {other.total:g}. {fix}"})
    return shown


def _answered(function: RewardFunction, transitions: Sequence[RewardCall]) -> int:
    """Count the transitions, one by one, that it answers before it fails or its batch's time is over."""
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
    totals = {one.total for one in rewards}
    if len(totals) == 1 and len(rewards) > 1:
        yield f"It is constant: {totals.pop():g} on every sampled transition, so it teaches nothing."
    elif max(abs(one.total) for one in rewards) > _FAR:
        yield f"It reaches {max(abs(one.total) for one in rewards):g}: about −1 … 1 learns best."
    if not source.parameters & {"next_state", "done"}:
        yield "It never looks at next_state, so it cannot tell what an action led to."
    seen = {name for call in transitions for name in call.next_state} | {"status"}
    for state, read in source.fields.items():
        for field in sorted((read or frozenset()) - seen):
            yield f"It reads {field!r} of {state}, which no sampled state has."
    for part in dict.fromkeys(name for one in rewards for name in one.parts):
        if all(one.parts.get(part, 0.0) == 0.0 for one in rewards):
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
    """Numbers of numpy and mappings of other kinds, as JSON has them."""
    return dict(value) if isinstance(value, Mapping) else float(value)


def _kind_of(kind: object) -> str:
    """`<class 'str'>` as people say it."""
    word = str(kind).removeprefix("<class ").removesuffix(">").strip("'")
    return "None" if word == "NoneType" else f"a {word}"
