"""Puts the commit that a wheel is built from into it, for `pitwall --version`."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommitHook(BuildHookInterface[Any]):
    """Adds `pitwall/bundled/build.txt` where the source is a checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See hatchling; `version` is the wheel's kind: an editable one asks the checkout itself."""
        command = ["git", "-C", self.root, "rev-parse", "--short", "HEAD"]
        try:
            commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return
        if version == "editable":
            return
        self._aside = tempfile.TemporaryDirectory()
        file = Path(self._aside.name) / "build.txt"
        file.write_text(commit + "\n", encoding="ascii")
        build_data["force_include"][str(file)] = "pitwall/bundled/build.txt"
