"""The operator's own suites as files: `suites/NAME.yaml` of the data folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import yaml

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.store.folder_errors import folder_error
from pitwall_bench.suites.catalogue import SuiteFile
from pitwall_bench.suites.spec import SuiteSpec
from pitwall_bench.suites.yaml_edit import with_key
from pitwall_bench.suites.yaml_text import keys_of

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
NEW_SUITE = """# A suite: tasks × agents × seeds × repeats. Tick what it plays at the right.
schema: 1
name: my-suite
games:
  - {game: flappy, tasks: all}
agents:
  - {name: skills, kind: skills}
  - {name: random, kind: random}
seeds: [1]
repeats: 1
parallel: 1
protocol: real-time
"""
"""Text that a new suite begins with."""


class OwnSuites:
    """Writes the operator's suites; never over another suite or a bundled one."""

    def __init__(self, data: DataFolder) -> None:
        self._folder = data.suites

    def add(self, text: str) -> Path:
        """Write a new suite under its name, or the next free similar name.

        Raises:
            PitwallError: it cannot be written.
        """
        path = self._free(_name_of(text) or "suite")
        self._write(path, _named(text, path.stem))
        return path

    def save(self, file: SuiteFile, text: str) -> tuple[Path, str]:
        """Write a suite's text to its own file; for a bundled suite, to a copy under a free name.

        Returns:
            The file, and its text: a copy is named after its file.

        Raises:
            PitwallError: it cannot be written.
        """
        if file.source == "own":
            self._write(file.path, text)
            return file.path, text
        path = self._free(_name_of(text) or file.path.stem, taken=(file.path.stem,))
        text = _named(text, path.stem)
        self._write(path, text)
        return path, text

    def _free(self, name: str, taken: tuple[str, ...] = ()) -> Path:
        number, path = 1, self._folder / f"{name}.yaml"
        while path.exists() or path.stem in taken:
            number += 1
            path = self._folder / f"{name}-{number}.yaml"
        return path

    def _write(self, path: Path, text: str) -> None:
        aside = path.with_name(f".{path.name}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(text, encoding="utf-8")
            aside.replace(path)
        except OSError as error:
            raise PitwallError(
                f"{path} cannot be written: {error.strerror}.", "Free some room, or change its rights."
            ) from error


def _name_of(text: str) -> str:
    keys = keys_of(text) or {}
    name = keys.get("name")
    return _NOT_IN_NAMES.sub("-", name).strip("-.") if isinstance(name, str) else ""


def _named(text: str, name: str) -> str:
    return text if _name_of(text) == name else with_key(text, "name", name)


def write_task_suite(folder: Path, game: str, task: str, seed: int, *, other: str = "same") -> Path:
    """Write the suite of one task for a person to a hidden file of `folder`, replacing the last one.

    Args:
        other: who plays the other side of a task for two.

    Raises:
        OSError: it cannot be written.
    """
    suite: dict[str, Any] = {
        "schema": 1,
        "name": f"you-{game}-{task}",
        "description": "A task played by a person.",
        "games": [{"game": game, "tasks": [task]}],
        "agents": [{"name": "person", "kind": "person", "other": other}],
        "seeds": [seed],
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / ".yourself.yaml"
    file.write_text(yaml.safe_dump(suite, sort_keys=False), encoding="utf-8")
    return file


def write_suite(suite: SuiteSpec, data: DataFolder) -> Path:
    """Write a study's suite as a file of the operator's own, which `pitwall suite run` plays as well.

    Its first line holds the hash of the rest, so that a file which the operator wrote or changed is known.

    Raises:
        PitwallError: a suite of this name is there that no study wrote; or the file cannot be written.
    """
    file = data.suites / f"{suite.name}.yaml"
    body = yaml.safe_dump(
        suite.model_dump(mode="json", by_alias=True, exclude_defaults=True), sort_keys=False
    )
    text = f"schema: 1\n{body}"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and not _by_study(former := file.read_text("utf-8", "replace")) and former != text:
            raise PitwallError(
                f"the suite {suite.name!r} is your own: the study would write over {file}.",
                "Give the study another name with --as, or rename your file.",
            )
        file.write_text(f"{_mark(text)}{text}", encoding="utf-8")
    except OSError as error:
        raise folder_error(error, file) from error
    return file


def _mark(text: str) -> str:
    return f"# Written by a study: {hashlib.sha256(text.encode()).hexdigest()[:16]}\n"


def _by_study(text: str) -> bool:
    """Return whether a study wrote a file's text, and nobody changed it since."""
    first, _, rest = text.partition("\n")
    return f"{first}\n" == _mark(rest)
