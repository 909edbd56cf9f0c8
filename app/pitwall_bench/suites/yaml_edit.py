"""Changes one key of a suite's YAML, and leaves the rest of the text unchanged, comments too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from pitwall.core.errors import Fault, PitwallError, SuiteError
from pitwall.core.paths import DataFolder
from pitwall_bench.suites.plan import Plan
from pitwall_bench.suites.reading import read_text
from pitwall_bench.suites.yaml_text import YamlText

_TOP = re.compile(r"^([A-Za-z_][\w-]*)\s*:")
_WIDTH = 96


def with_key(text: str, key: str, value: Any) -> str:
    """Return the text with one top-level key set; None removes the key. Other lines stay unchanged.

    Args:
        value: plain lists, tables, numbers and words.
    """
    lines = text.splitlines()
    block = _block(lines, key)
    new = [] if value is None else _dumped(key, value)
    if block is None:
        return "\n".join([*_stripped(lines), *new]) + "\n"
    first, end = block
    return "\n".join([*lines[:first], *new, *lines[end:]]) + "\n"


def parse_seeds(text: str) -> list[int] | dict[str, int] | None:
    """Parse the operator's seeds: "1, 2, 5" or "1 … 20" (also "1-20"); None: they are neither."""
    match = re.fullmatch(r"\s*(\d+)\s*(?:…|\.\.\.?|-|–)\s*(\d+)\s*", text)
    if match:
        first, last = int(match[1]), int(match[2])
        return {"first": first, "count": last - first + 1} if last >= first else None
    parts = [part for part in re.split(r"[,\s]+", text.strip()) if part]
    return [int(part) for part in parts] if parts and all(part.isdecimal() for part in parts) else None


def seeds_text(seeds: Any) -> str:
    """Format a file's seeds in the same way."""
    if isinstance(seeds, Mapping):
        first, count = seeds.get("first", 1), seeds.get("count", 1)
        known = isinstance(first, int) and isinstance(count, int)
        return f"{first} … {first + count - 1}" if known and count > 1 else f"{first}" if known else ""
    return ", ".join(str(seed) for seed in seeds) if isinstance(seeds, list) else "1"


def checked(text: str, file: Path, data: DataFolder) -> Plan | tuple[Fault, ...]:
    """Return a suite's plan, or every fault of its text, as `pitwall suite check` does for a file."""
    try:
        return read_text(YamlText(str(file), text), file, data)
    except SuiteError as error:
        return error.faults
    except PitwallError as error:
        return (Fault(file=str(file), key="", problem=str(error)),)


def count_runs(plan: Plan) -> int:
    """Count a plan's runs; for climbs, the most that they can take."""
    climbs = sum(climb.attempts for climb in plan.climbs(0))
    return plan.spec.repeats * (len(plan.cells(0)) + climbs)


def _block(lines: list[str], key: str) -> tuple[int, int] | None:
    """Return the lines from a key to the end of its value; comments before the next key are not in it."""
    first = next((at for at, line in enumerate(lines) if (top := _TOP.match(line)) and top[1] == key), None)
    if first is None:
        return None
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t#-"):
        end += 1
    while end > first + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return first, end


def _stripped(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _dumped(key: str, value: Any) -> list[str]:
    text: str
    if isinstance(value, list) and all(isinstance(item, int | float | str) for item in value):
        text = yaml.safe_dump({key: value}, default_flow_style=None, allow_unicode=True, width=_WIDTH)
    elif isinstance(value, list):
        items = [
            yaml.safe_dump(item, default_flow_style=True, allow_unicode=True, width=1000) for item in value
        ]
        return [f"{key}:", *(f"  - {item.strip()}" for item in items)]
    else:
        flow = isinstance(value, Mapping)
        text = yaml.safe_dump({key: value}, default_flow_style=None if flow else False, allow_unicode=True)
    return text.rstrip("\n").split("\n")
