"""Reads `plugin.toml` without running anything of the game's folder; every fault at once."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pitwall.core.bounded_reading import parse_toml, read_text
from pitwall.core.errors import DamagedFile, Fault, ManifestError, nearest
from pitwall.games.schema.profile import Profile

MANIFEST = "plugin.toml"
SCHEMA = 1
"""The newest form of `plugin.toml` that is read here."""
_MOST_BYTES = 1_000_000


def load_profile(folder: Path) -> Profile:
    """The profile of a game's folder.

    Raises:
        ManifestError: with every fault of types and names; `check.check_game` looks further.
    """
    file = folder / MANIFEST
    return _profile(file, _read(file))


@functools.lru_cache(maxsize=1024)
def _profile(file: Path, text: str) -> Profile:
    """Read a profile from a manifest's text, cached: listing games reads all, and most did not change."""
    table = _table(file, text)
    _check_schema(file, table)
    try:
        return Profile.model_validate(table)
    except ValidationError as error:
        raise ManifestError(str(file), faults_of(file, error)) from None


def _check_schema(file: Path, table: dict[str, Any]) -> None:
    """Refuse a manifest for a newer Pitwall by that alone: what else it may say is not known here."""
    found = table.get("schema")
    if type(found) is int and found > SCHEMA:
        problem = f"is {found}: the folder was written for a newer Pitwall"
        expected = f"{SCHEMA} at most; update Pitwall, or take an older version of the game's folder"
        raise ManifestError(
            str(file), [Fault(file=str(file), key="schema", problem=problem, expected=expected)]
        )


def manifest_hash(folder: Path) -> str:
    """SHA-256 of the manifest, hexadecimal; raises as `load_profile`."""
    return hashlib.sha256(_read(folder / MANIFEST).encode()).hexdigest()


def faults_of(file: Path, error: ValidationError) -> list[Fault]:
    """A validation's errors as faults, each with its key and the nearest valid name."""
    return [_fault(file, detail) for detail in error.errors()]


def read_table(file: Path) -> dict[str, Any]:
    """A manifest as TOML has it, unchecked.

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


def _fault(file: Path, detail: Any) -> Fault:
    location = list(detail["loc"])
    key = _key(location)
    kind = detail["type"]
    if kind == "extra_forbidden":
        options = _names_at(location[:-1])
        near = nearest(str(location[-1]), options)
        expected = f"one of {', '.join(sorted(options))}" if options and not near else ""
        return Fault(file=str(file), key=key, problem="no such key", expected=expected, nearest=near)
    if kind == "missing":
        return Fault(file=str(file), key=key, problem="is missing", expected="a value")
    context = detail.get("ctx") or {}
    if kind == "union_tag_invalid":
        tags = str(context["expected_tags"]).replace("'", "")
        near = nearest(str(context["tag"]), tags.split(", "))
        return Fault(
            file=str(file),
            key=f"{key}.kind",
            problem=_found(context["tag"]),
            expected=tags,
            nearest=near,
        )
    if kind == "union_tag_not_found":
        return Fault(file=str(file), key=f"{key}.kind", problem="is missing", expected="a value")
    choices = [
        part.strip().strip("'") for part in str(context.get("expected", "")).replace(" or ", ", ").split(",")
    ]
    near = nearest(str(detail.get("input")), choices) if kind in ("literal_error", "enum") else ""
    return Fault(
        file=str(file), key=key, problem=_found(detail.get("input")), expected=_wanted(detail), nearest=near
    )


def _found(value: Any) -> str:
    found = repr(value)
    return f"found {found if len(found) <= 60 else found[:57] + '…'}"


def _wanted(detail: Any) -> str:
    message = str(detail["msg"])
    for start in ("Input should be ", "Value error, ", "Input tag "):
        message = message.removeprefix(start)
    return message


def _key(location: list[Any]) -> str:
    """The key as the manifest has it: without the names that a union's choices have (bar, tuple[…])."""
    text = ""
    for at, part in enumerate(location):
        if (at == 2 and location[0] in ("fields", "detectors") and len(location) > 3) or "[" in str(part):
            continue
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "file"


def _names_at(location: list[Any]) -> set[str]:
    """Keys that a table at this place may have."""
    tables: list[type[BaseModel]] = [Profile]
    for part in (str(part) for part in location if isinstance(part, str)):
        tagged = [table for table in tables if _tag(table) == part]
        under = [inner for table in tables for inner in _tables_under(table, part)]
        tables = tagged or under or tables  # a name of the author's own, of a parameter say: stay
    return {field.alias or name for table in tables for name, field in table.model_fields.items()}


def _tag(table: type[BaseModel]) -> str:
    """The kind that a table of a union stands for ("bar", "digits"); empty for others."""
    kind = table.model_fields.get("kind")
    choices = get_args(kind.annotation) if kind is not None else ()
    return str(choices[0]) if len(choices) == 1 else ""


def _tables_under(table: type[BaseModel], name: str) -> list[type[BaseModel]]:
    for field_name, field in table.model_fields.items():
        if name in (field_name, field.alias):
            return _tables_in(field.annotation)
    return []


def _tables_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for part in get_args(annotation) for table in _tables_in(part)]
