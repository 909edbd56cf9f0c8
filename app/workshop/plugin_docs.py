"""Writes the reference of `plugin.toml` from its types: each key with its type, bounds, default and meaning.

`cd app && python -m workshop.plugin_docs docs/PLUGINS.md` renews the generated part of that file.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pitwall.games.schema.fields import Box, Colour
from pitwall.games.schema.plugin_table import profile_model

BEGIN = "<!-- generated from its types: cd app && python -m workshop.plugin_docs docs/PLUGINS.md -->"
END = "<!-- end of the generated part -->"
_TOP = "The file itself"
_HEADING = re.compile(r"^(\[+[\w.]+\]+[^:]*|\w+(\.\w+)+): ")
"""Beginning of a type's docstring: the table that it reads."""
_PLAIN = {str: "text", int: "integer", float: "number", bool: "true or false"}
_NAMED = {Box: "box: `[x, y, width, height]`", Colour: "colour: `[red, green, blue]`, each 0 … 255"}
_SIGNS = {Ge: ("≥", "ge"), Gt: (">", "gt"), Le: ("≤", "le"), Lt: ("<", "lt")}


@dataclass(frozen=True, slots=True)
class TableDoc:
    """A table of the file: its heading in TOML, and the type that reads it."""

    heading: str
    model: type[BaseModel]


def tables() -> list[TableDoc]:
    """List every table that `plugin.toml` can hold, parents before children, in the order of the types."""
    return [TableDoc(_TOP, profile_model()), *_tables_in(profile_model(), "")]


def keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the keys of a table as the file spells them."""
    return {field.alias or name: field for name, field in model.model_fields.items() if not field.exclude}


def reference() -> str:
    """Return the whole reference as Markdown."""
    return "\n".join(_section(table) for table in tables())


def renewed(text: str) -> str:
    """Return a document with its generated part replaced.

    Raises:
        ValueError: the document does not hold both marks.
    """
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise ValueError(f"the document holds no {BEGIN!r} … {END!r}")
    return f"{before}{BEGIN}\n\n{reference()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Renew the named file."""
    file = Path(arguments[0])
    file.write_text(renewed(file.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


# ---- walking the types


def _tables_in(model: type[BaseModel], path: str) -> Iterator[TableDoc]:
    for key, field in keys(model).items():
        annotation = _known(field.annotation)
        many = get_origin(annotation) is list
        for kind in _models(annotation):
            inner = f"{path}{key}"
            heading = (
                f"[[{inner}]]"
                if many
                else f"[{inner}.NAME]"
                if get_origin(annotation) is dict
                else f"[{inner}]"
            )
            chosen = kind.model_fields.get("kind")
            named = get_args(chosen.annotation) if chosen is not None else ()
            yield TableDoc(f'{heading} of kind "{named[0]}"' if len(named) == 1 else heading, kind)
            yield from _tables_in(kind, f"{inner}.")


def _models(annotation: Any) -> list[type[BaseModel]]:
    """Return the tables that a type leads to, each once, in order."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    models = [model for part in get_args(annotation) for model in _models(part)]
    return list(dict.fromkeys(models))


def _known(annotation: Any) -> Any:
    """Return a type without its annotations and without None."""
    if get_origin(annotation) is Annotated:
        return _known(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        return _known(parts[0]) if len(parts) == 1 else annotation
    return annotation


# ---- words


def _section(table: TableDoc) -> str:
    about = _HEADING.sub("", " ".join((inspect.getdoc(table.model) or "").split()))
    rows = "\n".join(_row(key, field) for key, field in keys(table.model).items())
    heading = table.heading if table.heading == _TOP else f"`{table.heading}`"
    head = f"### {heading}\n\n{about[:1].upper()}{about[1:]}\n\n"
    return f"{head}| key | type | default | meaning |\n|---|---|---|---|\n{rows}\n"


def _row(key: str, field: FieldInfo) -> str:
    cells = (f"`{key}`", _type(field), _default(field), field.description or "")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(field: FieldInfo) -> str:
    words = _words(field.annotation)
    bounds = _bounds(field.metadata)
    extra = field.json_schema_extra
    unit = extra.get("unit") if isinstance(extra, dict) else ""
    return ", ".join(part for part in (words, str(unit or ""), bounds) if part)


def _words(annotation: Any) -> str:
    if annotation in _NAMED:
        return _NAMED[annotation]
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        bounds = _bounds(parts[1:])
        return _words(parts[0]) + (f" ({bounds})" if bounds else "")
    if origin is Literal:
        return "one of " + ", ".join(f"`{part}`" for part in parts) if len(parts) > 1 else f"`{parts[0]}`"
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_words(part) for part in parts if part is not type(None)))
    return _words_of_many(origin, parts)


def _words_of_many(origin: Any, parts: tuple[Any, ...]) -> str:
    if origin is list:
        return "tables" if _models(parts[0]) else f"list of {_many(parts[0])}"
    if origin is dict:
        return "tables by name" if _models(parts[1]) else f"table: {_words(parts[0])} → {_words(parts[1])}"
    if origin is tuple:
        return f"pair of {_many(parts[0])}"
    return "table"


def _many(annotation: Any) -> str:
    words = _words(annotation)
    first, space, rest = words.partition(" (")
    return f"{first}s{space}{rest}" if first in _PLAIN.values() else words


def _bounds(metadata: Any) -> str:
    bounds = []
    for rule in metadata:
        if isinstance(rule, FieldInfo):
            bounds.append(_bounds(rule.metadata))
        for kind, (sign, name) in _SIGNS.items():
            if isinstance(rule, kind):
                bounds.append(f"{sign} {getattr(rule, name):,}".replace(",", " "))
        if isinstance(rule, MinLen):
            bounds.append(f"length ≥ {rule.min_length}")
        if isinstance(rule, MaxLen):
            bounds.append(f"length ≤ {rule.max_length}")
        if pattern := getattr(rule, "pattern", None):
            bounds.append(f"matching `{pattern}`")
    return ", ".join(part for part in bounds if part)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ("", [], {}) or isinstance(value, BaseModel):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{list(value)}`" if isinstance(value, tuple) else f"`{value}`"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
