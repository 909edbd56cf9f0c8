"""Every form of every inventory has freer wordings that ask the same; the same are drawn everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.pitwall_exam.questions.general_episode import general_episode

from pitwall.core.errors import ExamError
from pitwall.core.paths import DataFolder
from pitwall.games.registry import Registry
from pitwall_exam.general.inventory import GENERAL
from pitwall_exam.grid.inventory import grid_inventory
from pitwall_exam.grid.vocabulary import grid_vocabulary
from pitwall_exam.plugin_table.schema import ExamTable
from pitwall_exam.questions.making import QuestionSource, make_exam
from pitwall_exam.questions.rewording import reworded, rewordings
from pitwall_exam.questions.template import Inventory
from pitwall_exam.text.inventory import TEXT_GAME

SLOT = re.compile(r"\{([a-z_]+)(?::(?:clause|plain))?\}")


@pytest.fixture(scope="module")
def inventories(tmp_path_factory: pytest.TempPathFactory) -> list[Inventory]:  # type: ignore[type-arg]
    crafter = Registry(DataFolder(tmp_path_factory.mktemp("data"))).load("crafter").profile
    exam = crafter.table(ExamTable)
    assert exam is not None and exam.grid is not None
    return [grid_inventory(grid_vocabulary(crafter, exam.grid)), TEXT_GAME, GENERAL]


def test_every_form_has_two_wordings_with_all_its_slots(
    inventories: list[Inventory],  # type: ignore[type-arg]
) -> None:
    known = rewordings()
    for inventory in inventories:
        assert set(known[inventory.name]) == {item.name for item in inventory.templates}
        for template in inventory.templates:
            wordings = known[inventory.name][template.name]
            assert len(set(wordings)) >= 2, template.name
            for words in wordings:
                assert sorted(SLOT.findall(words)) == sorted(template.form.slots), (template.name, words)
                assert words.casefold() != template.form.words.casefold()
                assert template.form.read(SLOT.sub("1", words)) is None, (template.name, words)


def test_a_reworded_exam_asks_freely_and_the_same_way_each_time() -> None:
    exam = make_exam(
        [QuestionSource(GENERAL, general_episode(80))], game_id="any", run_id=1, seed=42, horizon=50
    )
    free = reworded(exam)
    assert free == reworded(exam)
    assert free.paraphrased == "rewordings" and free.exam_id != exam.exam_id
    for question in free.questions:
        assert question.paraphrase and question.paraphrase != question.text
        assert "{" not in question.paraphrase
        if question.text.startswith("From step 1 to 50, "):
            assert "50" in question.paraphrase
        for name, value in question.slots.items():
            assert str(value).replace("_", " ") in question.paraphrase.replace("_", " "), (name, question)


def test_one_is_said_in_the_singular_and_names_without_underscores() -> None:
    wordings = {"general": {"S_occ_action": ["{nth}: {action:plain} 1 steps, 11 steps, 2.1 steps"]}}
    exam = make_exam([QuestionSource(GENERAL, general_episode(80))], game_id="any", run_id=1, seed=42)
    question = next(item for item in reworded(exam, wordings).questions if item.template == "S_occ_action")
    assert "1 step, 11 steps, 2.1 steps" in question.asked


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rewordings.toml"
    with pytest.raises(ExamError, match="cannot be read"):
        rewordings(file)
    file.write_bytes(b"[grid\n")
    with pytest.raises(ExamError, match="is damaged"):
        rewordings(file)


def test_the_published_words_have_no_freer_ones() -> None:
    exam = make_exam(
        [QuestionSource(GENERAL, general_episode(20))], game_id="any", run_id=1, seed=42, rule_set="compat"
    )
    with pytest.raises(ExamError, match="published words"):
        reworded(exam)
