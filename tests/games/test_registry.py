"""Where games come from, and how one is found by name."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pitwall.core.errors import ManifestError, UnknownGame, UntrustedPlugin
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall.games.trust import content_hash, is_trusted, require_trust, trust
from pitwall.games.watched_modules import with_watched

Damage = Callable[..., Path]


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def test_bundled_games_are_known_trusted_and_loaded(data: DataFolder) -> None:
    entries = {entry.game_id: entry for entry in Registry(data).games()}
    assert {"flappy", "doom"} <= set(entries)
    assert entries["flappy"].playable
    assert entries["flappy"].source == "bundled"
    game = Registry(data).load("flappy")
    assert (game.trusted, game.source, game.game_id) == (True, "bundled", "flappy")
    assert not data.root.exists()


def test_the_users_folder_adds_games_and_faults_stay_with_their_own(
    data: DataFolder, game_folder: Path
) -> None:
    shutil.copytree(game_folder, data.games / "pong")
    broken = data.games / "broken"
    broken.mkdir()
    (broken / "plugin.toml").write_text("schema = 1\n", encoding="utf-8")
    entries = {entry.game_id: entry for entry in Registry(data).games()}
    assert (entries["pong"].source, entries["pong"].trusted, entries["pong"].fault) == ("user", False, "")
    assert "is missing" in entries["broken"].fault
    assert entries["flappy"].fault == ""
    with pytest.raises(ManifestError):
        Registry(data).load("broken")


def test_an_unknown_game_names_the_nearest_or_all(data: DataFolder) -> None:
    with pytest.raises(UnknownGame, match="Did you mean 'flappy'"):
        Registry(data).load("flapy")
    with pytest.raises(UnknownGame, match=r"Games: .*doom.*flappy"):
        Registry(data).load("xyzzy")


def test_a_path_is_a_game_too_and_is_checked(data: DataFolder, damaged: Damage) -> None:
    folder = damaged()
    game = Registry(data).load(str(folder))
    assert (game.source, game.trusted, game.folder) == ("path", False, folder)
    damaged(('module = "follow"', 'module = "folow"'))
    with pytest.raises(ManifestError, match="did you mean 'follow'"):
        Registry(data).load(str(folder))
    with pytest.raises(ManifestError, match="is not there"):
        Registry(data).load(str(folder.parent / "nowhere"))


def test_a_program_that_is_not_installed_is_told(data: DataFolder, damaged: Damage) -> None:
    folder = damaged(("[launch]\n", '[launch]\nprograms = ["no-such-program"]\n'))
    shutil.copytree(folder, data.games / "pong")
    entries = {entry.game_id: entry for entry in Registry(data).games()}
    assert not entries["pong"].playable


def test_trust_is_for_the_content_and_ends_with_a_change(data: DataFolder, game_folder: Path) -> None:
    game = Registry(data).load(str(game_folder))
    with pytest.raises(UntrustedPlugin, match=r"pitwall games trust \S*pong"):
        require_trust(game)
    trust(data, game)
    again = Registry(data).load(str(game_folder))
    require_trust(again)
    cache = game_folder / "__pycache__"
    cache.mkdir()
    (cache / "pong.pyc").write_bytes(b"cached")
    assert is_trusted(data, game_folder)
    (game_folder / "pong.py").write_text("print('other')\n", encoding="utf-8")
    assert not Registry(data).load(str(game_folder)).trusted


def test_content_hash_sees_names_contents_and_boundaries(game_folder: Path) -> None:
    seen = {content_hash(game_folder)}
    (game_folder / "a").write_bytes(b"xy")
    seen.add(content_hash(game_folder))
    (game_folder / "a").rename(game_folder / "b")
    seen.add(content_hash(game_folder))
    (game_folder / "b").write_bytes(b"x")
    (game_folder / "c").write_bytes(b"y")
    seen.add(content_hash(game_folder))
    assert len(seen) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links for administrators alone")
def test_what_lies_behind_a_link_is_not_trusted(data: DataFolder, game_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (game_folder / "lib").symlink_to(tmp_path / "elsewhere")
    game = Registry(data).load(str(game_folder))
    with pytest.raises(UntrustedPlugin, match="link"):
        trust(data, game)
    assert not is_trusted(data, game_folder)


def test_a_damaged_trust_file_trusts_nothing(data: DataFolder, game_folder: Path) -> None:
    trust(data, Registry(data).load(str(game_folder)))
    assert is_trusted(data, game_folder)
    for text in ("{", "[]", "null", '{"x": 1}'):
        data.trust.write_text(text, encoding="utf-8")
        assert not is_trusted(data, game_folder)


def test_games_of_installed_packages_are_found_without_importing_them(
    data: DataFolder, game_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    package = site / "pong_package"
    shutil.copytree(game_folder, package / "pong")
    (package / "__init__.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    info = site / "pong_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pong-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pitwall.games]\npong = pong_package.pong\n")
    monkeypatch.syspath_prepend(str(site))
    entries = {entry.game_id: entry for entry in Registry(data).games()}
    assert (entries["pong"].source, entries["pong"].trusted) == ("entry-point", False)
    assert Registry(data).load("pong").folder == package / "pong"


def test_a_folder_that_changed_is_checked_again(data: DataFolder, game_folder: Path) -> None:
    mine = data.games / "pong"
    shutil.copytree(game_folder, mine)
    manifest = (mine / "plugin.toml").read_text(encoding="utf-8")
    reader = next(mine.glob("*.py"))

    def fault() -> str:
        time.sleep(0.25)  # what was written just now is looked at every time
        return next(entry.fault for entry in Registry(data).games() if entry.folder == mine)

    assert fault() == fault() == ""
    (mine / "plugin.toml").write_text(f"{manifest}\n[nonsense]\n", encoding="utf-8")
    assert "nonsense" in fault()
    (mine / "plugin.toml").write_text(manifest, encoding="utf-8")
    assert fault() == ""
    reader.unlink()
    assert reader.name in fault()


def test_a_module_that_only_a_policy_plays_gets_its_skill_once_one_is_promoted(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    registry = Registry(data)
    flappy = registry.load("flappy")
    alone = [module.model_copy(update={"rules": []}) for module in flappy.profile.modules]
    profile = flappy.profile.model_copy(update={"modules": alone, "skills": []})
    game = flappy.model_copy(update={"profile": profile})
    assert with_watched(game, data).profile.skills == []
    promoted = data.modules / "flappy" / "fly" / "promoted.json"
    promoted.parent.mkdir(parents=True)
    promoted.write_text('{"history": [{"version": "v1"}]}')
    assert [skill.module for skill in with_watched(game, data).profile.skills] == ["fly"]
    assert with_watched(flappy, data).profile.skills == flappy.profile.skills
