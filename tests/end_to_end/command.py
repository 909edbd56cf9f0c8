"""Runs the `pitwall` command as a person does, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from pitwall.core.paths import DataFolder


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that ended.

    Attributes:
        answer: the last line of its output, which is JSON; None where it is not.
    """

    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        lines = self.out.strip().splitlines()
        try:
            return json.loads(lines[-1]) if lines else None
        except ValueError:
            return None


def pitwall(*words: str, data: DataFolder, timeout_s: float = 100.0, **environment: str | None) -> Ran:
    """Run `pitwall WORDS …` on a data folder.

    Args:
        environment: variables to set; None unsets one.
    """
    env: dict[str, str] = {**os.environ, "PITWALL_DATA": str(data.root)}
    for name, value in environment.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value
    done = subprocess.run(
        [sys.executable, "-m", "pitwall", *words], capture_output=True, text=True, env=env, timeout=timeout_s
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)
