"""What the lab says and reckons, without a window: trees, differences, scores, recipes, drafts, rules."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.pitwall_lab.console.module_folders import (
    FIRST_REWARD,
    SECOND_REWARD,
    add_version,
    make_game,
    score,
    write_log,
)

from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings, save_settings
from pitwall.demonstrations.manifest import Demonstration
from pitwall.demonstrations.writer import DemonstrationWriter
from pitwall.games.invented_modules import OFF
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import ProposedModule
from pitwall.games.schema.modules import Recipe, Rule
from pitwall.gsm.version_record import VersionStatus
from pitwall.gsm.versions import ModuleFolder
from pitwall.store.lease import FileLock
from pitwall_evaluation.console.code_editor.diff import changed, diff
from pitwall_lab.console.changes.checks import ENDS, check_rules, reward_checked, rules_checked
from pitwall_lab.console.changes.drafts import DraftKey, Drafts
from pitwall_lab.console.format import (
    at_rest,
    invented_words,
    module_sign,
    module_words,
    origin,
    progress_words,
    rules_text,
    score_words,
    trouble,
    version_sign,
)
from pitwall_lab.console.training.recipe import TABLES, checked, differences, recipe_fields, settings
from pitwall_lab.console.versions.lists import branches
from pitwall_lab.console.versions.removal import delete_version, reject
from pitwall_lab.console.view_model import ModuleKey, ModuleRepository, ModuleViewModel
from pitwall_lab.modules.inventing import invent, remove
from pitwall_lab.orders import TrainingOrder
from pitwall_lab.training_log import LOCK

FROG = ModuleKey("pond", "frog")


@pytest.fixture
def folder(tmp_path: Path) -> ModuleFolder:
    """The frog's versions, of a game of its own in an empty data folder."""
    data = DataFolder(tmp_path)
    return ModuleFolder(data, make_game(data), "frog")


@pytest.fixture
def shelf(folder: ModuleFolder, tmp_path: Path) -> ModuleRepository:
    assert folder.names() == ["rules"]
    return ModuleRepository(DataFolder(tmp_path))


def _frog(shelf: ModuleRepository) -> ModuleViewModel:
    result = shelf.read(FROG).module(FROG)
    assert result is not None
    return result


# ---- what is read


def test_every_module_of_every_known_game_is_read_the_open_game_first(shelf: ModuleRepository) -> None:
    titles = [module.title for module in shelf.read(None, open_game="pond").modules]
    assert titles[:2] == ["pond · fish", "pond · frog"]
    assert "flappy · fly" in titles


