"""CSV that we write runs nothing in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pytest

from pitwall.cli.main import main
from pitwall.store.csv_text import csv_cell, csv_text, shown_cell

_FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(1)", "\t=1+1", "\r=1+1", "\n=1+1", "＝1+1", '=cmd|"/c calc"!A1']


@pytest.mark.parametrize("text", _FORMULAS)
@pytest.mark.parametrize("place", ["title", "cell"])
def test_a_text_that_begins_as_a_formula_is_made_harmless(text: str, place: str) -> None:
    titles, rows = ([text], [["plain"]]) if place == "title" else (["title"], [[text]])
    for cell in (csv_cell, shown_cell):
        lines = list(csv.reader(io.StringIO(csv_text(titles, rows, cell), newline="")))
        assert lines[0 if place == "title" else 1] == ["'" + text.replace("\r", "\n")]


def test_no_cell_begins_a_row_of_its_own() -> None:
    lines = list(csv.reader(io.StringIO(csv_text(["a", "b"], [["x\r=1+1", "y\r\n=2"]]), newline="")))
    assert lines == [["a", "b"], ["x\n=1+1", "y\n=2"]]


def test_numbers_stay_numbers_and_absent_numbers_are_empty() -> None:
    row = [-2, -0.5, "a=1", "", None, math.nan, math.inf, b"\x01\xff"]
    assert csv_text(["a"] * 8, [row]).splitlines()[1] == "-2,-0.5,a=1,,,,,01ff"
    assert csv_text(["a"], [["-2"]]).splitlines()[1] == "'-2"
    assert csv_text(["a"] * 3, [["-2", "-0.5e-3", "-2+3"]], shown_cell).splitlines()[1] == "-2,-0.5e-3,'-2+3"


def test_a_query_writes_harmless_cells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "select '=1+1' a, '@SUM(1)' b, '-2' c, -2 d, '=e' as '=f'"
    monkeypatch.setattr("sys.argv", ["pitwall", "query", sql, "--csv", "--data", str(tmp_path)])
    assert main() == 0
    assert capsys.readouterr().out == "a,b,c,d,'=f\n'=1+1,'@SUM(1),'-2,-2,'=e\n"
