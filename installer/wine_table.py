"""Prints what came of the tests under Wine, by room; its status is 1 where one failed or is missing.

python installer/wine_table.py FOLDER ROOM...           # the table
python installer/wine_table.py FOLDER --passed FILE     # whether this room's result is there, with no failure
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree


class Result(NamedTuple):
    """What came of one room: names of what failed, causes of what was skipped."""

    commit: str
    passed: int
    skipped: list[str]
    failed: list[str]


def read(file: Path) -> Result | None:
    """Read the JUnit file that pytest wrote; None where there is none, or half a one."""
    try:
        (suite,) = ElementTree.parse(file).getroot().iter("testsuite")
    except (OSError, ValueError, ElementTree.ParseError):
        return None
    skipped, failed, passed = [], [], 0
    for case in suite.iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        if (skip := case.find("skipped")) is not None:
            text = skip.get("message", "")
            if text == "collection skipped":  # a whole module: its text has file, line, cause
                text = str(ast.literal_eval(skip.text or "")[2])
            skipped.append(text.removeprefix("Skipped: "))
        elif case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        else:
            passed += 1
    return Result(suite.get("name", ""), passed, skipped, failed)


def main(folder: Path, rooms: list[str]) -> int:
    """Print a row for each room, the causes of what was skipped, and what failed."""
    results = {room: read(folder / f"{room.replace('/', '.')}.xml") for room in rooms}
    _say(f"{'room':28}{'run':>6}{'passed':>8}{'skipped':>9}{'failed':>8}  commit")
    total = Counter[str]()
    causes, failed = Counter[str](), list[str]()
    for room, result in results.items():
        if result is None:
            _say(f"{room:28}{'no result':>15}")
            failed.append(f"{room}: no result")
            continue
        counts = Counter(passed=result.passed, skipped=len(result.skipped), failed=len(result.failed))
        total += counts
        causes.update(result.skipped)
        failed += result.failed
        _say(f"{_row(room, counts)}  {result.commit}")
    _say(_row("all", total))
    for cause, count in causes.most_common():
        _say(f"skipped {count:4}: {cause}")
    for name in failed:
        _say(f"failed: {name}")
    return 1 if failed else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _row(name: str, counts: Counter[str]) -> str:
    run = counts["passed"] + counts["failed"]
    return f"{name:28}{run:6}{counts['passed']:8}{counts['skipped']:9}{counts['failed']:8}"


if __name__ == "__main__":
    where, *words = sys.argv[1:]
    if words[:1] == ["--passed"]:
        kept = read(Path(words[1]))
        sys.exit(0 if kept and not kept.failed else 1)
    sys.exit(main(Path(where), words))
