"""Every error ends as one sentence, whatever bytes stand in a path and wherever the output goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pitwall.core.errors import DataFolderError
from pitwall.core.paths import DataFolder

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="paths there are text, and no shell closes files"
)


def _pitwall(command: str, data: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell's line in which `pitwall` is the real command."""
    variables = {**os.environ, "PITWALL_DATA": str(data), **environment}
    line = f'pitwall() {{ "{sys.executable}" -m pitwall "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], env=variables, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize(("locale", "utf8"), [("C", "0"), ("C.UTF-8", "0"), ("C", "1")])
def test_a_path_that_is_no_utf_8_stands_in_a_sentence(tmp_path: Path, locale: str, utf8: str) -> None:
    environment = {"LC_ALL": locale, "PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0"}
    plain = _pitwall(r"pitwall teach import $'/tmp/no\377.mcap'", tmp_path, **environment)
    assert plain.returncode == 1 and plain.stderr.startswith(rb"pitwall: /tmp/no\udcff.mcap cannot be imp")
    as_json = _pitwall(r"pitwall teach import $'/tmp/no\377.mcap' --json", tmp_path, **environment)
    assert as_json.returncode == 1 and "cannot be imported" in json.loads(as_json.stdout)["what"]


def test_a_steering_character_in_an_error_does_not_reach_the_terminal(tmp_path: Path) -> None:
    done = _pitwall(r"pitwall models show $'a\033[2J'", tmp_path)
    assert done.returncode == 1 and b"\x1b" not in done.stderr


def test_a_data_folder_whose_links_lead_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    done = _pitwall("pitwall runs", tmp_path / "a")
    assert done.returncode == 1 and b"its links lead in a circle" in done.stderr
    assert b"Traceback" not in done.stderr
    with pytest.raises(DataFolderError):
        DataFolder(Path("~nobody-of-this-name/x"))
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match="/file is a file"):
        DataFolder(tmp_path / "file" / "x")


@pytest.mark.parametrize("command", ["runs", "models list --json", "settings list"])
def test_a_full_disk_is_a_sentence(tmp_path: Path, command: str) -> None:
    done = _pitwall(f"pitwall {command} > /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("pitwall: the output cannot be written: no space left on device.")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_closed_output_is_no_fault(tmp_path: Path, closed: str) -> None:
    assert _pitwall(f"pitwall runs {closed}", tmp_path).returncode == 0


def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    done = _pitwall("pitwall settings list | true; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.stdout == b"0\n" and not done.stderr


@pytest.mark.parametrize("named", ["--data=~/x", "--data '~/x'", ""])
def test_the_home_folder_is_expanded(tmp_path: Path, named: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    line = f"cd '{home}'; pitwall settings set control.planner skills {named}"
    done = _pitwall(line, Path("~/x"), HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert [entry.name for entry in home.iterdir()] == ["x"]


def test_an_unforeseen_error_is_a_sentence_with_its_traceback_in_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from pitwall.cli import main

    def fails(*_: str) -> None:
        raise LookupError("nobody thought of \udcff this")

    monkeypatch.setenv("PITWALL_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["pitwall", "runs"])
    monkeypatch.setattr(main, "program", fails)
    assert main.main() == 1
    shown = capsys.readouterr().err
    assert (
        shown.startswith("pitwall: Pitwall failed: LookupError: nobody thought of ") and "Trace" not in shown
    )
    assert "in fails" in (tmp_path / "logs" / "commands.log").read_text()
