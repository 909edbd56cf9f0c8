"""A data folder with a recorded run, an exam over it, and a tiny model behind a real host."""

from __future__ import annotations

import pytest
from tests.pitwall_exam.recorded_runs import recorded

from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from pitwall_exam.making.making import exam_of_run
from pitwall_exam.questions.folder import ExamFolder
from pitwall_exam.questions.paper import Exam
from workshop.fixtures.tiny_models import tiny_text_model

MODEL = "tiny"


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    folder = DataFolder(tmp_path_factory.mktemp("answering") / "data")
    recorded(folder, 40)
    path = tiny_text_model(folder.root / "tiny.gguf", seed=3)
    ModelRegistry(folder).add_file(path, name=MODEL, context=4096, threads=1)
    return folder


@pytest.fixture(scope="session")
def exam(data: DataFolder) -> Exam:
    made = exam_of_run(data, 1, wanted="general", per_template=1).exam
    ExamFolder(data, made.exam_id).save(made)
    return made
