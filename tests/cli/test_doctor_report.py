"""A report of the doctor holds nothing by which its sender is known."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path

import pytest

from pitwall.cli.doctor_report import anonymous, write_report
from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    monkeypatch.setenv("HOME", "/home/Jo.Anna")
    monkeypatch.setenv("USERPROFILE", "/home/Jo.Anna")
    monkeypatch.setattr(getpass, "getuser", lambda: "jo.anna")
    monkeypatch.setattr(socket, "gethostname", lambda: "annas-box")
    folder = DataFolder(tmp_path / "data")
    folder.logs.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/home/Jo.Anna/games/x.py", "~/games/x.py"),
        (r"C:\Users\JO.ANNA\x on ANNAS-BOX", r"C:\Users\USER\x on HOST"),
        ("the window 'Love letter to Bo' is gone", "the window a window is gone"),
        ("WindowRef(title='Bank: it\\'s 12', pid=3)", "WindowRef(a window, pid=3)"),
        ("banana annas-boxes", "banana annas-boxes"),
    ],
)
def test_what_names_a_person_is_taken_out(data: DataFolder, text: str, message: str) -> None:
    assert anonymous(text, data) == message


def test_a_report_holds_findings_and_the_ends_of_logs(data: DataFolder, tmp_path: Path) -> None:
    lines = [f"line {number} of jo.anna" for number in range(100)]
    (data.logs / "engine.log").write_text("\n".join(lines), encoding="utf-8")
    file = tmp_path / "report.txt"
    write_report(file, [f"ok   data folder    {data.root}: 3 runs"], data, command="pitwall doctor")
    text = file.read_text(encoding="utf-8")
    assert "ok   data folder    DATA: 3 runs" in text
    assert "line 99 of USER" in text
    assert "line 59 " not in text
    assert "Left out: user name" in text
    assert not [secret for secret in ("jo.anna", "annas-box", str(tmp_path)) if secret in text.lower()]


def test_a_report_that_cannot_be_written_says_so(data: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "none").write_text("")
    with pytest.raises(DataFolderError, match="cannot be written"):
        write_report(tmp_path / "none" / "report.txt", [], data, command="pitwall doctor")
