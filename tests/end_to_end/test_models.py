"""Local models, from the file to the played game, and what goes wrong beneath a run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.command import pitwall
from tests.end_to_end.conftest import MakeGame, MakePit
from tests.end_to_end.driver import LONG_HOLDS, Pit, children_of, until, until_up
from tests.end_to_end.game import SmallGame
from tests.patience import patient

from pitwall.core import commands, telemetry
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.memory_fields import MemoryKind
from pitwall.core.memory_kinds import EpisodeMemory
from pitwall.core.paths import DataFolder
from pitwall.core.settings import ModelSettings
from pitwall.core.signals import Thresholds
from pitwall.core.telemetry import EngineState
from pitwall.memory.reader import MemoryReader
from pitwall.models.registry import ModelRegistry
from pitwall.store.run_reader import RunReader
from workshop.fixtures.simulated_person import SimulatedPerson
from workshop.fixtures.tiny_models import tiny_text_model

pytestmark = pytest.mark.screen

THINKS = LONG_HOLDS.model_copy(update={"models": ModelSettings(strategic="tiny")})


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random model."""
    return tiny_text_model(tmp_path_factory.mktemp("models") / "tiny.gguf", context=8192)


@pytest.fixture
def registry(data: DataFolder, model_file: Path) -> ModelRegistry:
    """The data folder's registry, with the tiny model in it."""
    registry = ModelRegistry(data)
    registry.add_file(model_file, name="tiny")
    return registry


@pytest.fixture(scope="module")
def thinker(screen: str, model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pit]:
    """An engine with the tiny model, for the tests that leave it alive."""
    assert screen
    folder = tmp_path_factory.mktemp("thinker")
    data = patient(DataFolder(folder / "data"))
    ModelRegistry(data).add_file(model_file, name="tiny")
    game = SmallGame(folder, ("tap", "tap"))
    game.open()
    game.window_id()
    pit = Pit(data, game.folder, settings=THINKS)
    pit.expect_state(EngineState.READY)
    yield pit
    pit.close()
    game.close()


@pytest.fixture
def thinking(thinker: Pit) -> Iterator[Pit]:
    """It plays a further run, in which its model has planned at least once; the run is ended afterwards."""
    thinker.send(commands.SetSettings(settings=THINKS))
    thinker.play_again()
    thinker.expect(telemetry.CallEnded, lambda note: note.record.outcome is CallOutcome.USED)
    yield thinker
    thinker.end_run()


def _host(pit: Pit) -> int | None:
    return next(iter(children_of(pit.session.pid, "host")), None)


def test_from_a_file_to_a_played_game(tmp_path: Path, model_file: Path) -> None:
    data = patient(DataFolder(tmp_path / "data"))
    added = pitwall("models", "add", str(model_file), "--name", "tiny", "--json", data=data)
    assert added.status == 0, added.err
    played = pitwall(
        *("run", "--game", "flappy", "--planner", "model", "--model", "tiny", "--seconds", "4", "--json"),
        *("--setting", "models.replies=write"),
        *("--ablate", "no-override", "--layer", "L4=disable"),
        data=data,
        DISPLAY=None,
        WAYLAND_DISPLAY=None,
    )
    assert played.status == 0, played.err
    text = played.answer
    calls = text["model_calls"]
    assert calls["calls"] >= 2 and calls["invalid_actions"] == 0
    assert calls["fresh_tokens"] > 0 and calls["cached_tokens"] > 0 and calls["output_tokens"] > 0
    assert calls["tiers"]["strategic"]["model"] == "tiny"
    assert text["keys_down_at_end"] == 0
    run_id = str(text["run_id"])
    prompt = pitwall("prompt", run_id, "1", "--json", data=data)
    assert prompt.status == 0, prompt.err
    for call in prompt.answer["calls"]:
        layers = {layer["layer"]: layer for layer in call["layers"]}
        assert {"L1", "L2", "L3", "state"} <= set(layers) and "L4" not in layers
        written = [layer for layer in layers.values() if layer["text"]]
        assert all(layer["tokens"] > 0 and len(layer["sha256"]) == 64 for layer in written)
    settings = RunReader.open(data).run(text["run_id"]).manifest.settings
    assert settings["control"]["override"] is False and settings["layers"]["l4"] == "disable"


