"""Reads a suite's YAML file: every fault at once, with line, key, what was expected and the nearest name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from pitwall.core.errors import Fault, SuiteError, nearest
from pitwall.core.paths import DataFolder, resources_dir
from pitwall.suites.checking import Checker
from pitwall.suites.plan import Plan
from pitwall.suites.spec import GameTasks, SuiteSpec
from pitwall.suites.yaml_text import Place, YamlText, read_yaml


def read_suite(file: Path, data: DataFolder) -> Plan:
    """A suite as it can be played here.

    Args:
        file: YAML. data: whose games and models it names.

    Raises:
        SuiteError: with every fault of the file.
    """
    return read_text(read_yaml(file), file, data)


def read_text(text: YamlText, file: Path, data: DataFolder) -> Plan:
    """Read a suite as `read_suite` does, from a document that is already there.

    Args:
        file: its folder is where paths of games begin.

    Raises:
        SuiteError: with every fault of it.
    """
    faults = list(text.twice())
    spec: SuiteSpec | None = None
    try:
        spec = SuiteSpec.model_validate(text.value)
    except ValidationError as error:
        faults += _of_types(text, error)
    checker = Checker(text, file.parent, data)
    faults += checker.faults()
    if faults or spec is None:
        raise SuiteError(str(file), sorted(_once(faults), key=lambda fault: fault.line))
    return Plan(_spelt_out(spec, checker), checker.games, checker.wanted)


def bundled_suites() -> dict[str, Path]:
    """Suites that come with Pitwall, by the name of their file."""
    folder = resources_dir() / "suites"
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


def suite_file(named: str) -> Path:
    """A suite's file by its path, or by a bundled one's name.

    Raises:
        SuiteError: it is neither; names the nearest bundled one.
    """
    path = Path(named)
    bundled = bundled_suites()
    if path.is_file() or named not in bundled:
        if path.is_file() or path.suffix or len(path.parts) > 1:
            return path
        near = nearest(named, bundled)
        expected = f"a YAML file, or one of {', '.join(bundled)}"
        fault = Fault(file=named, key="file", problem="is not there", expected=expected, nearest=near)
        raise SuiteError(named, [fault])
    return bundled[named]


def _spelt_out(spec: SuiteSpec, checker: Checker) -> SuiteSpec:
    """With ids for paths, task ids for "all", and each game once."""
    tasks: dict[str, dict[str, None]] = {}
    for one in spec.games:
        for game in checker.fitting.get(one.game) or [checker.ids[one.game]]:
            every = [task.id for task in checker.games[game].profile.tasks]
            known = every if one.tasks == "all" else [task for task in one.tasks if task in every]
            tasks.setdefault(game, {}).update(dict.fromkeys(known))
    games = [GameTasks(game=game, tasks=list(ids)) for game, ids in tasks.items()]
    ladders = [one.model_copy(update={"game": checker.ids[one.game]}) for one in spec.ladders]
    return spec.model_copy(update={"games": games, "ladders": ladders})


# ---- types


def _of_types(text: YamlText, error: ValidationError) -> Iterator[Fault]:
    """A validation's errors as faults; what the choices of a union say of one place is one fault."""
    found: dict[tuple[str | int, ...], list[Any]] = {}
    for detail in error.errors():
        found.setdefault(_place(text.value, detail["loc"]), []).append(detail)
    for place, details in found.items():
        first = details[0]
        if first["type"] == "extra_forbidden":
            options = _keys_at(place[:-1])
            near = nearest(str(place[-1]), options)
            expected = "" if near else f"one of {', '.join(sorted(options))}"
            yield text.fault(place, "no such key", expected, near)
        elif first["type"] == "missing":
            yield text.fault(place, "is missing", "a value")
        else:
            wanted = " or ".join(dict.fromkeys(_wanted(detail) for detail in details))
            near = nearest(str(first.get("input")), _choices(details))
            yield text.fault(place, f"found {_short(first.get('input'))}", wanted, near)


def _place(value: Any, location: Place) -> tuple[str | int, ...]:
    """The place in the document: without the names that a union's choices have."""
    place: list[str | int] = []
    for at, part in enumerate(location):
        inside = isinstance(value, dict) and part in value
        inside = inside or (isinstance(value, list) and isinstance(part, int) and part < len(value))
        if inside:
            value = value[part]
        elif at != len(location) - 1 or not isinstance(value, dict):
            continue
        place.append(part)
    return tuple(place)


def _keys_at(place: Place) -> set[str]:
    """Keys that a table at this place may have."""
    tables: list[type[BaseModel]] = [SuiteSpec]
    for part in place:
        if isinstance(part, str):
            fields = [table.model_fields[part] for table in tables if part in table.model_fields]
            tables = [inner for field in fields for inner in _tables(field.annotation)]
    return {field.alias or name for table in tables for name, field in table.model_fields.items()}


def _tables(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for part in get_args(annotation) for table in _tables(part)]


def _choices(details: list[Any]) -> list[str]:
    said = [str((detail.get("ctx") or {}).get("expected", "")) for detail in details]
    return [part.strip().strip("'") for text in said for part in text.replace(" or ", ", ").split(",")]


def _wanted(detail: Any) -> str:
    message = str(detail["msg"])
    for start in ("Input should be ", "Value error, "):
        message = message.removeprefix(start)
    return message


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _once(faults: list[Fault]) -> list[Fault]:
    return list(dict.fromkeys(faults))
