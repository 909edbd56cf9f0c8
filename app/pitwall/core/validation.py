"""Puts the faults that pydantic finds in a file into words; declares numbers within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, Field, ValidationError

from pitwall.core.errors import Fault, nearest

Place = Sequence[str | int]
"""Keys and indices that lead to a value of a document."""
_LONGEST_VALUE = 60
_KINDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
    "dict": "a table",
    "model": "a table",
}
"""Expectations in words, by the first part of the type of pydantic's faults ("bool_parsing")."""
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def faults_of(
    error: ValidationError,
    file: Path | str,
    *,
    model: type[BaseModel],
    document: Any,
    line_of: Callable[[Place], int] = lambda _: 0,
) -> Iterator[Fault]:
    """Describe each fault of a document once, with its key, the expected value and the nearest valid name.

    Args:
        model: what the document was to be. document: its plain values.
        line_of: the line of a place; 0 where it is not known.
    """
    by_place: dict[tuple[str | int, ...], list[Any]] = {}
    for detail in error.errors():
        by_place.setdefault(_place_of(document, detail), []).append(detail)
    for place, details in by_place.items():
        key, problem, expected, near = _fault_words(key_of(place), details, model)
        yield Fault(
            file=str(file), key=key, problem=problem, expected=expected, nearest=near, line=line_of(place)
        )


def key_of(place: Place) -> str:
    """Return a place in words, counted from 1: `games[2].tasks[1]`."""
    text = ""
    for part in place:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "file"


def _place_of(document: Any, detail: Any) -> tuple[str | int, ...]:
    """Return the place of a fault in the document, without the names of union choices ("bar", "tuple[…]")."""
    place: list[str | int] = []
    location = detail["loc"]
    for at, part in enumerate(location):
        inside = (isinstance(document, dict) and part in document) or (
            isinstance(document, list) and isinstance(part, int) and part < len(document)
        )
        if inside:
            document = document[part]
        if inside or (at == len(location) - 1 and detail["type"] == "missing"):
            place.append(part)
    return tuple(place)


def _fault_words(key: str, details: list[Any], model: type[BaseModel]) -> tuple[str, str, str, str]:
    """Return key, problem, expected value and nearest name of the faults at one place."""
    first = details[0]
    context = first.get("ctx") or {}
    match first["type"]:
        case "extra_forbidden":
            options = _keys_at(model, first["loc"][:-1])
            near = nearest(str(first["loc"][-1]), options)
            expected = f"one of {', '.join(sorted(options))}" if options and not near else ""
            return key, "no such key", expected, near
        case "missing":
            return key, "is missing", "a value", ""
        case "union_tag_not_found":
            return f"{key}.{_unquoted(context['discriminator'])}", "is missing", "a value", ""
        case "union_tag_invalid":
            tags = _unquoted(context["expected_tags"])
            near = nearest(str(context["tag"]), tags.split(", "))
            return f"{key}.{_unquoted(context['discriminator'])}", _value_text(context["tag"]), tags, near
    expected = " or ".join(dict.fromkeys(expectation(detail) for detail in details))
    choices = [_unquoted((detail.get("ctx") or {}).get("expected", "")) for detail in details]
    options = {choice for text in choices for choice in text.replace(" or ", ", ").split(", ") if choice}
    return key, _value_text(first.get("input")), expected, nearest(str(first.get("input")), options)


def _unquoted(text: Any) -> str:
    return str(text).replace("'", "")


def _value_text(value: Any) -> str:
    text = repr(value)
    return f"found {text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + '…'}"


def expectation(detail: Any) -> str:
    """Return the expected value of one of pydantic's faults in words."""
    context = detail.get("ctx") or {}
    for bound, words in _BOUNDS.items():
        if bound in context:
            return f"{words} {context[bound]:,}" if isinstance(context[bound], int | float) else words
    kind, _, rest = detail["type"].partition("_")
    if kind in _KINDS and (rest in ("type", "parsing", "number", "from_float", "parsing_size")):
        return _KINDS[kind]
    message = str(detail["msg"])
    for start in ("Input should be ", "Value error, ", "Input tag "):
        message = message.removeprefix(start)
    return message


def _keys_at(model: type[BaseModel], location: Place) -> set[str]:
    """Return the keys that the table at a fault's location may have."""
    tables: list[type[BaseModel]] = [model]
    for part in (str(part) for part in location if isinstance(part, str)):
        tagged = [table for table in tables if _tag(table) == part]
        under = [inner for table in tables for inner in _tables_under(table, part)]
        tables = tagged or under or tables  # a free name, of a parameter say, stays in the same tables
    return {field.alias or name for table in tables for name, field in table.model_fields.items()}


def _tag(table: type[BaseModel]) -> str:
    """Return the kind that a table of a union stands for ("bar", "digits"); empty for other tables."""
    kind = table.model_fields.get("kind")
    choices = get_args(kind.annotation) if kind is not None else ()
    return str(choices[0]) if len(choices) == 1 else ""


def _tables_under(table: type[BaseModel], name: str) -> list[type[BaseModel]]:
    fields = (field for key, field in table.model_fields.items() if name in (key, field.alias))
    return [inner for field in fields for inner in _tables_in(field.annotation)]


def _tables_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [table for part in get_args(annotation) for table in _tables_in(part)]


def first_fault(error: ValidationError, whole: str = "") -> tuple[str, str]:
    """Return the place of the first fault, as keys joined by dots, and its description in words.

    Args:
        whole: named in place of a key, where the whole text is at fault.
    """
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or whole
    match first["type"]:
        case "missing":
            return place, "is missing"
        case "extra_forbidden":
            return place, "no such key"
        case "value_error" | "assertion_error" | "json_invalid":
            return place, expectation(first)
    return place, f"{_value_text(first['input'])}; expected {expectation(first)}"


def bounded_number(default: float, least: float, most: float, description: str, unit: str = "") -> Any:
    """Declare a model's field for a number within bounds, in a unit."""
    return Field(default, ge=least, le=most, description=description, json_schema_extra={"unit": unit})
