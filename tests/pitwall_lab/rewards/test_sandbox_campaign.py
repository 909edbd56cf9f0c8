"""Hostile reward functions, one by one: none harms, and each is told about in a sentence."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pitwall_lab.rewards.reward_function import RewardFault, RewardFunction
from pitwall_lab.rewards.sandbox import Limits
from workshop.benchmarks.gsm.reward_calls import HEAD, body, calls

TIGHT = Limits(seconds=0.25, memory_bytes=16 << 20, depth=60)
MARK = "pitwall_sandbox_was_here"

REFUSED_UNREAD = {
    "import os": "import os\n" + body("return 1.0"),
    "import inside": body("import socket\nreturn 1.0"),
    "from import": body("from subprocess import run\nreturn 1.0"),
    "relative import": body("from . import versions\nreturn 1.0"),
    "import as": "import ctypes as math\n" + body("return 1.0"),
    "import submodule": "import collections.abc\n" + body("return 1.0"),
    "import sys": body("import sys\nsys.exit(0)\nreturn 1.0"),
    "import dunder": body("return __import__('os').system('id')"),
    "open read": body("return float(len(open('/etc/passwd').read()))"),
    "open write": body(f"open('/tmp/{MARK}', 'w').write('x')\nreturn 1.0"),
    "open renamed": body("o = open\nreturn float(len(o('/etc/passwd').read()))"),
    "eval": body("return eval('1.0')"),
    "exec": body("exec('import os')\nreturn 1.0"),
    "compile": body("return compile('1', 'x', 'eval')"),
    "getattr walk": body("return getattr((), '__cl' + 'ass__')"),
    "class walk": body("return ().__class__.__bases__[0].__subclasses__()"),
    "globals by dunder": body("return reward.__globals__"),
    "builtins": body("return __builtins__"),
    "code object": body("reward.__code__ = None\nreturn 1.0"),
    "defaults": body("reward.__defaults__ = ()\nreturn 1.0"),
    "globals call": body("return globals()"),
    "locals call": body("return locals()"),
    "vars": body("return vars(next_state)"),
    "input": body("return float(input())"),
    "breakpoint": body("breakpoint()\nreturn 1.0"),
    "print flood": body("while True:\n    print('x' * 1000)\nreturn 1.0"),
    "driver taken over": body("return _pitwall_drive"),
    "driver replaced": "def _pitwall_drive(text):\n    return '[]'\n" + body("return 1.0"),
    "global": "count = 0\n" + body("global count\ncount += 1\nreturn float(count)"),
    "nonlocal": body("n = 0\ndef inner():\n    nonlocal n\n    n += 1\n    return n\nreturn float(inner())"),
    "generator": body("yield 1.0\nreturn 1.0"),
    "async": "async " + body("return 1.0"),
    "class": "class A:\n    def __del__(self):\n        pass\n" + body("return 1.0"),
    "class inside": body("class A:\n    pass\nreturn 1.0"),
    "loop at the top": "while True:\n    pass\n" + body("return 1.0"),
    "call at the top": "[].append(1)\n" + body("return 1.0"),
    "value at the end": body("return 1.0") + "\n[1, 2]\n",
    "too few parameters": "def reward(prev_state, next_state):\n    return 1.0\n",
    "star parameters": "def reward(*args):\n    return 1.0\n",
    "renamed parameter": HEAD.replace("step_time", "time") + "    return 1.0\n",
    "lambda": "reward = lambda *a: 1.0\n",
    "no function": "x = 1\n",
    "nothing returned": body("pass"),
    "empty": "",
    "syntax": "def reward(:\n",
    "prose": "Sure! Here is your reward function.",
    "nul": body("return 1.0") + "\0",
    "half a character": body("return 1.0") + "# \ud800",
    "very long": body("return 1.0") + "#" * 30_000,
    "deep brackets": body("return " + "(" * 5000 + "1.0" + ")" * 5000),
    "deep minus": body("return " + "-" * 15_000 + "1.0"),
    "deep attributes": body("return next_state" + ".a" * 6000),
}
STOPPED_AT_WORK = {
    "endless loop": body("while True:\n    pass\nreturn 1.0"),
    "endless loop that catches": body(
        "while True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass\nreturn 1.0"
    ),
    "endless for": body("x = [1]\nfor y in x:\n    x.append(y)\nreturn 1.0"),
    "long sum": body("return float(sum(range(10 ** 9)))"),
    "time bomb in the constants": "x = sum(range(10 ** 9))\n" + body("return 1.0"),
    "late time bomb": body("if step > 15:\n    while True:\n        pass\nreturn 1.0"),
    "finally that stays": body("try:\n    return 1.0\nfinally:\n    while True:\n        pass\n"),
    "huge text": body("return float(len('x' * 10 ** 10))"),
    "growing text": body("x = 'x'\nwhile True:\n    x = x + x\nreturn 1.0"),
    "huge list": body("return float(len([0] * 10 ** 9))"),
    "list of a range": body("return float(len(list(range(10 ** 9))))"),
    "huge power": body("return float(2 ** 10 ** 9)"),
    "power tower": body("return 9 ** 9 ** 9 ** 9"),
    "huge shift": body("return float(1 << 10 ** 10)"),
    "huge format": body("return float(len('%1000000000d' % 1))"),
    "huge brace format": body("return float(len('{:>1000000000}'.format(1)))"),
    "format walk": body("return float('{0.__class__.__mro__}'.format(next_state))"),
    "format to a file": body("return '{0.__globals__}'.format(reward)"),
    "digits of a number": body("return float(len(str(7 ** 100_000)))"),
    "memory at the start": "x = 'x' * 10 ** 9\n" + body("return 1.0"),
    "memory kept": "kept = []\n" + body("kept.append('x' * 2_000_000)\nreturn 1.0"),
    "recursion": body("return reward(" + ", ".join(["1"] * 9) + ")"),
    "recursion of two": ("def a():\n    return b()\ndef b():\n    return a()\n" + body("return a()")),
    "recursive lambda": "f = lambda n: f(n + 1)\n" + body("return f(0)"),
    "doubling lists": body("x = []\nfor _ in range(60):\n    x = [x, x]\nreturn x"),
    "doubling lists as a part": body("x = []\nfor _ in range(60):\n    x = [x, x]\nreturn {'a': x}"),
    "doubling dicts": body("x = {}\nfor _ in range(60):\n    x = {'a': x, 'b': x}\nreturn x"),
    "itself": body("x = []\nx.append(x)\nreturn x"),
    "itself as a dict": body("x = {}\nx['x'] = x\nreturn x"),
    "endless product": "import itertools\n" + body("return float(len(list(itertools.count())))"),
    "product of many": (
        "import itertools\n" + body("return float(len(list(itertools.product(range(99), repeat=9))))")
    ),
    "slow regular": "import functools\n"
    + body("return functools.reduce(lambda a, b: a * 99999 ** 999, range(10 ** 6), 1)"),
    "type shadowed": "def type(x):\n    return float\n" + body("return 'text'"),
    "len shadowed": "def len(x):\n    return 0\n" + body("return 'text'"),
    "str shadowed": "def str(x):\n    return []\n" + body("return [1]"),
    "reward replaced": body("return 1.0") + "reward = 5\n",
    "none": body("return None"),
    "text": body("return '1.0'"),
    "list": body("return [1.0]"),
    "truth": body("return next_state['bird_y'] > 1"),
    "nan": body("return float('nan')"),
    "inf": body("return 1e308 * 10"),
    "minus inf in a part": body("return {'a': 1.0, 'b': -float('inf')}"),
    "huge whole number": body("return 10 ** 400"),
    "too big": body("return 1e300"),
    "complex": body("return 1j"),
    "function": body("return reward"),
    "part is a text": body("return {'a': 'b'}"),
    "part is none": body("return {'a': None}"),
    "name is a number": body("return {1: 1.0}"),
    "name is a novel": body("return {'a' * 5000: 1.0}"),
    "many parts": body("return {str(n): 1.0 for n in range(1000)}"),
    "division": body("return 1.0 / 0"),
    "unread field": body("return next_state['score'] * 1.0"),
    "unknown field": body("return next_state['altitude'] * 1.0"),
    "raise": body("raise ValueError('x' * 10 ** 6)\nreturn 1.0"),
    "raise the end": body("raise SystemExit(0)\nreturn 1.0"),
    "raise an interrupt": body("raise KeyboardInterrupt\nreturn 1.0"),
    "raise a fake limit": body("raise TimeoutError('feed time limit exceeded')\nreturn 1.0"),
    "assert": body("assert False, 'x'\nreturn 1.0"),
    "unknown name": body("return os.getpid()"),
    "host names": body("return _pitwal_text"),
    "unpack": body("a, b = 1\nreturn 1.0"),
    "with": body("with next_state:\n    return 1.0"),
    "delete": body("del reward\nreturn 1.0"),
}


def test_there_are_many() -> None:
    assert len(REFUSED_UNREAD) + len(STOPPED_AT_WORK) >= 60


@pytest.mark.parametrize("source", REFUSED_UNREAD.values(), ids=REFUSED_UNREAD)
def test_refused_before_it_runs(source: str) -> None:
    with pytest.raises(RewardFault) as caught:
        RewardFunction(source, name="hostile.py", limits=TIGHT)
    _tells(caught.value)
    assert not Path("/tmp", MARK).exists()


@pytest.mark.parametrize("source", STOPPED_AT_WORK.values(), ids=STOPPED_AT_WORK)
def test_stopped_at_work(source: str) -> None:
    began = time.monotonic()
    with (
        pytest.raises(RewardFault) as caught,
        RewardFunction(source, name="hostile.py", limits=TIGHT) as item,
    ):
        item.batch(calls())
    _tells(caught.value)
    assert time.monotonic() - began < 30, "cut by its own limit, not by patience"


def test_a_good_one_runs_after_a_bad_one() -> None:
    """What was cut leaves nothing behind in the same object."""
    with RewardFunction(body("while step == 3:\n    pass\nreturn 0.5"), limits=TIGHT) as item:
        for _ in range(2):
            with pytest.raises(RewardFault, match="line 2"):
                item.batch(calls(5))
            assert [reward.total for reward in item.batch(calls(2))] == [0.5, 0.5]


def test_no_worker_stays() -> None:
    item = RewardFunction(body("return 0.5"), limits=TIGHT)
    pid = item.worker_pid
    assert pid is not None
    os.kill(pid, 0)
    item.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def _tells(fault: RewardFault) -> None:
    text = str(fault)
    assert text.startswith("hostile.py")
    assert text.endswith((".", ":"))
    assert len(text) < 700
    assert "\n" not in text
    assert "Traceback" not in text
