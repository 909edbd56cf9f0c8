"""Reads `plugin.toml` without running any code of the game's folder, and reports all of its faults."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile, Fault, ManifestError
from pitwall.core.validation import faults_of
from pitwall.games.schema.plugin_table import profile_model
from pitwall.games.schema.profile import Profile

MANIFEST = "plugin.toml"
SCHEMA = 1
"""Newest version of the `plugin.toml` format that this Pitwall reads."""
_MOST_BYTES = 1_000_000


def load_profile(folder: Path) -> Profile:
    """Read the profile of a game's folder.

    Raises:
        ManifestError: with every fault of types and names; `checks.folder.check_game` checks more.
    """
    file = folder / MANIFEST
    return _profile(file, _read(file))


@functools.lru_cache(maxsize=1024)
def _profile(file: Path, text: str) -> Profile:
    """Read a profile of a manifest's text, cached because every list of games reads all manifests."""
    table = _table(file, text)
    _check_schema(file, table)
    try:
        return profile_model().model_validate(table)
    except ValidationError as error:
        faults = list(faults_of(error, file, model=profile_model(), document=table))
        raise ManifestError(str(file), faults) from None


def _check_schema(file: Path, table: dict[str, Any]) -> None:
    """Refuse a manifest for a newer Pitwall without looking at its other keys, which may be new too."""
    version = table.get("schema")
    if type(version) is int and version > SCHEMA:
        problem = f"is {version}: the folder was written for a newer Pitwall"
        expected = f"{SCHEMA} at most; update Pitwall, or take an older version of the game's folder"
        raise ManifestError(
            str(file), [Fault(file=str(file), key="schema", problem=problem, expected=expected)]
        )


def manifest_hash(folder: Path) -> str:
    """Return the SHA-256 of the manifest, hexadecimal; raises as `load_profile`."""
    return hashlib.sha256(_read(folder / MANIFEST).encode()).hexdigest()


def read_table(file: Path) -> dict[str, Any]:
    """Read the plain values of a manifest, unchecked.

    Raises:
        ManifestError: it is no file, no UTF-8 or no TOML.
    """
    return _table(file, _read(file))


def _read(file: Path) -> str:
    try:
        return read_text(file, most_bytes=_MOST_BYTES)
    except FileNotFoundError:
        missing = DamagedFile(file, "is not there", expected="a game's folder with a plugin.toml")
        raise _broken(missing) from None
    except DamagedFile as error:
        raise _broken(error) from None


def _table(file: Path, text: str) -> dict[str, Any]:
    try:
        return parse_toml(text, file)
    except DamagedFile as error:
        raise _broken(error) from None


def _broken(error: DamagedFile) -> ManifestError:
    file = str(error.file)
    fault = Fault(file=file, key="file", problem=error.problem, expected=error.expected, line=error.line)
    return ManifestError(file, [fault])
