"""Reward code: programs of hostile pieces; each pays finite rewards or fails with one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall_lab.rewards.reward_function import RewardFault, RewardFunction
from pitwall_lab.rewards.sandbox import Limits
from workshop.benchmarks.gsm.reward_calls import HEAD, calls
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial

_TIGHT = Limits(seconds=0.25, memory_bytes=16 << 20, depth=60)
_VALUES = (
    "1.0",
    "next_state['bird_y']",
    "next_state['score']",
    "float('nan')",
    "10 ** 400",
    "9 ** 9 ** 9",
    "1 << 10 ** 9",
    "'x' * 10 ** 9",
    "[0] * 10 ** 8",
    "sum(range(10 ** 9))",
    "len(sorted(range(10 ** 6), key=lambda v: -v))",
    "sorted(range(10 ** 5), key=lambda v: str(v) * 50)[0]",
    "'{0.__class__.__mro__}'.format(next_state)",
    "'%1000000000d' % 1",
    "open('{mark}', 'w').write('x')",
    "__import__('os').system('touch {mark}')",
    "getattr((), '__cl' + 'ass__')",
    "().__class__.__bases__[0].__subclasses__()",
    "eval('1.0')",
    "reward.__globals__",
    "action_history[-1]",
    "{n: n for n in range(10 ** 6)}",
    "[[x, x] for x in range(300) for y in range(300)]",
    "max(map(abs, action_history))",
)
_STATEMENTS = (
    "x = {value}",
    "x = [{value}, {value}]",
    "while True:\n    x = {value}",
    "while step > 15:\n    pass",
    "for y in range(10 ** 7):\n    x = y * y",
    "x = [1]\nfor y in x:\n    x.append({value})",
    "x = []\nfor _ in range(60):\n    x = [x, x]",
    "try:\n    x = {value}\nexcept BaseException:\n    pass",
    "try:\n    while True:\n        pass\nexcept BaseException:\n    x = 1",
    "def f(n):\n    return f(n + 1)\nx = f(0)",
    "raise ValueError('x' * 10 ** 6)",
    "raise SystemExit(0)",
    "import os",
    "from . import versions",
    "global x\nx = {value}",
    "print('x' * 10_000)",
    "assert {value}",
    "if done:\n    x = {value}",
    "x, y = {value}",
    "del next_state",
    "pass",
)
_RETURNS = ("return {value}", "return {{'a': {value}, 'b': 1.0}}", "return x", "return 0.5", "yield {value}")


@contextmanager
def _rig(_shared: Path) -> Iterator[Trial]:
    yield _trial


def _trial(case: Case) -> str:
    mark, source = case.folder / "mark", _program(case)
    try:
        with RewardFunction(source, name="hostile.py", limits=_TIGHT) as reward:
            paid = reward.batch(calls())
    except RewardFault as fault:
        sentence = str(fault)
        if (
            not sentence.startswith("hostile.py")
            or "\n" in sentence
            or "Traceback" in sentence
            or len(sentence) > 700
        ):
            raise FellShort(f"it is told as {sentence[:300]!r}: {source!r}") from None
        paid = []
    if mark.exists():
        raise FellShort(f"it wrote a file: {source!r}")
    if not all(math.isfinite(reward.total) for reward in paid):
        raise FellShort(f"it pays {[reward.total for reward in paid][:5]}: {source!r}")
    return "pays" if paid else "refused"


def _program(case: Case) -> str:
    """Write a reward function of up to four hostile statements and a return."""
    pick = case.chance.choice
    lines = [pick(_STATEMENTS) for _ in range(case.chance.randrange(4))] + [pick(_RETURNS)]
    while any("{value}" in line for line in lines):
        lines = [line.replace("{value}", pick(_VALUES), 1) for line in lines]
    text = "\n".join(lines).replace("{mark}", str(case.folder / "mark")).replace("{{", "{").replace("}}", "}")
    return HEAD + "".join(f"    {line}\n" for line in text.splitlines())


CAMPAIGN = Campaign(
    tries="a reward function of hostile pieces runs on an episode: its rewards are finite, or it is cut off "
    "and told in one sentence, within a minute; it reaches no file",
    rig=_rig,
)
