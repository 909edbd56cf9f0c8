"""The open book shows what an exam's questions are about."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tests.pitwall_exam.console.made_exams import record_grid_run

from pitwall.core.paths import DataFolder
from pitwall.store.run_reader import RunReader
from pitwall_exam.console.person.book_lines import book_lines


def test_the_book_of_an_exam_about_fields_has_the_fields(tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    run_id = record_grid_run(data, count=12, frames=0)
    with contextlib.closing(RunReader.open(data)) as reader:
        own, general = (book_lines(reader, data, run_id, 5, name) for name in ("grid", "general"))
    assert [line.step for line in own] == [line.step for line in general] == [1, 2, 3, 4, 5, 6]
    assert own[-1].title == "After step 5" and own[-1].is_outcome and own[-1].words
    assert "carrying" in own[0].words
    assert "wood 0" in general[0].words and "route" in general[0].words
