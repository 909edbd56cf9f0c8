"""A new desktop is a folder and its registration: tried on a copy of the tree with the contract test."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("xcffib", reason="the copy is tried beside an X screen")

_ROOT = Path(__file__).resolve().parents[2]
_TOY = Path(__file__).with_name("toy_desktop.py")
_REGISTERED = (
    (
        "from pitwall.desktops.windows.desktop",
        "from pitwall.desktops.toy.desktop import ToyDesktop\nfrom pitwall.desktops.windows.desktop",
    ),
    ("(SwayDesktop(), ", "(ToyDesktop(), SwayDesktop(), "),
)


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
    folder = root / "app" / "pitwall" / "desktops" / "toy"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""A desktop without a screen."""\n', encoding="utf-8")
    shutil.copy(_TOY, folder / "desktop.py")
    registry = root / "app" / "pitwall" / "desktops" / "here.py"
    text = registry.read_text(encoding="utf-8")
    for old, new in _REGISTERED:
        assert text.count(old) == 1
        text = text.replace(old, new)
    registry.write_text(text, encoding="utf-8")
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


def _changed(own: Path, other: Path) -> Iterator[Path]:
    compared = filecmp.dircmp(own, other, ignore=["__pycache__", "toy"])
    yield from (own / name for name in [*compared.diff_files, *compared.left_only, *compared.right_only])
    for name in compared.common_dirs:
        yield from _changed(own / name, other / name)


def test_at_most_two_files_outside_its_folder_change(copy: Path) -> None:
    desktops = Path("app", "pitwall", "desktops")
    changed = list(_changed(_ROOT / "app" / "pitwall", copy / "app" / "pitwall"))
    assert changed == [_ROOT / desktops / "here.py"]


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
