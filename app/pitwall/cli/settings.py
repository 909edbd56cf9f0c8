"""`pitwall settings`: reads and changes the settings of the Settings page."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from typing import Annotated

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import SettingsError, suggestion
from pitwall.core.settings import Settings, load_settings, save_settings

app = typer.Typer(help="Read and change settings.", no_args_is_help=True)


@app.command("list")
def list_settings(data: DataOption = None, json: JsonOption = False) -> None:
    """List every setting with its value, unit and meaning."""
    settings = load_settings(data_folder(data).settings)
    Reporter(json).result(settings, _lines(settings))


def _lines(settings: Settings) -> Iterator[str]:
    for section, model in settings:
        for name, info in type(model).model_fields.items():
            extra = info.json_schema_extra
            unit = extra.get("unit", "") if isinstance(extra, dict) else ""
            yield f"{section}.{name} = {getattr(model, name)} {unit}".rstrip()
            yield f"    {info.description}"


@app.command("set")
def set_setting(
    name: Annotated[str, typer.Argument(help="section.name, as listed")],
    value: Annotated[str, typer.Argument(help="a number, true, false, or text")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Change one setting."""
    folder = data_folder(data)
    settings = load_settings(folder.settings)
    section, _, key = name.partition(".")
    known = [f"{part}.{field}" for part, model in Settings() for field in type(model).model_fields]
    if name not in known:
        raise SettingsError(
            f"there is no setting {name!r}.",
            suggestion(name, known, "See: pitwall settings list"),
        )
    try:
        parsed = json_text.loads(value)
    except ValueError:
        parsed = value
    changed = settings.with_value(section, key, parsed)
    save_settings(folder.settings, changed)
    Reporter(json).result(changed, [f"{name} = {getattr(getattr(changed, section), key)}"])
