"""Addresses of endpoints: trimmed, checked, and never with a secret in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pitwall.cli.models.format import entry_line
from pitwall.console.models.view_model import ModelViewModel
from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.models.address import checked_address
from pitwall.models.registry import ModelRegistry

ADDRESS = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        (f" {ADDRESS} \n", ADDRESS),
        (f"\u200b{ADDRESS}/", ADDRESS),
        (f"{ADDRESS}/chat/completions", ADDRESS),
        (f"{ADDRESS}/models/", ADDRESS),
        ("HTTPS://host.example/openai?api-version=1", "https://host.example/openai?api-version=1"),
        ("http://[::1]:8080/v1#part", "http://[::1]:8080/v1"),
    ],
)
def test_an_address_is_trimmed(typed: str, address: str) -> None:
    assert checked_address(typed) == address


@pytest.mark.parametrize(
    ("typed", "fix"),
    [
        ("127.0.0.1:8080/v1", "Did you mean http://127.0.0.1:8080/v1?"),
        ("localhost/v1", "Did you mean http://localhost/v1?"),
        ("http://", "looks like"),
        ("ftp://host/v1", "looks like"),
        ("http://host:0/v1", "looks like"),
        ("http://host:99999/v1", "looks like"),
        ("http://ho st/v1", "looks like"),
        ("http://host/v1\x00", "looks like"),
        ("http://user:secret-pw@host/v1", "--key-variable"),
        ("http://secret-pw@host/v1", "--key-variable"),
        ("https://host/v1?api_key=secret-pw", "--key-variable"),
        ("user:secret-pw@host/v1", "looks like"),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(typed: str, fix: str) -> None:
    with pytest.raises(SettingsError) as refused:
        checked_address(typed)
    assert fix in refused.value.fix and "secret-pw" not in str(refused.value)


def test_a_password_of_an_earlier_registry_is_shown_nowhere_and_goes(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    registry = ModelRegistry(data)
    registry.add_remote("far", ADDRESS, "m")
    old = data.model_registry.read_text().replace("http://127", "http://user:secret-pw@127")
    data.model_registry.write_text(old)
    entry = registry.get("far")
    shown = [entry_line(entry, Settings()), ModelViewModel(entry=entry).host, json.dumps(entry.model_dump())]
    assert "secret-pw" not in "".join(map(str, shown)) and entry.url == ADDRESS
    registry.change("far", context=1024)
    assert "secret-pw" not in data.model_registry.read_text()
    with pytest.raises(SettingsError, match="password"):
        registry.change("far", url="http://user:secret-pw@127.0.0.1/v1")
