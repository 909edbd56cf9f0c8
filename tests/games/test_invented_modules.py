"""Invented modules join a game where they are switched on, are known where not, are checked like declared."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import ConditionError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, load_settings, save_settings
from pitwall.games.invented_modules import INVENTED, OFF, check_proposal, copy_invention, damaged_inventions
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import (
    MOST_BYTES,
    InventedModule,
    Invention,
    InventionRefused,
    read_proposal,
)
from pitwall.games.schema.modules import Module
from pitwall.games.schema.profile import Game
from pitwall.gsm.rule_module import RuleModule

ON = Settings().with_value("gsm", "invent_modules", True)
HOVER: dict[str, Any] = {
    "name": "hover",
    "description": "Hold the bird in the middle",
    "ends": "status != 'playing'",
    "rules": [{"when": "low > 260", "action": "flap", "cooldown_ms": 60}],
}


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def keep(data: DataFolder, game_id: str = "flappy", **changes: Any) -> Path:
    """An invention as it lies in the data folder."""
    module: dict[str, Any] = HOVER | changes
    kept = Invention.model_validate({"module": module, "by": "model", "model": "tiny", "at": time.time()})
    file = data.modules / game_id / str(module["name"]) / INVENTED
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(kept.model_dump_json(), encoding="utf-8")
    return file


def names(game: Game) -> list[str]:
    return [module.name for module in game.profile.modules]


def refused(game: Game, **changes: Any) -> str:
    with pytest.raises(InventionRefused) as caught:
        check_proposal(game, read_proposal(json.dumps(HOVER | changes), "hover.json"), "hover.json")
    assert caught.value.fix
    return str(caught.value)


# ---- the one place where they join


def test_the_switch_is_off_by_default_and_then_nothing_offers_them(data: DataFolder) -> None:
    keep(data)
    game = Registry(data).load("flappy")
    assert not Settings().gsm.invent_modules
    assert names(game) == ["fly"]
    assert [(module.name, module.at_rest, module.author) for module in game.invented] == [
        ("hover", OFF, "the model tiny")
    ]
    assert game.module_names == ["fly", "hover"]


def test_switched_on_they_stand_among_the_games_own(data: DataFolder) -> None:
    keep(data)
    save_settings(data.settings, ON)
    game = Registry(data).load("flappy")
    assert names(game) == ["fly", "hover"]
    fly, hover = game.profile.modules
    assert isinstance(hover, InventedModule) and not hover.at_rest
    assert (hover.learned, hover.judge) == (None, "fly")
    assert hover.trials == fly.trials and hover.judged_in == fly.learned
    assert Module.model_validate_json(hover.model_dump_json()).rules == hover.rules
    assert not list(game.folder.rglob(INVENTED)), "the game's own folder is never written"
    assert names(Registry(data, Settings()).load("flappy")) == ["fly"], "a run's own settings come first"


def test_one_that_no_longer_fits_the_game_rests_and_says_why(data: DataFolder) -> None:
    keep(data, name="fly")
    keep(data, name="lost", ends="height > 3")
    game = Registry(data, ON).load("flappy")
    assert names(game) == ["fly"]
    first, second = (module.at_rest for module in game.invented)
    assert "'fly' stands 2 times" in first
    assert "unknown field 'height'" in second


def test_settings_that_cannot_be_read_switch_nothing_on(data: DataFolder) -> None:
    keep(data)
    data.settings.write_text("{", encoding="utf-8")
    assert names(Registry(data).load("flappy")) == ["fly"]


def test_a_damaged_one_is_named_and_the_others_are_there(data: DataFolder) -> None:
    keep(data)
    keep(data, name="glide").write_text("{", encoding="utf-8")
    keep(data, name="swoop").parent.rename(data.modules / "flappy" / "sway")
    assert names(Registry(data, ON).load("flappy")) == ["fly", "hover"]
    problems = [fault.what for fault in damaged_inventions(data, "flappy")]
    assert len(problems) == 2 and "glide" in problems[0] and "'swoop'" in problems[1]


# ---- what is refused


def test_a_fit_one_is_taken(data: DataFolder) -> None:
    check_proposal(
        Registry(data).load("flappy"), read_proposal(json.dumps(HOVER), "hover.json"), "hover.json"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "fly"}, "'fly' stands 2 times"),
        ({"ends": "lowest > 3"}, "unknown field 'lowest'"),
        ({"ends": "low >"}, "does not parse"),
        ({"ends": "false"}, "looks at no field"),
        ({"ends": "1 > 2"}, "looks at no field"),
        ({"ends": "(" * 250 + "low"}, "does not parse"),
        ({"rules": [{"when": "__import__('os').system('true')", "action": "flap"}]}, "not allowed"),
        ({"rules": [{"when": "[low for low in (1, 2)]", "action": "flap"}]}, "not allowed"),
        ({"rules": [{"when": "open('/etc/passwd')", "action": "flap"}]}, "not allowed"),
        ({"rules": [{"when": "low ** 9 ** 9 ** 9 > 1", "action": "flap"}]}, "not allowed"),
        ({"rules": [{"when": "low > 3", "action": "flapp"}]}, "'flapp'"),
        ({"rules": [{"when": "low > 3", "action": "flap; rm"}]}, "flap; rm"),
        ({"judged_by": "flyy"}, "did you mean 'fly'?"),
    ],
)
def test_what_a_declared_module_may_not_say_is_refused(
    data: DataFolder, changes: dict[str, Any], message: str
) -> None:
    assert message in refused(Registry(data).load("flappy"), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Hover it"}, "name"),
        ({"name": "../../games/hover"}, "name"),
        ({"description": ""}, "description"),
        ({"description": "two\nlines"}, "cannot be shown"),
        ({"description": "turned \u202e round"}, "cannot be shown"),
        ({"rules": []}, "rules"),
        ({"rules": HOVER["rules"] * 25}, "rules"),
        ({"rules": [{"when": "low > 3", "action": ""}]}, "rule 1 needs a condition and an action"),
        ({"rules": [{"when": "low > 3 or " * 50 + "low > 3", "action": "flap"}]}, "more than 400"),
        ({"rules": [{"when": "low > 3", "action": "flap", "cooldown_ms": -1}]}, "cooldown_ms"),
        ({"rules": [{"when": "low > 3", "action": "flap", "python": "x"}]}, "python"),
        ({"ends": "low > 3 and " * 9_000 + "low > 3"}, "longer than"),
        ({"ends": "not " * 120 + "low"}, "ends"),
        ({"learned": {"actions": ["", "flap"], "reward": "r.py"}}, "learned"),
        ({"trials": []}, "trials"),
    ],
)
def test_what_is_no_small_module_of_rules_is_refused(
    data: DataFolder, changes: dict[str, Any], message: str
) -> None:
    assert message in refused(Registry(data).load("flappy"), **changes)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "null", '{"name": NaN}', "[" * 5_000, "x" * (MOST_BYTES + 1)]
)
def test_what_is_no_json_of_a_module_is_refused(text: str) -> None:
    with pytest.raises(InventionRefused, match=r"hover\.json") as caught:
        read_proposal(text, "hover.json")
    assert len(str(caught.value)) < 800


def test_a_name_at_rest_is_taken_too(data: DataFolder) -> None:
    keep(data)
    assert "'hover' stands 2 times" in refused(Registry(data).load("flappy"))


def test_nothing_of_a_condition_is_ever_run(data: DataFolder) -> None:
    """Were one kept in spite of its check, it would still not parse where it is to run."""
    keep(data, rules=[{"when": "().__class__.__bases__", "action": "flap"}])
    hover = Registry(data, ON).load("flappy").invented[0]
    assert hover.at_rest
    with pytest.raises(ConditionError, match="not allowed"):
        RuleModule(hover, frozenset({"low"}))


# ---- a run's own data folder


def test_a_trials_seat_plays_it_in_place_of_its_judge(data: DataFolder, tmp_path: Path) -> None:
    keep(data)
    seat = DataFolder(tmp_path / "seat")
    copy_invention(data, seat, "flappy", "hover", plays=True)
    assert not seat.root.exists(), "switched off"
    save_settings(data.settings, ON)
    copy_invention(data, seat, "flappy", "fly", plays=True)
    assert not seat.root.exists(), "no invention"
    copy_invention(data, seat, "flappy", "hover", plays=True)
    assert load_settings(seat.settings).gsm.invent_modules
    played, usual = Registry(seat).load("flappy"), Registry(data).load("flappy")
    assert {skill.module for skill in usual.profile.skills if skill.module} == {"fly"}
    assert {skill.module for skill in played.profile.skills if skill.module} == {"hover"}


def test_a_game_without_trials_has_no_judge(data: DataFolder, game_folder: Path) -> None:
    shutil.copytree(game_folder, data.games / "pong")
    rules = [{"when": "ball_x > 50", "action": "move(way=down)"}]
    keep(data, "pong", name="back", ends="ball_x == none", rules=rules)
    back = Registry(data, ON).load("pong").profile.modules[-1]
    assert isinstance(back, InventedModule)
    assert (back.name, back.judge, back.trials, back.judged_in) == ("back", "", [], None)
