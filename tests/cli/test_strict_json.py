"""Every JSON that a command prints is strict: no NaN, no Infinity, no half of a character."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pitwall.cli.options import print_json
from pitwall.store.strict_json import to_json


@dataclass
class _Figures:
    mean: float
    file: Path


class _Model(BaseModel):
    score: float


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_null(number: float, capsys: pytest.CaptureFixture[str]) -> None:
    value: dict[str, Any] = {
        "plain": number,
        "list": [1, number, {"inner": number}],
        "data": _Figures(number, Path("a")),
        "model": _Model(score=number),
        "set": {2.5},
        "text": "half \ud800",
        "yes": True,
    }
    print_json(value)
    printed = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert printed == {
        "plain": None,
        "list": [1, None, {"inner": None}],
        "data": {"mean": None, "file": "a"},
        "model": {"score": None},
        "set": [2.5],
        "text": "half \ufffd",
        "yes": True,
    }
    assert json.loads(to_json({"a": number, "b": (number,)}), parse_constant=pytest.fail) == {
        "a": None,
        "b": [None],
    }
