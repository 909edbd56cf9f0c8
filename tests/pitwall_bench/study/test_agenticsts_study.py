"""AgenticSTS's cells as suites that share memories, and their report beside the paper's figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_bench.playing.learning_seats import LearningSeats, LearningTask

from pitwall.core.conditions import parse_condition
from pitwall.core.errors import DataFolderError, PitwallError
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Message
from pitwall.games.registry import Registry
from pitwall.memory.prompt.memory_entries import usable_skills
from pitwall.memory.store import MemoryStore
from pitwall.models.grammars.by_purpose import Shape
from pitwall.models.registry import ModelRegistry
from pitwall_bench.cli.study import spike
from pitwall_bench.cli.study_agenticsts import _task, agenticsts
from pitwall_bench.playing import play
from pitwall_bench.study.agenticsts_grid import CELLS, StsStudy
from pitwall_bench.study.agenticsts_paper import PAPER
from pitwall_bench.study.templates import NAMESPACE, TEMPLATES, fill_templates, library_lock, write_templates
from pitwall_bench.suites.first_memory import first_memory
from pitwall_bench.suites.spec import AgentSpec

GAME = "flappy/first_pipe"


@pytest.fixture
def seats(monkeypatch: pytest.MonkeyPatch) -> LearningSeats:
    seats = LearningSeats()
    monkeypatch.setattr(play, "_workers", lambda *_: seats)
    monkeypatch.setattr(LearningTask, "ends", {"flappy~first_pipe~no-scaffold~1~0": "steps"})
    return seats


def _study(data: DataFolder, capsys: pytest.CaptureFixture[str], **options: Any) -> dict[str, Any]:
    agenticsts(game=GAME, quick=True, data=data.root, json=True, **options)
    body: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return body


def test_an_unknown_task_is_refused_in_the_words_of_the_command_before_anything_is_written(
    tmp_path: Path,
) -> None:
    for study, options in (
        (agenticsts, {"game": "flappy/first_pip"}),
        (agenticsts, {"game": "flappy", "rungs": "first_pip"}),
        (spike, {"games": "flappy/first_pip"}),
    ):
        with pytest.raises(PitwallError, match=r"flappy has no task 'first_pip'.*'first_pipe'"):
            study(quick=True, data=tmp_path, **options)  # type: ignore[arg-type]
    assert not list(tmp_path.rglob("*.yaml"))


@pytest.mark.parametrize("game", ["", "nightpost", "nightpost/deliver"])
def test_the_deck_builder_is_played_to_deliver_its_letter_unless_another_task_is_named(
    tmp_path: Path, game: str
) -> None:
    named, task, tasks = _task(DataFolder(tmp_path), game)
    assert (named, task) == ("nightpost", "deliver") and tasks[0] == "three_fights"


def test_a_quick_study_learns_freezes_and_ends_with_its_report(
    seats: LearningSeats, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = DataFolder(tmp_path / "data")
    body = _study(data, capsys)
    assert body["state"] == "done" and len(body["suites"]) == 3
    cells = {cell["cell"]: cell for cell in body["cells"]}
    assert list(cells) == [cell.name for cell in CELLS]
    last = body["learning"][-1]["memory"]
    assert cells["skills-episodes"]["memory"] == last, "the frozen cell begins with what the learner left"
    assert "no model to fill them" in cells["template-skills"]["why"]
    assert (cells["no-scaffold"]["success"]["wins"], cells["hand-skills"]["success"]["wins"]) == (0, 1)
    assert {(test["wins_a"], test["wins_b"], round(test["p"], 3)) for test in body["tests"]} == {
        (0, 1, 1.0),
        (1, 2, 1.0),
    }
    assert {row["agent"] for row in body["climbs"]} == {"ladder-learning", "ladder-frozen"}
    page = Path(body["files"][0]).read_text(encoding="utf-8")
    assert "paper, Table 2" in page and "Fisher" in page and last[:12] in page
    played = len(seats.played)
    again = _study(data, capsys)
    assert len(seats.played) == played and again["learning"] == body["learning"], "nothing is played again"
    other = _study(DataFolder(tmp_path / "other"), capsys)
    assert other["learning"] == body["learning"], "two identical studies have identical hashes"


def test_a_model_plays_every_cell_and_hands_its_frozen_memory_to_another(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    ModelRegistry(data).add_remote("reader", "http://127.0.0.1:9/v1", "reader")
    study = StsStudy(name="s", game="flappy", task="first_pipe", model="reader", other="second")
    agents = {
        agent.name: agent for agent in study.cells({"learned": "l.jsonl", "templates": "t.jsonl"}).agents
    }
    assert set(PAPER) < set(agents) and "transcript" in agents
    assert {agent.model for agent in agents.values()} == {"reader", "second"}
    full, other = agents["skills-episodes"], agents["other-skills-episodes"]
    assert full.memory == other.memory == "l.jsonl" and "L4=freeze" in other.layer
    assert agents["template-skills"].memory == "t.jsonl"
    assert all(agent.settings["memory.write"] is False for agent in agents.values()), "frozen"
    learner: AgentSpec = study.learning().agents[0]
    assert (learner.carry, learner.accept) == ("agent", "gate")
    assert learner.settings["models.evolution"] == "reader"
    assert study.ladder() is None, "a ladder needs rungs"


def test_templates_are_filled_in_a_namespace_and_put_the_folder_s_skills_out_of_use(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    game = Registry(data).load("flappy")
    asked: list[str] = []

    def ask(messages: Sequence[Message], shape: Shape) -> str:
        asked.append("".join(span.text for message in messages for span in message.spans))
        assert "flap" in shape.grammar, "no illegal action can be written"
        if len(asked) == 2:
            return '{"name":"x","when":"no_such_field > 1","subgoal":"rise","actions":["flap"],"steps":1}'
        return '{"name":"mine","when":"status == \'playing\'","subgoal":"rise","actions":["flap"],"steps":1}'

    filled = fill_templates(game, "reader", ask)
    assert [skill.name for skill in filled.skills] == [
        f"{NAMESPACE}{name}" for name in ("opening", "gain", "stuck", "finish")
    ]
    assert len(filled.problems) == 1 and filled.problems[0].startswith("danger: ")
    assert all(template.asks in text for template, text in zip(TEMPLATES, asked, strict=True))
    content_hash = write_templates(game, filled, "reader", tmp_path / "t.jsonl")
    assert first_memory("t.jsonl", tmp_path, data, {"flappy": game}).content_hash == content_hash
    with MemoryStore.open(DataFolder(tmp_path / "session"), role="test") as store:
        store.begin_from(tmp_path / "t.jsonl", content_hash)
        entries = store.entries("flappy")
    usable, problems = usable_skills(game.profile, entries)
    applying = [skill.name for skill in usable if parse_condition(skill.when).holds({"status": "playing"})]
    assert not problems and applying == [skill.name for skill in filled.skills]
    held = pytest.raises(DataFolderError, match="the templates of flappy")
    with library_lock(data, "flappy"), held, library_lock(data, "flappy"):
        pytest.fail("two authors at a time")
