"""Prints the requirements of a first start: the project's dependencies without those of the components.

    python3 installer/base.py | pip install -r /dev/stdin -c installer/constraints.txt

With names of extras (`installer/base.py dev,train`) it prints their packages instead, without llama.cpp.
Only the standard library is there when it runs.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COMPONENTS = ROOT / "app" / "pitwall" / "store" / "components.py"


def first_requirements() -> list[str]:
    """Return the dependencies that no component brings."""
    later = {normal_name(name) for name in later_packages()}
    return [
        item for item in project()["dependencies"] if normal_name(re.split(r"[^\w.-]", item)[0]) not in later
    ]


def extra_requirements(extras: list[str]) -> list[str]:
    """Return the packages of extras without llama.cpp, which is compiled meanwhile."""
    optional = project()["optional-dependencies"]
    return [item for extra in extras for item in optional[extra] if not item.startswith("llama-cpp-python")]


def project() -> dict[str, Any]:
    """Return the table [project] of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def later_packages() -> set[str]:
    """Return the packages that the components bring, read off their source without importing it."""
    result: set[str] = set()
    for node in ast.walk(ast.parse(COMPONENTS.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in ("packages", "alone"):
            result |= set(ast.literal_eval(node.value))
    return result


def normal_name(name: str) -> str:
    """Write a distribution's name in its one normal form."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    wanted = extra_requirements(sys.argv[1].split(",")) if len(sys.argv) > 1 else first_requirements()
    sys.stdout.write("\n".join(wanted) + "\n")
