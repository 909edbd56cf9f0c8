r"""Makes a folder that runs on a Windows without Python: Windows' Python and the wheels of a first game.

    python installer/frozen_windows.py FOLDER PINS WHEELS

PINS and WHEELS are the Windows bench's (`installer/windows.sh`). The folder holds `pitwall.cmd` and `python\`; a .zip
is laid beside it.
"""

from __future__ import annotations

import compileall
import email
import py_compile
import shutil
import sys
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import windows_unpack
from base import first_requirements, normal_name
from frozen_folder import closure, remove_parts, tell_sizes, unpack_project

_WINDOWS = {
    "sys_platform": "win32",
    "os_name": "nt",
    "platform_system": "Windows",
    "platform_machine": "AMD64",
    "python_version": "3.11",
    "python_full_version": "3.11.9",
}
_RUNTIME = "msvc-runtime"
"""Microsoft's C++ library, which no wheel names and several want."""
_NO_PARTS = (
    "PySide6/qml",
    "PySide6/translations",
    "PySide6/metatypes",
    "PySide6/*.pyi",
    "PySide6/*.exe",
    "PySide6/*Qt*Quick*",
    "PySide6/*Qt*Qml*",
    "PySide6/*Qt*Designer*",
    "PySide6/Qt6Labs*",
    "PySide6/opengl32sw.dll",
    "*.data",
)
"""Qt's declarative half and tools, its drawing of OpenGL without a graphics card."""
_LAUNCHER = r"""@echo off
setlocal
set "PYTHONHOME="
set "PYTHONPATH="
set "PYTHONNOUSERSITE=1"
"%~dp0python\python.exe" -m pitwall %*
exit /b %errorlevel%
"""
_SITE = '''"""Takes packages from this folder alone, and none of a Python that Windows has registered."""
import sys

sys.path[:] = [place for place in sys.path if place.startswith(sys.prefix)]
'''


def make(folder: Path, pins: Path, wheels: Path) -> None:
    """Make the folder anew, and pack it."""
    packages = lay_out(folder, pins, wheels)
    unpack_project(packages)
    remove_parts(packages, _NO_PARTS)
    if sys.version_info[:2] == (3, 11):  # bytecode is that Python's; unpacking changes the times of files
        unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(
            packages, stripdir=str(folder), quiet=2, workers=0, invalidation_mode=unchecked
        )
    packed = shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
    tell_sizes(folder, Path(packed))


def lay_out(folder: Path, pins: Path, wheels: Path) -> Path:
    """Lay Python, what a first game needs and the launcher there; returns the folder of the packages."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "packages.txt").write_text("\n".join(needed(pins, wheels)), "utf-8")
    windows_unpack.main(folder, wheels)
    packages = folder / "python" / "Lib" / "site-packages"
    shutil.rmtree(packages)  # it leads to the bench's own folders
    (folder / "packages").rename(packages)
    shutil.rmtree(packages / "pitwall_console-0.dist-info")  # the project's wheel brings its own
    for note in ("packages.txt", "unpacked.txt"):
        (folder / note).unlink()
    (packages / "sitecustomize.py").write_text(_SITE, "utf-8")
    (folder / "pitwall.cmd").write_text(_LAUNCHER, "utf-8", newline="\r\n")
    return packages


def needed(pins: Path, wheels: Path) -> list[str]:
    """Return the pins of what a first game needs on Windows."""
    pinned = dict(line.split("==") for line in pins.read_text("utf-8").split())
    versions = {normal_name(name): f"{name}=={version}" for name, version in pinned.items()}
    needs = {
        normal_name(item["Name"]): item.get_all("Requires-Dist", [])
        for item in map(_metadata, wheels.glob("*.whl"))
        if versions.get(normal_name(item["Name"]), "").endswith(f"=={item['Version']}")
    }
    names = {_RUNTIME, *closure(first_requirements(), needs.__getitem__, **_WINDOWS)}
    return [versions[name] for name in sorted(names)]


def _metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as packed:
        file = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(packed.read(file))


if __name__ == "__main__":
    make(*(Path(place).resolve() for place in sys.argv[1:]))
