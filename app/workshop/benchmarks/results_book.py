"""Keeps what a long benchmark measured in a file, so that what was broken off goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pitwall.store.folder_errors import write_file


class ResultsBook:
    """Holds the outcome of each finished part by its key.

    Args:
        file: JSON; one that is not there is begun.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.facts: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.is_file() else {}

    def keep(self, key: str, facts: dict[str, Any]) -> dict[str, Any]:
        """Write one outcome down."""
        self.facts[key] = facts
        write_file(self._file, json.dumps(self.facts, indent=1))
        return facts

    def of(self, part: str, what: str) -> list[float]:
        """A figure of every outcome whose key begins with `part/`."""
        return [float(one[what]) for key, one in self.facts.items() if key.startswith(f"{part}/")]
