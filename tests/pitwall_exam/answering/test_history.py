"""The whole episode reaches a model: shortened by stated rules, and its frames as mosaics."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from tests.pitwall_exam.recorded_runs import recorded

from pitwall.core.paths import DataFolder
from pitwall.models.registry import ModelRegistry
from pitwall_exam.answering.history import HistoryWriter
from pitwall_exam.answering.mosaic import CELL_PX, mosaics
from pitwall_exam.answering.opening import AnswererSpec, open_answerer
from pitwall_exam.answering.turns import Turn
from pitwall_exam.making.making import exam_of_run
from workshop.fixtures.tiny_models import tiny_text_model

_TURNS = [
    Turn(step, "go", "because of the light", "in the hall" if step < 40 else "in the yard")
    for step in range(1, 51)
]


def _words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_a_model_is_given_a_fact_of_turn_3_of_200(data: DataFolder) -> None:
    folder = DataFolder(data.root.parent / "long")
    recorded(folder, 201)
    ModelRegistry(folder).add_file(
        tiny_text_model(folder.root / "tiny.gguf", context=32768), name="tiny", context=32768, threads=1
    )
    sheet = exam_of_run(folder, 1, wanted="general", per_template=1).exam.sheet()
    with open_answerer(AnswererSpec(kind="in-context", model="tiny"), folder, sheet) as answerer:
        prompt = answerer.context(sheet.questions[:1], 1.0).user  # type: ignore[attr-defined]
    lines = [line for line in prompt.splitlines() if line.startswith("Step ")]
    assert len(lines) == 200 and lines[2].startswith("Step 3:") and "left out" not in prompt


def test_a_history_is_shortened_by_its_rules_in_their_order() -> None:
    writer = HistoryWriter(_TURNS, _words)
    whole = writer.history(10_000)
    assert len(whole.lines) == 50 and not whole.shortened and "light" in whole.text
    without_reasons = writer.history(450)
    assert len(without_reasons.lines) == 50 and "light" not in without_reasons.text
    assert without_reasons.shortened == "Reasons are left out."
    without_repeats = writer.history(320)
    assert without_repeats.lines[:2] == ("Step 1: in the hall Action: go.", "Step 2: same state. Action: go.")
    assert "Step 40: in the yard Action: go." in without_repeats.lines and without_repeats.first == 1
    newest = writer.history(60)
    assert newest.text.startswith(f"Steps 1 to {newest.first - 1} are left out")
    assert newest.lines[0] == f"Step {newest.first}: in the yard Action: go." and 40 < newest.first < 50
    assert writer.history(0).lines == ("Step 50: in the yard Action: go.",)
    assert HistoryWriter((), _words).history(100).lines == ()
    ended = HistoryWriter([*_TURNS, Turn(51, "", "", "in the dark", is_outcome=True)], _words).history(0)
    assert ended.lines == ("Step 50: in the yard Action: go.", "After step 50: in the dark")
    assert ended.first == 50 and ended.text.startswith("Steps 1 to 49 are left out")


def test_two_hundred_frames_stand_in_a_picture_and_a_damaged_one_is_dark() -> None:
    frame = cv2.imencode(".png", np.full((64, 32, 3), 200, np.uint8))[1].tobytes()
    frames = [(step, frame if step != 12 else b"broken") for step in range(1, 202)]
    first, second = mosaics(frames)
    assert "steps 1 to 200" in first[0] and "steps 201 to 201" in second[0]
    sheet = cv2.imdecode(np.frombuffer(first[1], np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None and sheet.shape[1] == 10 * CELL_PX
    row = sheet.shape[0] // 20
    middle = row - CELL_PX // 2
    assert (
        sheet[middle, 40].min() > 150 and sheet[middle, 120].max() < 50
    )  # as high as the cell, half as wide
    assert sheet[row + middle, CELL_PX + 40].max() < 50
    assert mosaics([]) == []
