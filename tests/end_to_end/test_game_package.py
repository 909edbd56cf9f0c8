"""The examples of a game and of an agent as packages are built, installed, found, trusted and played."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall

from pitwall.core.paths import DataFolder, resources_dir

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
ALONE = ["--no-deps", "--no-index"]


@pytest.mark.long
def test_a_game_and_an_agent_come_as_packages(screen: str, tmp_path: Path) -> None:
    assert screen
    wheels, installed = tmp_path / "wheels", tmp_path / "site"
    sources = [str(resources_dir() / name) for name in ("game_package", "agent_package")]
    build = ["wheel", "--no-build-isolation", "--wheel-dir", str(wheels)]
    subprocess.run([*PIP, *build, *ALONE, *sources], check=True)
    built = [str(item) for item in wheels.glob("*.whl")]
    subprocess.run([*PIP, "install", *ALONE, "--target", str(installed), *built], check=True)
    data = DataFolder(tmp_path / "data")
    path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))

    assert pitwall("games", "trust", "catch", data=data, PYTHONPATH=path).status == 0
    played = pitwall("run", "--game", "catch", "--seconds", "3", "--json", data=data, PYTHONPATH=path)
    assert played.status == 0, played.err
    assert played.answer["summary"]["effects"]["confirmed"] >= 1
    assert played.answer["summary"]["routes"].get("reflex", 0) + played.answer["summary"]["events_sent"] > 2

    refused = pitwall("run", "--game", "catch", "--module", "follow=calm", data=data, PYTHONPATH=path)
    assert refused.status != 0
    assert "pitwall gsm trust catch/follow calm" in refused.err
    trusted = pitwall("gsm", "trust", "catch/follow", "calm", "--json", data=data, PYTHONPATH=path)
    assert (trusted.status, trusted.answer["version"]) == (0, "v1"), trusted.err
    assert pitwall("gsm", "promote", "catch/follow", "v1", data=data, PYTHONPATH=path).status == 0
    played = pitwall("run", "--game", "catch", "--seconds", "3", "--json", data=data, PYTHONPATH=path)
    assert played.status == 0, played.err
    assert played.answer["summary"]["effects"]["confirmed"] >= 1
    shown = pitwall("runs", str(played.answer["run_id"]), "--json", data=data, PYTHONPATH=path)
    assert shown.answer["run"]["manifest"]["versions"]["module follow"].startswith("v1 ")
