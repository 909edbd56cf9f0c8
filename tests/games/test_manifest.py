"""Manifests that cannot be read say where, what was found and what was expected, all at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import Fault, ManifestError
from pitwall.games.checks.cache import _checked
from pitwall.games.manifest import _profile, load_profile, manifest_hash

Damage = Callable[..., Path]


def faults_of(folder: Path) -> dict[str, Fault]:
    with pytest.raises(ManifestError) as caught:
        load_profile(folder)
    return {fault.key: fault for fault in caught.value.faults}


def test_a_whole_manifest_is_read(game_folder: Path) -> None:
    profile = load_profile(game_folder)
    assert profile.game.id == "pong"
    assert [action.name for action in profile.actions] == [
        "serve",
        "move",
        "combo",
        "tap_at",
        "tap_cell",
        "watch",
    ]
    assert len(manifest_hash(game_folder)) == 64


def test_every_fault_is_told_at_once(damaged: Damage) -> None:
    faults = faults_of(
        damaged(
            ("width = 200", 'width = "wide"'),
            ("mouse = true", "mouse = true\nmoose = 1"),
            ('kind = "blob"', 'kind = "blub"'),
            ('subgoal = "serve"\n', ""),
        )
    )
    assert len(faults) == 4
    assert faults["screen.width"].problem == "found 'wide'"
    assert "whole number" in faults["screen.width"].expected
    assert faults["controls.moose"].nearest == "mouse"
    assert faults["fields[1].kind"].nearest == "blob"
    assert "derived" in faults["fields[1].kind"].expected
    assert faults["skills[1].subgoal"].problem == "is missing"
    assert all(fault.file.endswith("plugin.toml") for fault in faults.values())


def test_a_field_is_named_as_the_manifest_has_it(damaged: Damage) -> None:
    faults = faults_of(damaged(("colour = [255, 255, 255]", "colour = [255, 255, 256]\npikc = 'largest'")))
    assert faults["fields[1].colour[3]"].expected.endswith("at most 255")
    assert faults["fields[1].pikc"].nearest == "pick"


def test_a_wrong_choice_names_the_nearest(damaged: Damage) -> None:
    faults = faults_of(damaged(('name = "Pong"', 'name = "Pong"\ngenre = "arkade"')))
    assert faults["game.genre"].nearest == "arcade"


def test_broken_toml_names_the_line(damaged: Damage) -> None:
    faults = faults_of(damaged(('name = "Pong"', "name = Pong")))
    assert "line 5" in faults["file"].problem


def test_other_encodings_and_missing_files_are_told(game_folder: Path) -> None:
    (game_folder / "plugin.toml").write_bytes(b'schema = 1\nname = "\xff"\n')
    assert "not UTF-8" in faults_of(game_folder)["file"].problem
    (game_folder / "plugin.toml").unlink()
    assert faults_of(game_folder)["file"].problem == "is not there"
    (game_folder / "plugin.toml").mkdir()
    assert "no regular file" in faults_of(game_folder)["file"].problem


@pytest.mark.parametrize("text", ["", "schema = 2", "[[game]]\nid = 1", "actions = 3", "a = 1\na = 2"])
def test_partial_manifests_raise_nothing_else(game_folder: Path, text: str) -> None:
    (game_folder / "plugin.toml").write_text(text, encoding="utf-8")
    assert faults_of(game_folder)


def test_manifests_of_every_added_environment_are_kept() -> None:
    """287 games were parsed anew for each game that was loaded: listing their tasks took minutes."""
    assert _profile.cache_parameters()["maxsize"] == _checked.cache_parameters()["maxsize"] == 1024


def test_a_manifest_for_a_newer_pitwall_is_refused_by_that_alone(damaged: Damage) -> None:
    faults = faults_of(damaged(("schema = 1", "schema = 2\nhigher = true")))
    assert list(faults) == ["schema"]
    assert "newer Pitwall" in faults["schema"].problem
    assert "update Pitwall" in faults["schema"].expected
