"""The version that `pitwall` tells; the man page and the completions that are installed with it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pitwall import __version__
from pitwall.cli.version import built_from, show_version
from pitwall.core.paths import resources_dir
from pitwall.memory.migrations import REVISIONS as MEMORY_REVISIONS
from pitwall.store.migrations import REVISIONS as RUN_REVISIONS
from workshop.completions import BASH, completions
from workshop.man_page import man_page


def test_it_tells_version_build_and_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    show_version(json=True)
    answer = json.loads(capsys.readouterr().out)
    assert (answer["version"], answer["build"]) == (__version__, built_from())
    assert answer["schemas"] == {
        "run log": RUN_REVISIONS[-1],
        "memory": MEMORY_REVISIONS[-1],
        "plugin.toml": "1",
    }


def test_the_man_page_is_that_of_today_s_commands() -> None:
    kept = (resources_dir() / "desktop" / "pitwall.1").read_text(encoding="utf-8")
    assert kept == man_page(), "python -m workshop.man_page resources/desktop/pitwall.1"
    assert ".B gsm train\n" in kept  # the packages' commands stand there, too
    assert ".B bench\n" not in kept


def test_the_shells_complete_today_s_commands(project_root: Path) -> None:
    folder = project_root / "resources" / "desktop"
    for name, text in completions().items():
        kept = (folder / name).read_text(encoding="utf-8")
        assert kept == text, "python -m workshop.completions resources/desktop"


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_a_command(project_root: Path) -> None:
    folder = project_root / "resources" / "desktop"
    asked = 'COMP_WORDS=(pitwall games ch); COMP_CWORD=2; _pitwall; echo "${COMPREPLY[@]}"'
    script = f"source {folder / BASH}; {asked}"
    answer = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["check"]
