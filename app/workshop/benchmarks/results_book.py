"""Keeps the results of a long benchmark in a file, so that an interrupted one continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pitwall.store.folder_errors import write_file


class ResultsBook:
    """The outcome of each finished part by its key.

    Args:
        file: JSON; created if it does not exist.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.facts: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.is_file() else {}

    def keep(self, key: str, facts: dict[str, Any]) -> dict[str, Any]:
        """Write one outcome."""
        self.facts[key] = facts
        write_file(self._file, json.dumps(self.facts, indent=1))
        return facts

    def of(self, part: str, figure: str) -> list[float]:
        """Return a figure of every outcome whose key begins with `part/`."""
        return [float(fact[figure]) for key, fact in self.facts.items() if key.startswith(f"{part}/")]
