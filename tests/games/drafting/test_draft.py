"""A draft becomes a folder that passes the checker, whole or not at all, and can be gone on with."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.core.errors import ManifestError, PitwallError
from pitwall.core.geometry import Rect, WindowRef
from pitwall.core.paths import DataFolder
from pitwall.desktops.here import processes
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.checks.folder import check_game
from pitwall.games.drafting.draft import Draft, draft_of_window, game_id_of, identifier, window_match
from pitwall.games.drafting.folder import GameThere, add_game, faults_of_draft, write_game
from pitwall.games.drafting.store import delete_draft, draft_file, read_draft, save_draft, saved_drafts
from pitwall.games.drafting.toml_writer import manifest_text
from pitwall.games.manifest import load_profile
from pitwall.games.registry import Registry


def _window(title: str = "Catch: 12 points", wm_class: str = "catch", pid: int = 0) -> WindowRef:
    return WindowRef(native_id=7, pid=pid, title=title, wm_class=wm_class, rect=Rect(5, 6, 480, 360))


def _picture() -> str:
    noise = np.random.default_rng(1).integers(0, 255, (12, 20, 3), np.uint8)
    return base64.b64encode(cv2.imencode(".png", noise)[1].tobytes()).decode()


def _draft(**values: Any) -> Draft:
    whole: dict[str, Any] = {
        "actions": [
            {"name": "left", "keys": ["ArrowLeft"]},
            {"name": "dash", "keys": ["Shift", "ArrowRight"], "hold_ms": 1500},
            {"name": "tap", "click": (30, 40), "button": "right"},
            {"name": "rest"},
        ],
        "fields": [
            {"kind": "bar", "name": "health", "box": (20, 16, 200, 14), "colour": (216, 44, 52), "unit": "%"},
            {"kind": "text", "name": "score", "box": (392, 8, 72, 34), "number": True},
            {
                "kind": "blob",
                "name": "coin",
                "box": (0, 60, 480, 240),
                "colour": (246, 200, 40),
                "value": "y",
            },
            {"kind": "template", "name": "over", "box": (1, 2, 30, 40), "template": "templates/over.png"},
        ],
        "pictures": {"templates/over.png": _picture()},
        "status": {"terminal": "over"},
        "thresholds": {"scene_change": 0.48, "stall_steps": 7},
        "why": {"scene_change": "no cut\nwas seen"},
        "tasks": [{"id": "reach_score", "score": "score", "target": 12}],
    }
    return draft_of_window(_window()).changed(**{**whole, **values})


@pytest.mark.skipif(sys.platform != "linux", reason="a command is read off Linux' table of processes")
def test_a_windows_game_keeps_the_command_that_started_it_and_a_browsers_has_none(tmp_path: Path) -> None:
    (tmp_path / "firefox").symlink_to(shutil.which("sleep") or "")
    kept = []
    for program in ("sleep", "./firefox"):
        with subprocess.Popen([program, "60"], cwd=tmp_path) as process:
            while not processes().command_words(process.pid)[0]:
                time.sleep(0.01)  # it is being laid out
            kept.append(draft_of_window(_window(pid=process.pid)).command)
            process.kill()
    assert kept == [["env", "-C", str(tmp_path), "sleep", "60"], []]
    folder = add_game(DataFolder(tmp_path / "data"), _draft(command=kept[0]))
    launch = load_profile(folder).launch
    assert launch is not None
    assert launch.command == kept[0]


def test_a_draft_becomes_a_folder_that_says_what_was_drawn(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = add_game(data, _draft())
    assert folder == data.games / "catch-12-points"
    assert check_game(folder) == []
    profile = load_profile(folder)
    assert profile.window.title == "^Catch: [0-9]+ points$"
    assert profile.controls.keys == ["ArrowLeft", "Shift", "ArrowRight"]
    assert profile.controls.mouse
    assert profile.actions[1].hold_ms == 1500
    assert profile.controls.hold_ms == (20, 1500)
    assert list(profile.fields) == list(_draft().fields)
    assert profile.progress.inventory == ["score"]
    assert (profile.trigger.scene_change, profile.trigger.stall_steps) == (0.48, 7)
    assert profile.truth is not None
    assert not profile.truth.verified
    assert profile.truth.fields == {"game_state.score": "score"}
    assert Vocabulary(profile).legal == ("left", "dash", "tap", "rest")
    assert profile.game.without_skill == "explore"
    assert [skill.module for skill in profile.skills] == ["learned"], "the rest is the default agent's"
    learned = profile.modules[0].learned
    assert learned is not None
    assert learned.actions == ["", "left", "dash", "tap"]
    entry = next(game for game in Registry(data).games() if game.game_id == "catch-12-points")
    assert entry.trusted
    assert [path.name for path in data.games.iterdir()] == ["catch-12-points"], "nothing is left beside it"


def test_a_page_with_its_own_state_is_verified(tmp_path: Path) -> None:
    task = {"id": "far", "score": "game_state.score", "target": 100}
    draft = _draft(url="https://example.org/game", truth="file", tasks=[task], window={})
    profile = load_profile(add_game(DataFolder(tmp_path), draft))
    assert profile.browser is not None
    assert profile.browser.url == "https://example.org/game"
    assert profile.truth is not None
    assert profile.truth.verified


def test_a_folder_that_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    folder = tmp_path / "games" / "mine"
    write_game(_draft(), folder)
    (folder / "plugin.toml").write_text("# by hand", encoding="utf-8")
    with pytest.raises(GameThere, match="is there already"):
        write_game(_draft(), folder)
    assert (folder / "plugin.toml").read_text(encoding="utf-8") == "# by hand"
    write_game(_draft(), folder, replace=True)
    assert check_game(folder) == []
    assert [path.name for path in folder.parent.iterdir()] == ["mine"]


def test_editing_ones_own_game_asks_nothing_and_a_change_made_elsewhere_does(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    folder = add_game(data, _draft(), goes_on=True)
    edited = _draft(summary="With a summary.")
    assert add_game(data, edited, goes_on=True) == folder
    assert Registry(data).load(str(folder)).trusted
    assert load_profile(folder).game.summary == "With a summary."
    with pytest.raises(GameThere):
        add_game(data, _draft())  # another draft of this id
    (folder / "rules.md").write_text("by hand", encoding="utf-8")
    assert not Registry(data).load(str(folder)).trusted
    with pytest.raises(GameThere):
        add_game(data, _draft(), goes_on=True)
    assert (folder / "rules.md").read_text(encoding="utf-8") == "by hand"


def test_faults_leave_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    write_game(_draft(), folder)
    before = (folder / "plugin.toml").read_bytes()
    wrong = _draft(actions=[{"name": "left", "keys": ["Arowleft"]}])
    with pytest.raises(ManifestError) as caught:
        write_game(wrong, folder, replace=True)
    fault = caught.value.faults[0]
    assert fault.file == str(folder / "plugin.toml")
    assert fault.nearest == "ArrowLeft"
    assert (folder / "plugin.toml").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_unfinished_draft_says_what_it_lacks() -> None:
    fault = faults_of_draft(draft_of_window(_window()))[0]
    assert (fault.problem, fault.expected) == ("is not finished", "an action")
    assert faults_of_draft(_draft()) == []


def test_what_pauses_it_is_no_action() -> None:
    draft = _draft(actions=[{"name": "go", "keys": ["Space"]}, {"name": "both", "keys": ["Shift", "Space"]}])
    paused = draft.with_pause(["Space"])
    assert (paused.pause, [action.name for action in paused.actions]) == (["Space"], ["both"])


@pytest.mark.parametrize("name", ["../../outside.png", "templates/x.toml"])
def test_pictures_stay_inside_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(PitwallError, match="is no PNG inside the folder"):
        write_game(_draft(pictures={name: _picture()}), tmp_path / "games" / "mine")
    assert not (tmp_path / "outside.png").exists()


def test_drafts_are_kept_and_gone_on_with(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    file = save_draft(data, _draft())
    assert file == draft_file(data, "catch-12-points")
    assert read_draft(file) == _draft()
    (data.drafts / "broken.json").write_text('{"draft": 1}', encoding="utf-8")
    assert [saved_draft.draft for saved_draft in saved_drafts(data)] == [_draft()]
    with pytest.raises(PitwallError, match=r"broken\.json is damaged: game_id: "):
        read_draft(data.drafts / "broken.json")
    delete_draft(data, "catch-12-points")
    assert saved_drafts(data) == []


def test_names_are_such_as_a_manifest_takes() -> None:
    assert identifier("2 Höhen (neu)") == "h_hen_neu"
    assert identifier("jump", {"jump", "jump_2"}) == "jump_3"
    assert identifier("!!") == "thing"
    assert game_id_of("Super Tux 2!", {"super-tux-2"}) == "super-tux-2-2"
    assert window_match(_window("", "Sdl.App")).wm_class == r"^Sdl\.App$"


@settings(deadline=None, max_examples=60)
@given(name=st.text(min_size=1, max_size=40), text=st.text(max_size=60))
def test_whatever_is_written_the_manifest_reads_the_same(name: str, text: str) -> None:
    draft = draft_of_window(_window("Any")).changed(
        name=name, summary=text, why={"stall_steps": text}, actions=[{"name": "rest", "description": text}]
    )
    read = tomllib.loads(manifest_text(draft))
    assert read["game"]["name"] == name
    assert read["game"].get("summary", "") == text
