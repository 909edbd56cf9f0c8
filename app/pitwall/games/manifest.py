"""Reads `plugin.toml` without running anything of the game's folder; every fault at once."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pitwall.core.errors import Fault, ManifestError, nearest
from pitwall.games.profile import Profile

MANIFEST = "plugin.toml"
_MOST_BYTES = 1_000_000


def load_profile(folder: Path) -> Profile:
    """The profile of a game's folder.

    Raises:
        ManifestError: with every fault of types and names; `check.check_game` looks further.
    """
    file = folder / MANIFEST
    try:
        return Profile.model_validate(_table(file))
    except ValidationError as error:
        raise ManifestError(str(file), faults_of(file, error)) from None


def manifest_hash(folder: Path) -> str:
    """SHA-256 of the manifest, hexadecimal."""
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()


def faults_of(file: Path, error: ValidationError) -> list[Fault]:
    """A validation's errors as faults, each with its key and the nearest valid name."""
    return [_fault(file, detail) for detail in error.errors()]


def _table(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
        if len(data) > _MOST_BYTES:
            raise _broken(file, "", f"holds {len(data)} bytes", f"at most {_MOST_BYTES}")
        return tomllib.loads(data.decode("utf-8"))
    except FileNotFoundError:
        raise _broken(file, "", "is not there", "a game's folder with a plugin.toml") from None
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _broken(file, f"line {line}", "is not UTF-8", "text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise _broken(file, "", f"does not parse: {error}", "TOML") from None
    except OSError as error:
        raise _broken(file, "", f"cannot be read: {error.strerror}", "a readable file") from None


def _broken(file: Path, key: str, problem: str, expected: str) -> ManifestError:
    return ManifestError(
        str(file), [Fault(file=str(file), key=key or "file", problem=problem, expected=expected)]
    )


def _fault(file: Path, detail: Any) -> Fault:
    location = [part for part in detail["loc"] if not str(part).startswith("function-")]
    key = _key(location)
    kind = detail["type"]
    if kind == "extra_forbidden":
        options = _names_at(location[:-1])
        near = nearest(str(location[-1]), options)
        expected = f"one of {', '.join(sorted(options))}" if options and not near else ""
        return Fault(file=str(file), key=key, problem="no such key", expected=expected, nearest=near)
    if kind == "missing":
        return Fault(file=str(file), key=key, problem="is missing", expected="a value")
    found = repr(detail.get("input"))
    problem = f"found {found if len(found) <= 60 else found[:57] + '…'}"
    context = detail.get("ctx") or {}
    choices = [
        part.strip().strip("'") for part in str(context.get("expected", "")).replace(" or ", ", ").split(",")
    ]
    near = nearest(str(detail.get("input")), choices) if kind in ("literal_error", "enum") else ""
    return Fault(file=str(file), key=key, problem=problem, expected=_wanted(detail), nearest=near)


def _wanted(detail: Any) -> str:
    message = str(detail["msg"])
    for start in ("Input should be ", "Value error, ", "Input tag "):
        message = message.removeprefix(start)
    return message


def _key(location: list[Any]) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "file"


def _names_at(location: list[Any]) -> set[str]:
    """Keys that a table at this place may have."""
    model: Any = Profile
    for part in location:
        if isinstance(part, int) or not isinstance(model, type) or not issubclass(model, BaseModel):
            continue
        model = _model_under(model, str(part))
        if model is None:
            return set()
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        return set()
    return {field.alias or name for name, field in model.model_fields.items()}


def _model_under(model: type[BaseModel], name: str) -> Any:
    for field_name, field in model.model_fields.items():
        if name in (field_name, field.alias):
            return _inner_model(field.annotation)
    return model  # a union's tag ("bar", "digits"): stay


def _inner_model(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        inner = _inner_model(part)
        if inner is not None:
            return inner
    return None
