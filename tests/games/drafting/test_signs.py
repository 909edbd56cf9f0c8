"""Signs by picture, colour and text read; the ways out that a draft writes into its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pitwall.console.new_game.draft_edits import renamed_field, without_field
from pitwall.core.errors import PitwallError
from pitwall.games.checks.folder import check_game
from pitwall.games.drafting.draft import Draft
from pitwall.games.drafting.folder import write_game
from pitwall.games.drafting.signs import (
    NAME_ENTRY,
    sign_of,
    with_passage_step,
    with_sign,
    without_passage,
)
from pitwall.games.manifest import load_profile
from pitwall.games.schema.passages import PassageStep

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


def _draft(**values: Any) -> Draft:
    fields = [
        {"kind": "text", "name": "banner", "box": (0, 0, 90, 20)},
        {"kind": "colour", "name": "panel", "box": (0, 30, 90, 20), "colour": (9, 9, 9)},
        {"kind": "colour", "name": "red", "box": (0, 60, 9, 9), "colour": (200, 9, 9), "at_least": 50},
    ]
    base = {
        "game_id": "g",
        "name": "G",
        "window": {"title": "^G$"},
        "screen": {"width": 100, "height": 80},
        "actions": [{"name": "hop", "keys": ["Space"]}],
        "fields": fields,
    }
    return Draft.model_validate({**base, **values})


def test_text_that_is_read_becomes_a_sign() -> None:
    draft = with_sign(_draft(), "banner", "terminal", "GAME  OVER")
    assert draft.status.terminal == "says(banner, 'GAME OVER')"
    assert sign_of(draft, "banner") == "terminal"
    renamed = renamed_field(draft, "banner", "over")
    assert renamed.status.terminal == "says(over, 'GAME OVER')"
    assert sign_of(without_field(renamed, "over"), "over") == ""


def test_several_signs_of_a_status_and_of_a_name_entry() -> None:
    draft = with_sign(with_sign(_draft(), "red", "menu", True), "panel", "menu", 80.0)
    assert draft.status.menu == "red or panel >= 56"
    draft = with_sign(draft, "red", NAME_ENTRY, True)
    assert (draft.status.menu, draft.name_entry) == ("panel >= 56", "red")
    assert [sign_of(draft, name) for name in ("red", "panel", "banner")] == [NAME_ENTRY, "menu", ""]
    assert with_sign(draft, "red", "").name_entry == ""


def test_words_in_quotes_are_no_names() -> None:
    draft = with_sign(_draft(), "banner", "menu", "red or panel")
    assert draft.status.menu == "says(banner, 'red or panel')"
    assert sign_of(draft, "red") == ""
    assert renamed_field(draft, "red", "blue").status.menu == draft.status.menu
    assert without_field(draft, "red").status.menu == draft.status.menu


def test_nothing_read_makes_no_sign() -> None:
    with pytest.raises(PitwallError, match="banner reads nothing now"):
        with_sign(_draft(), "banner", "terminal", None)


def test_ways_out_are_written_and_stay_out_of_play(tmp_path: Path) -> None:
    draft = _draft(pause=["Escape"])
    draft = with_sign(with_sign(draft, "red", "paused", True), "banner", NAME_ENTRY, "Your name?")
    draft = with_passage_step(draft, "start", PassageStep(keys=["Enter"], unlike=0.2), PNG)
    draft = with_passage_step(draft, "start", PassageStep(click=(5, 6)))
    write_game(draft, tmp_path / "g")
    assert check_game(tmp_path / "g") == []
    profile = load_profile(tmp_path / "g")
    ways = {passage.name: passage for passage in profile.passages}
    assert list(ways) == [NAME_ENTRY, "start", "resume"]
    assert ways[NAME_ENTRY].when == "says(banner, 'Your name?')"
    assert [step.words for step in ways["start"].steps] == ["Enter", "a click at 5, 6"]
    assert (tmp_path / "g" / ways["start"].steps[0].screen).is_file()
    assert [action.name for action in profile.actions] == ["hop"]
    assert "Enter" not in profile.controls.keys
    assert profile.pause is not None
    assert all("Enter" not in skill.actions for skill in profile.skills)
    assert without_passage(draft, "start").pictures == {}
