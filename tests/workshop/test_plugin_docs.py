"""The reference of plugin.toml is what the types say, and leaves no key out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from workshop.plugin_docs import BEGIN, END, keys, reference, renewed, tables


def test_the_reference_is_up_to_date(project_root: Path) -> None:
    text = (project_root / "app" / "docs" / "PLUGINS.md").read_text(encoding="utf-8")
    assert text == renewed(text), "renew it: cd app && python -m workshop.plugin_docs docs/PLUGINS.md"


def test_every_key_has_a_meaning() -> None:
    silent = [
        f"{table.heading}.{key}"
        for table in tables()
        for key, field in keys(table.model).items()
        if not field.description
    ]
    assert silent == []


def test_every_key_that_a_bundled_game_uses_is_in_the_reference(project_root: Path) -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", reference(), re.MULTILINE))
    types = {table.heading: set(keys(table.model)) for table in tables()}
    assert named == set().union(*types.values())
    for manifest in sorted((project_root / "plugins").glob("*/plugin.toml")):
        table = tomllib.loads(manifest.read_text(encoding="utf-8"))
        assert set(table) <= types["The file itself"], manifest
        for name, value in table.items():
            assert _keys_of(value) <= named, f"{manifest}: {name}"


def test_a_document_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="the document holds no"):
        renewed(f"{END} {BEGIN}")


def _keys_of(value: Any) -> set[str]:
    """Keys of a table and of the tables in its lists, one level deep."""
    entries = value if isinstance(value, list) else [value]
    return {key for entry in entries if isinstance(entry, dict) for key in entry}
