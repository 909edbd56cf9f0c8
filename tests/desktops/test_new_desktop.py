"""A new desktop is a package and its entry point: tried on a copy of the tree, whose core stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("xcffib", reason="the copy is tried beside an X screen")

_ROOT = Path(__file__).resolve().parents[2]
_TOY = Path(__file__).with_name("toy_desktop.py")
_REGISTERED = "[pitwall.desktops]\ntoy = toy_desktop:DESKTOP\n"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and the contract's test, with a toy desktop added."""
    root = tmp_path_factory.mktemp("tree")
    without_caches = shutil.ignore_patterns("__pycache__")
    for package in ("pitwall", "workshop/fixtures"):
        shutil.copytree(_ROOT / "app" / package, root / "app" / package, ignore=without_caches)
    (root / "tests" / "desktops").mkdir(parents=True)
    for name in ("pyproject.toml", "tests/conftest.py", "tests/desktops/test_contract.py"):
        shutil.copy(_ROOT / name, root / name)
    distribution = root / "app" / "toy-1.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Name: toy\nVersion: 1\n", encoding="utf-8")
    (distribution / "entry_points.txt").write_text(_REGISTERED, encoding="utf-8")
    shutil.copy(_TOY, root / "app")
    return root


def _run(copy: Path, *arguments: str) -> str:
    paths = f"{copy / 'app'}{os.pathsep}{copy}"
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={
            **os.environ,
            "PYTHONPATH": paths,
            "PITWALL_TOY_DESKTOP": "1",
            "WAYLAND_DISPLAY": "toy",  # X11 is not alone
            "PITWALL_TEST_OWN_WINDOW": "1",
            "QT_QPA_PLATFORM": "offscreen",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_it_is_chosen(copy: Path) -> None:
    program = "from pitwall.desktops.here import this_desktop; print(this_desktop().name)"
    assert _run(copy, "-c", program).strip() == "toy"
    listed = "from pitwall.desktops.window_search import list_windows; print(list_windows()[0].title)"
    assert _run(copy, "-c", listed).strip() == "a toy game"


@pytest.mark.screen
def test_the_test_of_the_contract_tries_it(copy: Path, screen: str) -> None:
    assert screen
    report = _run(
        copy, "-m", "pytest", "tests/desktops/test_contract.py", "-k", "toy", "-vv", "-p", "no:cacheprovider"
    )
    tried = [line for line in report.splitlines() if "[toy" in line]
    assert len(tried) >= 7
    assert all("PASSED" in line for line in tried), report
