"""Inventing and removing: the switch, the limit, nothing half written, and playing like any rule module."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer
from pitwall.core.settings import LayerSettings, MemorySettings, Settings
from pitwall.core.telemetry import ModulesNote
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.module_manager import ModuleManager
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.invented_modules import INVENTED
from pitwall.games.registry import Registry
from pitwall.games.schema.invention import InventionRefused, ProposedModule
from pitwall.games.schema.profile import Game
from pitwall.gsm.versions import ModuleFolder, UnknownModule
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.models.grammars.by_purpose import grammar_for
from pitwall.store.lease import FileLock
from pitwall_lab.modules.inventing import invent, remove

ON = Settings().with_value("gsm", "invent_modules", True)


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data")


def flappy(data: DataFolder, settings: Settings = ON) -> Game:
    return Registry(data, settings).load("flappy")


def proposed(name: str = "hover", **changes: Any) -> ProposedModule:
    rules = [{"when": "low > 260", "action": "flap", "cooldown_ms": 60}]
    whole = {"name": name, "description": "Hold the middle", "ends": "status != 'playing'", "rules": rules}
    return ProposedModule.model_validate(whole | {"why": "nothing holds it"} | changes)


def take_in(data: DataFolder, name: str = "hover", **changes: Any) -> None:
    invent(
        data, flappy(data), proposed(name, **changes), ON, by="model", model="tiny", prompt="all it was told"
    )


def everything(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


def test_one_is_kept_with_where_it_came_from(data: DataFolder) -> None:
    before = time.time()
    take_in(data)
    folder = ModuleFolder(data, flappy(data), "hover")
    assert folder.invented is not None
    kept = folder.invented.invention
    assert (kept.by, kept.model, kept.prompt, kept.module.why) == (
        "model",
        "tiny",
        "all it was told",
        "nothing holds it",
    )
    assert before <= kept.at <= time.time()
    assert (folder.names(), folder.driving()) == (["rules"], "rules")
    about = folder.about("rules")
    assert (about.by, about.title) == ("model", "as the model tiny invented it")
    assert ModuleFolder(data, flappy(data), "fly").invented is None
    assert everything(data.root) == {INVENTED}


@pytest.mark.parametrize(
    ("settings", "changes", "said"),
    [
        (Settings(), {}, "switched off"),
        (ON, {"ends": "lowest > 1"}, "unknown field 'lowest'"),
        (ON, {"ends": "true"}, "looks at no field"),
        (ON, {"name": "fly"}, "stands 2 times"),
    ],
)
def test_what_is_refused_leaves_nothing(
    data: DataFolder, settings: Settings, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(InventionRefused, match=said):
        invent(data, flappy(data), proposed(**changes), settings, by="operator")
    assert everything(data.root) == set()


def test_three_are_enough_for_a_game(data: DataFolder) -> None:
    for name in ("one", "two", "three"):
        take_in(data, name)
    with pytest.raises(InventionRefused, match="has 3 invented modules") as caught:
        take_in(data, "four")
    assert "pitwall gsm remove flappy/one" in caught.value.fix
    assert [item.name for item in flappy(data).invented] == ["one", "three", "two"]


def test_versions_of_an_earlier_module_are_not_taken_over(data: DataFolder) -> None:
    kept = data.modules / "flappy" / "hover" / "v1"
    kept.mkdir(parents=True)
    with pytest.raises(InventionRefused, match="earlier module 'hover'"):
        take_in(data)
    assert kept.is_dir()


def test_a_removed_one_is_gone_and_what_it_kept_stays(data: DataFolder) -> None:
    take_in(data)
    folder = ModuleFolder(data, flappy(data), "hover")
    folder.promote("rules")
    busy = FileLock(folder.root / "improve.lock", role="improve loop", subject="it")
    with busy, pytest.raises(PitwallError, match="in use by improve loop"):
        remove(data, flappy(data), "hover")
    aside = remove(data, flappy(data), "hover")
    assert {"promoted.json", INVENTED} <= everything(aside)
    assert flappy(data).module_names == ["fly"]
    take_in(data)
    assert ModuleFolder(data, flappy(data), "hover").promoted().history == (), "the name is free, and new"
    with pytest.raises(PitwallError, match="declared by its game"):
        remove(data, flappy(data), "fly")
    with pytest.raises(UnknownModule, match="Did you mean 'hover'"):
        remove(data, flappy(data), "hove")


def test_of_one_whose_name_the_author_took_the_authors_versions_stay(data: DataFolder) -> None:
    take_in(data)
    ours = (data.modules / "flappy" / "hover").rename(data.modules / "flappy" / "fly")
    text = (ours / INVENTED).read_text(encoding="utf-8").replace('"hover"', '"fly"')
    (ours / INVENTED).write_text(text, encoding="utf-8")
    (ours / "v1").mkdir()
    aside = remove(data, flappy(data), "fly")
    assert everything(aside) == {INVENTED}
    assert (ours / "v1").is_dir() and flappy(data).invented == ()


def test_switched_off_it_can_be_looked_at_and_not_played(data: DataFolder) -> None:
    take_in(data)
    off = flappy(data, Settings())
    with pytest.raises(UnknownModule, match="at rest: invented modules are switched off") as caught:
        ModuleFolder(data, off, "hover")
    assert "gsm.invent_modules true" in caught.value.fix
    looked = ModuleFolder(data, off, "hover", resting=True)
    assert (looked.names(), looked.driving()) == (["rules"], "")


# ---- it is offered, and plays


def offered(game: Game) -> str:
    """All that a planner is told of the game's modules, and may answer."""
    forms = Vocabulary(game.profile).forms
    book = PromptLayers(game, forms=forms, layers=LayerSettings(), memory=MemorySettings())
    schema = book.items(Layer.SCHEMA, purpose=Purpose.PLAN, values={"status": "playing"})
    message = "".join(item.text for item in schema if item.item == "modules")
    return message + grammar_for(Purpose.PLAN, forms, fields=book.fields, modules=book.modules).grammar


def driving(
    data: DataFolder, game: Game, host: HostLink, told: list[ModulesNote], **pins: str
) -> ModuleManager:
    return ModuleManager(game, data, host.mailbox(), pins=pins, tell=told.append, on_fault=lambda _: None)


def test_planners_are_told_of_it_and_the_engine_runs_it_only_where_it_is_on(
    data: DataFolder, tmp_path: Path
) -> None:
    take_in(data)
    on, off = flappy(data), flappy(data, Settings())
    assert "- hover: 'Hold the middle'; ends when status != 'playing'" in offered(on)
    assert "hover" not in offered(off)
    message: list[ModulesNote] = []
    host = HostLink(tmp_path / "logs")
    try:
        playing = driving(data, on, host, message, hover="rules")
        hover = playing.modules["hover"]
        hover.begin()
        assert hover.act({"low": 300.0}, 1) == "flap"
        assert hover.act({"low": 300.0}, 2) is None, "it cools down"
        assert hover.ended({"status": "menu"})
        shown = {module.name: module.title for module in message[-1].modules}
        assert shown["hover"] == "as the model tiny invented it"
        assert set(driving(data, off, host, message).modules) == {"fly"}
        with pytest.raises(UnknownModule, match="at rest"):
            driving(data, off, host, message, hover="rules")
    finally:
        host.close()
