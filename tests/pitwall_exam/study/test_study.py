"""A study asks about its episodes, goes on where it stopped, and says what gave no exam."""

from __future__ import annotations

import json

import pytest

from pitwall.core.errors import SettingsError
from pitwall.core.paths import DataFolder
from pitwall_exam.answering.systems.catalogue import installed_systems
from pitwall_exam.questions.folder import ExamFolder, exams_of
from pitwall_exam.study.conducting import StudyConductor
from pitwall_exam.study.plan import Episode, StudyPlan, checked_answerers
from pitwall_exam.study.playing import EPISODES_FILE, command_of
from pitwall_exam.study.report import html_of, tables_of, text_lines
from pitwall_exam.study.results import EmembenchResult

PLAN = StudyPlan(games=("flappy",), seeds=(1,), steps=40, answerers=("turns", "recall"), per_template=1)


def _conduct(data: DataFolder, plan: StudyPlan = PLAN, *, most: int = 1_000) -> EmembenchResult:
    """Conduct a study over run 1 as its first episode, stopped after so many parts."""
    folder = data.exams / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    played = {"runs": {Episode(game="flappy", seed=1, steps=40).key: 1}}
    (folder / EPISODES_FILE).write_text(json.dumps(played), encoding="utf-8")
    parts: list[str] = []
    return StudyConductor(
        plan, data, folder, lambda: len(parts) >= most, lambda text, *_: parts.append(text)
    ).conduct()


def test_everyone_is_marked_by_ability_and_by_distance(data: DataFolder) -> None:
    result = _conduct(data)
    assert result.state == "done"
    turns, recall = result.sittings
    assert (turns.answerer, recall.answerer) == ("turns", "recall")
    assert recall.marks[0].accuracy == 1.0
    assert 0.0 < (turns.marks[0].accuracy or 0.0) < 1.0
    answerable = sum(mark.n for mark in turns.distances)
    assert answerable == sum(mark.n for mark in recall.distances) > 0
    assert [(mark.from_steps, mark.to_steps) for mark in turns.distances][:2] == [(0, 10), (11, 25)]


def test_the_report_shows_each_row_beside_the_papers(data: DataFolder) -> None:
    result = _conduct(data)
    kinds = {"flappy": "visual"}
    tables = list(tables_of(result, kinds))  # type: ignore[arg-type]
    names = [row[0] for row in tables[0][2]]
    assert names[:2] == ["turns, by likeness · rules read", "recall"]
    assert any(name.startswith("the paper, table 3: GPT-5.1, A-MEM") for name in names)
    page = html_of(result, kinds)  # type: ignore[arg-type]
    assert "What each answerer was given" in page and "<script" not in page
    lines = list(text_lines(result, kinds, lambda _head, rows: (row[0] for row in rows)))  # type: ignore[arg-type]
    assert lines[0] == "EMemBench: flappy, seeds 1, done"


def test_a_stopped_study_goes_on_and_asks_nothing_twice(data: DataFolder) -> None:
    stopped = _conduct(data, most=2)
    assert stopped.state == "stopped" and [row.answerer for row in stopped.sittings] == ["turns"]
    (exam,) = [folder.exam_id for folder in exams_of(data)]
    before = [file.path.stat().st_mtime_ns for file in ExamFolder(data, exam).sheets()]
    whole = _conduct(data)
    sheets = ExamFolder(data, exam).sheets()
    assert whole.state == "done" and len(sheets) == 2
    assert before[0] in [file.path.stat().st_mtime_ns for file in sheets]


def test_a_sheet_that_was_stopped_halfway_is_kept_and_not_marked(data: DataFolder) -> None:
    _conduct(data, PLAN.model_copy(update={"answerers": ("recall",)}))
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > 8

    plan = PLAN.model_copy(update={"answerers": ("turns",)})
    result = StudyConductor(plan, data, data.exams / "studies", stopped, lambda *_: None).conduct()
    assert (result.state, result.sittings) == ("stopped", ())
    (folder,) = exams_of(data)
    sizes = sorted(len(answers.answers) for _, answers in folder.kept())
    assert 0 < sizes[0] < sizes[1] == len(folder.exam().questions)