def test_a_game_without_a_module_is_listed_once_there_is_play_of_it(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    shelf = ModuleRepository(data)
    assert all(module.key.game_id != "blocks" for module in shelf.read(None).modules)
    kept = Demonstration(
        id="20261123-192500-blocks",
        game="blocks",
        picture_size=(4, 4),
        window_size=(4, 4),
        rate_fps=20,
        started_at="",
    )
    with DemonstrationWriter(data.demonstrations / kept.id, kept):
        pass
    (result,) = [item for item in shelf.read(None).modules if item.key.game_id == "blocks"]
    assert (result.key.module, result.driving, result.versions) == ("watched", "", ())
    assert result.learns and not result.tries and result.demonstrations == (kept.id,)


def test_versions_stand_under_those_they_were_made_from(
    folder: ModuleFolder, shelf: ModuleRepository
) -> None:
    add_version(folder, title="first")
    add_version(folder, parent="v1", title="second")
    add_version(folder, parent="v1", title="other", standing=VersionStatus.ROLLED_BACK)
    add_version(folder, parent="v2")
    add_version(folder, parent="v77", title="its parent is gone")
    rows = [(row.version.name, row.depth, row.last) for row in branches(_frog(shelf).versions)]
    assert rows == [
        ("rules", 0, False),
        ("v1", 0, False),
        ("v2", 1, False),
        ("v4", 2, True),
        ("v3", 1, True),
        ("v5", 0, True),
    ]


def test_parents_in_a_circle_still_show_every_version(folder: ModuleFolder, shelf: ModuleRepository) -> None:
    add_version(folder, parent="v2")
    add_version(folder, parent="v1")
    assert [row.version.name for row in branches(_frog(shelf).versions)] == ["rules", "v1", "v2"]


def test_a_damaged_version_is_named_and_the_others_are_shown(
    folder: ModuleFolder, shelf: ModuleRepository
) -> None:
    add_version(folder)
    add_version(folder)
    (folder.folder("v1") / "about.json").write_text("{", encoding="utf-8")
    frog = _frog(shelf)
    assert [version.name for version in frog.versions] == ["rules", "v2"]
    assert "v1" in frog.faults[0].what
    (folder.root / "promoted.json").write_text("[]", encoding="utf-8")
    frog = _frog(shelf)
    assert frog.driving == "rules"
    assert any("promoted.json" in fault.what for fault in frog.faults)


def test_a_training_is_found_by_its_lock_and_says_how_long_still(
    folder: ModuleFolder, shelf: ModuleRepository
) -> None:
    add_version(folder, standing=VersionStatus.TRAINING)
    where = folder.folder("v1")
    write_log(where, done=120_000, state="running")
    with FileLock(where / LOCK, role="training", subject="it"):
        frog = _frog(shelf)
        training = frog.training
        assert training is not None
        assert training.progress is not None
        assert (training.progress.stage, training.progress.pid) == ("running", os.getpid())
        assert module_sign(frog).word == "training"
        done, still = progress_words(training.progress)
        assert done == "120,000 of 300,000 steps"
        assert still == "3:20 min left"
        assert training.choices == (81 * 17, 19 * 17)
    died = _frog(shelf).version("v1")
    assert died is not None
    assert str(version_sign(died)) == "! interrupted"
    assert trouble(died)[0] == "The training of v1 was interrupted at step 120,000: its process is gone."


def test_a_training_that_just_began_is_not_called_dead(folder: ModuleFolder, shelf: ModuleRepository) -> None:
    add_version(folder, standing=VersionStatus.TRAINING)
    begun = _frog(shelf).version("v1")
    assert begun is not None
    assert begun.progress is not None
    assert begun.progress.stage == "starting"
    old = folder.folder("v1") / "about.json"
    os.utime(old, (1.0, 1.0))
    folder.write(folder.about("v1").model_copy(update={"created_at": 1.0}))
    os.utime(old, (1.0, 1.0))
    late = _frog(shelf).version("v1")
    assert late is not None
    assert late.progress is not None
    assert late.progress.stage == "died"


def test_a_failed_training_says_why(folder: ModuleFolder, shelf: ModuleRepository) -> None:
    add_version(folder, standing=VersionStatus.FAILED)
    write_log(folder.folder("v1"), state="failed", why="The reward is not finite at step 800.")
    result = _frog(shelf).version("v1")
    assert result is not None
    assert trouble(result)[0] == "The training of v1 failed: The reward is not finite at step 800."


# ---- words and differences


def test_scores_carry_their_interval_and_unit() -> None:
    assert score_words(score(151.2, 12.4)) == "151 ± 12.4 leaves"
    assert score_words(score(0.42, 0.1, unit="share")) == "0.42 ± 0.10 share"
    assert score_words(score(0.9, 0.1, unit="")) == "18 of 20 won"
    assert score_words(None) == "not scored"


def test_a_difference_shows_what_went_before_what_came() -> None:
    lines = diff(FIRST_REWARD, SECOND_REWARD)
    assert changed(lines) == (2, 1)
    signs = "".join(line.sign for line in lines).strip()
    assert signs == "-++"
    came = [line for line in lines if line.sign == "+"]
    assert [(line.old, line.new) for line in came] == [(None, 7), (None, 8)]


def test_a_changed_threshold_is_one_line_out_and_one_in(folder: ModuleFolder) -> None:
    before = folder.declared
    rules = [before.rules[0].model_copy(update={"when": "height > 55"}), *before.rules[1:]]
    after = before.model_copy(update={"rules": rules})
    assert changed(diff(rules_text(before), rules_text(after))) == (1, 1)


# ---- recipes and commands


def test_every_value_of_a_recipe_has_an_editor_with_its_bounds() -> None:
    fields = {item.key: item for group in recipe_fields().values() for item in group}
    assert {*fields, *TABLES} == set(Recipe.model_fields)
    assert fields["steps"].help.endswith(" · 100 … 1,000,000,000 steps")
    assert fields["gamma"].help.endswith(" · above 0, below 1")
    assert fields["drop"].help.endswith(" · from 0, below 1 share")
    assert (fields["steps"].least, fields["steps"].most, fields["steps"].decimals) == (100, 1_000_000_000, 0)
    assert (fields["gamma"].least, fields["gamma"].most) == (0.0001, 0.9999)


def test_only_what_was_changed_is_ordered() -> None:
    recipe = Recipe(noise={"height": 1.5})
    values = {**recipe.model_dump(), "steps": 500, "noise": {"height": 2.0}, "hidden": [32, 32]}
    assert set(settings(recipe, values)) == {"steps=500", "noise.height=2", "hidden=32,32"}
    with pytest.raises(PitwallError, match="gamma"):
        checked(recipe, {"gamma": 1.5})
    assert differences(recipe, recipe.model_copy(update={"steps": 500})) == [("Length", "300,000", "500")]
    reward, changes = Path("r.py"), ("steps=500",)
    order = TrainingOrder(source="v1", reward=reward, changes=changes, seed=0, workers=2, detach=True)
    assert order.words() == [
        "--from",
        "v1",
        "--set",
        "steps=500",
        "--reward",
        "r.py",
        "--workers",
        "2",
        "--detach",
    ]
    order = TrainingOrder(source="all", start_from="v2", pixels=True, detach=True)
    assert order.words() == ["--from", "all", "--start-from", "v2", "--pixels", "--detach"]


# ---- checks


def test_rules_are_checked_by_the_games_own_language(folder: ModuleFolder) -> None:
    good = folder.declared
    assert check_rules(good, folder.game) == []
    rules = [Rule(when="heigth > 3", action="hop"), Rule(when="height >", action="fly"), *good.rules]
    faults = check_rules(good.model_copy(update={"rules": rules, "ends": "nobody"}), folder.game)
    assert [(fault.rule, fault.column) for fault in faults] == [(ENDS, 0), (0, 0), (1, 0), (1, 1)]
    assert "Did you mean 'height'" in str(faults[1])
    result = rules_checked(faults, 4)
    assert not result.passed
    assert [line.value for line in result.lines] == ["✕ faulty", "✕ unknown"]


def test_a_rewards_check_is_told_in_lines() -> None:
    good = reward_checked(
        {
            "passed": True,
            "asked": 10_000,
            "finite": 10_000,
            "us_per_call": 11.4,
            "low": -10,
            "mean": 0.1,
            "high": 5,
        }
    )
    assert good.passed
    assert [(line.name, line.value) for line in good.lines] == [
        ("Sandbox: no files, no network", "✓ passed"),
        ("10,000 sampled transitions", "✓ finite"),
        ("Time per call", "11 µs"),
        ("Reward", "−10 … 5, mean 0.10"),
    ]
    bad = reward_checked({"passed": False, "sentence": "reward.py, line 3: no files.", "line": 3, "asked": 9})
    assert (bad.sentence, bad.line) == ("reward.py, line 3: no files.", 3)
    assert [line.value for line in bad.lines] == ["✕ refused"]


# ---- drafts, and versions that go


def test_drafts_outlive_the_window(tmp_path: Path) -> None:
    key = DraftKey(FROG, "v2", "reward")
    file = Drafts(DataFolder(tmp_path)).put(key, "def reward(): ...\n")
    later = Drafts(DataFolder(tmp_path))
    assert later.all() == [key]
    assert later.get(key) == file.read_text(encoding="utf-8")
    later.drop(key)
    assert Drafts(DataFolder(tmp_path)).all() == []


def test_what_drives_or_trains_is_not_deleted(folder: ModuleFolder) -> None:
    for _ in range(3):
        add_version(folder)
    folder.promote("v1")
    with pytest.raises(PitwallError, match="v1 drives"):
        delete_version(folder, "v1")
    with (
        FileLock(folder.folder("v2") / LOCK, role="training", subject="it"),
        pytest.raises(PitwallError, match="v2 is being trained"),
    ):
        delete_version(folder, "v2")
    with pytest.raises(PitwallError, match="belongs to the game"):
        delete_version(folder, "rules")
    delete_version(folder, "v3")
    assert folder.names() == ["rules", "v1", "v2"]


def test_only_a_proposal_is_rejected(folder: ModuleFolder) -> None:
    add_version(folder, standing=VersionStatus.PROPOSED)
    reject(folder, "v1")
    assert folder.about("v1").standing is VersionStatus.ROLLED_BACK
    with pytest.raises(PitwallError, match="not proposed"):
        reject(folder, "v1")


# ---- invented modules


def test_invented_modules_are_marked_and_those_at_rest_say_why(
    folder: ModuleFolder, shelf: ModuleRepository
) -> None:
    data, on = DataFolder(folder.root.parents[2]), Settings().with_value("gsm", "invent_modules", True)
    assert [module.declared.name for module in shelf.read(None, open_game="pond").modules[:2]] == [
        "fish",
        "frog",
    ]
    rules = [Rule(when="height > 80", action="hop")]
    proposed = ProposedModule(name="newt", description="Hop late", ends="status != 'playing'", rules=rules)
    invent(data, folder.game, proposed, on, by="model", model="tiny")
    newt = _newt(shelf)
    assert (str(module_sign(newt)), module_words(newt)) == ("– at rest", "at rest · invented")
    assert (newt.driving, newt.learns, at_rest(newt.declared)) == ("", False, OFF)
    save_settings(data.settings, on)
    newt = _newt(shelf)
    assert (module_words(newt), invented_words(newt.declared)) == (
        "rules · invented",
        "invented by the model tiny",
    )
    assert (newt.driving, at_rest(newt.declared)) == ("rules", "")
    assert origin(newt.versions[0].about) == "by a model"
    frog = _frog(shelf)
    assert (module_words(frog), invented_words(frog.declared)) == ("rules", "")
    remove(data, Registry(data).load("pond"), "newt")
    assert shelf.read(None).module(ModuleKey("pond", "newt")) is None


def _newt(shelf: ModuleRepository) -> ModuleViewModel:
    result = shelf.read(None, open_game="pond").module(ModuleKey("pond", "newt"))
    assert result is not None
    return result