def test_a_run_is_reviewed_before_the_command_ends(tmp_path: Path, model_file: Path) -> None:
    data = patient(DataFolder(tmp_path / "data"))
    ModelRegistry(data).add_file(model_file, name="tiny")
    played = pitwall(
        *("run", "--game", "flappy", "--planner", "skills", "--seconds", "2", "--json"),
        *("--setting", "models.analysis=tiny"),
        data=data,
        DISPLAY=None,
        WAYLAND_DISPLAY=None,
    )
    assert played.status == 0, played.err
    [told] = [item for item in played.answer["faults"] if "tiny" in item]
    assert "tiny did not sum it up: " in told, "it writes no language"
    calls = RunReader.open(data).calls(played.answer["run_id"])
    assert [(call.purpose, call.outcome) for call in calls] == [(Purpose.SUMMARISE, CallOutcome.INVALID)]
    [episode] = MemoryReader(data).page("flappy", MemoryKind.EPISODE)[0]
    assert isinstance(episode.content, EpisodeMemory)
    assert "In the words of" not in episode.content.text


def test_a_killed_host_is_outlived_and_comes_back(thinking: Pit, hands: SimulatedPerson) -> None:
    pit = thinking
    before = until(lambda: _host(pit), "a host")
    os.kill(before, signal.SIGKILL)
    pit.send(
        commands.SetThresholds(
            thresholds=Thresholds(**pit.all_heard(telemetry.RunBegan)[0].manifest.thresholds)
        )
    )
    pit.expect(telemetry.StepNote)
    pit.until(lambda: _host(pit) not in (None, before), "another host")
    pit.expect(telemetry.CallEnded, lambda note: note.record.outcome is CallOutcome.USED)
    assert pit.state is EngineState.PLAYING
    pit.send(commands.Stop())
    assert pit.expect(telemetry.RunEnded).keys_down == 0
    until_up(hands)


def test_a_model_that_was_damaged_since_is_refused_in_words_and_the_skills_play(
    registry: ModelRegistry, tmp_path: Path, make_game: MakeGame, make_pit: MakePit
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(Path(registry.get("tiny").spec.path).read_bytes())
    damaged = bytearray(mine.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    registry.remove("tiny")
    registry.add_file(mine, name="tiny")
    mine.write_bytes(damaged)
    pit = make_pit(make_game("tap", "tap"), settings=THINKS)
    run_id = pit.play()
    fault = pit.until(  # it may be told before the agent plays
        lambda: next((item for item in pit.all_heard(telemetry.Fault) if "mine.gguf" in item.what), None),
        "the damage to be told",
    )
    assert fault.fix
    pit.until(lambda: len(pit.steps) >= 2, "the skills to play")
    note = pit.all_heard(telemetry.ControllersNote)[-1]
    assert (note.planner, "skill planner plays" in note.text) == ("skills", True)
    outcomes = {call.outcome for call in RunReader.open(pit.data).calls(run_id)}
    assert outcomes <= {CallOutcome.FAILED}, "one may have been asked before the refusal came"


def test_tier_models_change_while_the_agent_plays(thinking: Pit) -> None:
    pit = thinking
    ModelRegistry(pit.data).add_remote("nowhere", "http://127.0.0.1:9/v1", "any")
    other = THINKS.model_copy(update={"models": ModelSettings(strategic="nowhere")})
    pit.send(commands.SetSettings(settings=other))
    failed = pit.expect(telemetry.CallEnded, lambda note: note.record.model == "nowhere")
    assert failed.record.outcome is CallOutcome.FAILED and "127.0.0.1" in failed.record.problem
    pit.send(commands.SetSettings(settings=LONG_HOLDS))
    pit.expect(telemetry.ControllersNote, lambda note: note.planner == "skills")
    asked = len(pit.all_heard(telemetry.CallBegan))
    pit.expect(telemetry.StepNote)
    pit.expect(telemetry.StepNote)
    assert len(pit.all_heard(telemetry.CallBegan)) == asked
    notes = [note.event.text for note in pit.all_heard(telemetry.EventNote)]
    assert any("models.strategic tiny → nowhere" in text for text in notes)


def test_without_a_model_it_says_so(make_game: MakeGame, make_pit: MakePit) -> None:
    pit = make_pit(make_game("tap"))
    pit.play()
    pit.until(lambda: pit.all_heard(telemetry.ControllersNote), "who thinks")
    note = pit.all_heard(telemetry.ControllersNote)[-1]
    assert (note.planner, note.text) == ("skills", "No model is installed: the skill planner plays.")
    assert json.dumps(note.tiers) == "{}"