def test_a_game_that_cannot_be_played_is_named_and_the_rest_goes_on(data: DataFolder) -> None:
    plan = PLAN.model_copy(update={"games": ("no_such_game", "flappy"), "answerers": ("recall",)})
    result = _conduct(data, plan)
    assert "no_such_game" in result.unplayed["no_such_game-1-40"]
    assert [row.game for row in result.sittings] == ["flappy"]


def test_horizons_are_exams_of_their_own(data: DataFolder) -> None:
    plan = PLAN.model_copy(update={"horizons": (0, 20), "answerers": ("recall",)})
    result = _conduct(data, plan)
    assert [row.horizon for row in result.sittings] == [0, 20]
    assert result.sittings[1].marks[0].accuracy == 1.0
    (rounds,) = [table for table in tables_of(result, {"flappy": "visual"}) if "steps played" in table[0]]
    assert rounds[1] == ("answerer", "steps 1 to 20", "whole episode")
    assert [(row[0], row[1][:3]) for row in rounds[2]] == [("recall", "100")]


def test_a_model_that_played_is_compared_with_itself_over_a_fixed_history(data: DataFolder) -> None:
    result = _conduct(data)
    turns, recall = result.sittings
    plan = result.plan.model_copy(update={"agents": ("skills", "small"), "model": "small"})
    own = recall.model_copy(update={"agent": "small", "name": turns.name})
    result = result.model_copy(update={"plan": plan, "sittings": (turns, own)})
    tables = {title: rows for title, _, rows, _ in tables_of(result, {"flappy": "visual"})}
    titles = list(tables)
    assert titles[0].startswith("flappy played by skills, fixed history, 1 episode")
    assert titles[2].startswith("flappy played by small, interactive, 1 episode")
    (row,) = tables["flappy: interactive less fixed history"]
    assert row[0] == f"{turns.name}, whole episode, against skills"
    assert row[1] == f"{100 * (1.0 - (turns.marks[0].accuracy or 0.0)):+.0f}"


def test_who_played_stands_in_rows_of_its_own(data: DataFolder) -> None:
    plan = PLAN.model_copy(update={"agents": ("skills", "random"), "answerers": ("recall",)})
    folder = data.exams / "studies"
    folder.mkdir(parents=True)
    keys = [episode.key for episode in plan.episodes]
    assert keys == ["flappy-1-40", "flappy-1-40-random"], "episodes of the skills keep their earlier names"
    (folder / EPISODES_FILE).write_text(json.dumps({"runs": dict.fromkeys(keys, 1)}), encoding="utf-8")
    result = StudyConductor(plan, data, folder, lambda: False, lambda *_: None).conduct()
    assert [(row.agent, row.episodes) for row in result.sittings] == [("skills", 1), ("random", 1)]
    titles = [title for title, *_ in tables_of(result, {"flappy": "visual"})]
    assert titles[0].startswith("flappy played by skills, 1 episode")
    assert titles[2].startswith("flappy played by random, 1 episode")


def test_an_episode_is_played_by_its_scenario_and_its_agent() -> None:
    skills = Episode(game="story/train", seed=3, steps=50)
    words = command_of(skills)
    assert words[:3] == ["run", "--game", "story"]
    assert words[words.index("--scenario") + 1] == "train"
    assert words[words.index("--planner") + 1] == "skills"
    thinking = command_of(skills.model_copy(update={"agent": "small", "game": "crafter"}))
    assert thinking[-4:] == ["--planner", "model", "--model", "small"]
    assert "--scenario" not in thinking


def test_an_unknown_answerer_and_a_missing_model_are_refused_with_their_remedy() -> None:
    with pytest.raises(SettingsError, match="no answerer is called 'fact'"):
        checked_answerers(["fact"], "")
    with pytest.raises(SettingsError, match="asks a language model"):
        checked_answerers(["in-context"], "")
    assert checked_answerers([], "") == (*installed_systems(), "recall")
    assert "in-context" in checked_answerers([], "some-model")
