"""The one reporter of all commands: JSON for programs, lines for persons, progress for terminals alone."""

from __future__ import annotations

import json

import pytest

from pitwall.cli.reporter import Line, Reporter, table
from pitwall.core.quantities import counted


def _used(report: Reporter) -> None:
    report.line("for a person")
    for done in range(3):
        report.progress(done, 3, f"step {done}\x1b[2J", stage="trying")
    report.event({"found": 1}, "found one")
    report.result({"all": [1]}, (Line("bold", bold=True), "the\x07end"))


def test_a_program_reads_one_json_value_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    _used(Reporter(json=True))
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[0] == {"progress": 0, "of": 3, "stage": "trying"}
    assert lines[3:] == [{"found": 1}, {"all": [1]}]
    assert err == ""


def test_a_log_gets_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    _used(Reporter(json=False))
    assert capsys.readouterr() == ("for a person\nfound one\nbold\nthe\\x07end\n", "")


def test_a_terminal_overwrites_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _used(Reporter(json=False))
    out, err = capsys.readouterr()
    assert err == "".join(f"\rstep {done}\\x1b[2J\x1b[K" for done in range(3)) + "\n"
    assert out.splitlines()[1] == "found one"


def test_bodies_are_worked_out_for_programs_and_lines_for_persons_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def never() -> object:
        raise AssertionError("worked out for nobody")

    Reporter(json=False).result(never, ["shown"])
    Reporter(json=True).result({"a": 1}, (str(never()) for _ in range(1)))
    assert capsys.readouterr().out == 'shown\n{"a": 1}\n'


def test_tables_are_aligned_and_numbers_counted() -> None:
    rows = [("a", "1"), ("long name", "-20")]
    assert list(table(("name", "n"), rows)) == [
        "name         n",
        "─────────  ───",
        "a            1",
        "long name  -20",
    ]
    assert (counted(1, "entry", "entries"), counted(2_000, "entry", "entries")) == (
        "1 entry",
        "2,000 entries",
    )


def test_a_state_is_said_once_for_as_long_as_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    report = Reporter(json=False)
    for text in ("waits", "waits", "plays", "waits"):
        report.state(text)
    assert capsys.readouterr().out.split() == ["waits", "plays", "waits"]
