"""The model that ships: in every registry, the planner where none is chosen, and never lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pitwall.core.errors import ModelTaken, UnknownModel
from pitwall.core.paths import DataFolder
from pitwall.core.settings import Settings
from pitwall.engine.inference.model_manager import wanted_planner, wanted_reactive
from pitwall.models import shipped
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.tiny_models import tiny_text_model


@pytest.fixture
def registry(tmp_path: Path) -> ModelRegistry:
    return ModelRegistry(DataFolder(tmp_path / "data"))


@pytest.mark.usefixtures("resources")
def test_it_is_in_a_registry_that_nobody_wrote(registry: ModelRegistry) -> None:
    entry = registry.get(shipped.NAME)
    assert (entry.source, entry.path) == (shipped.SOURCE, str(shipped.shipped_file()))
    assert entry.sha256 and entry.size_bytes
    with pytest.raises(ModelTaken, match="ships with Pitwall"):
        registry.remove(shipped.NAME)


def test_its_options_are_kept_where_the_checkout_moves(
    registry: ModelRegistry, resources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.change(shipped.NAME, context=1024, threads=1)
    moved = resources.with_name("moved")
    resources.rename(moved)
    monkeypatch.setattr(shipped, "resources_dir", lambda: moved)
    entry = registry.get(shipped.NAME)
    assert (entry.context, entry.threads) == (1024, 1)
    assert entry.path == str(moved / "models" / f"{shipped.NAME}.gguf")


def test_another_model_is_added_beside_it_and_the_file_holds_only_that(
    registry: ModelRegistry, resources: Path, tmp_path: Path
) -> None:
    other = tiny_text_model(tmp_path / "other.gguf", seed=3)
    registry.add_file(other)
    assert [model.name for model in registry.all()] == ["other", shipped.NAME]
    shipped.shipped_file().unlink()
    assert [model.name for model in registry.all()] == ["other"]
    with pytest.raises(ModelTaken, match="already"):
        registry.add_file(other, name="again")
    assert resources.is_dir()


@pytest.mark.usefixtures("resources")
def test_it_runs_with_flash_attention_unless_told_otherwise(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    registry = ModelRegistry(data)
    assert registry.get(shipped.NAME).spec.flash_attention == "on"
    registry.change(shipped.NAME, threads=1)
    stored = json.loads(data.model_registry.read_text(encoding="utf-8"))
    del stored["models"][0]["flash_attention"]  # written before there was a choice
    data.model_registry.write_text(json.dumps(stored), encoding="utf-8")
    assert registry.get(shipped.NAME).spec.flash_attention == "on"
    registry.change(shipped.NAME, flash_attention="auto")
    entry = registry.get(shipped.NAME)
    assert (entry.spec.flash_attention, entry.threads) == ("auto", 1)


@pytest.mark.usefixtures("resources", "llama")
def test_it_thinks_where_no_model_is_chosen() -> None:
    settings = shipped.with_shipped(Settings())
    assert (settings.models.strategic, settings.models.fast) == (shipped.NAME, shipped.NAME)
    assert (wanted_planner(settings), wanted_reactive(settings)) == ("model", "model")
    chosen = Settings().with_value("models", "strategic", shipped.NAME)
    settled = shipped.with_shipped(chosen)
    assert settled == shipped.as_in_lessons(chosen), "the operator's choice stands"


@pytest.mark.usefixtures("resources", "llama")
@pytest.mark.parametrize("name", ["", shipped.NAME])
def test_its_prompts_have_the_memory_of_its_lessons(name: str) -> None:
    settings = Settings().with_value("models", "strategic", name)
    assert settings.memory.controllers == "own"
    assert shipped.with_shipped(settings).memory.controllers == "shared"
    compared = settings.with_value("memory", "controllers", "swapped")
    assert shipped.with_shipped(compared).memory.controllers == "swapped"


@pytest.mark.usefixtures("resources")
@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("control", "planner", "skills"),
        ("control", "planner", "random"),
        ("models", "shipped", False),
        ("control", "interface", "computer-use"),
        ("models", "strategic", "mine"),
    ],
)
def test_what_the_operator_chose_stays(section: str, key: str, value: object) -> None:
    settings = Settings().with_value(section, key, value)
    assert shipped.with_shipped(settings) == settings


def test_hidden_or_damaged_it_is_no_model(
    registry: ModelRegistry, resources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped.shipped_file().write_bytes(b"GGUF, but cut off")
    assert registry.all() == ()
    assert wanted_planner(shipped.with_shipped(Settings())) == "skills"
    tiny_text_model(shipped.shipped_file())
    assert registry.all()
    monkeypatch.setenv(shipped.SWITCH, "off")
    with pytest.raises(UnknownModel):
        registry.get(shipped.NAME)
    assert resources.is_dir()


def test_a_copy_of_it_is_not_added_beside_it(registry: ModelRegistry, resources: Path) -> None:
    copy = resources / "copy.gguf"
    copy.write_bytes(shipped.shipped_file().read_bytes())
    with pytest.raises(ModelTaken, match="it ships with Pitwall") as refused:
        registry.add_file(copy)
    assert "remove" not in str(refused.value)


@pytest.mark.usefixtures("resources", "llama")
def test_it_says_for_which_tiers_it_stands_in() -> None:
    both = {"fast": shipped.NAME, "strategic": shipped.NAME}
    assert shipped.shipped_model_serves(Settings()) == both
    assert shipped.shipped_model_serves(Settings().with_value("models", "fast", "mine")) == {
        "strategic": shipped.NAME
    }
    assert shipped.shipped_model_serves(Settings().with_value("models", "strategic", "mine")) == {}
    assert shipped.shipped_model_serves(Settings().with_value("models", "shipped", False)) == {}
