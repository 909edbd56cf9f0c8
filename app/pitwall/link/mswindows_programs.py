"""Asks Windows which processes run, which files one of them has loaded, and which drivers the kernel has."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

_SNAP_PROCESSES = 0x2
_SNAP_MODULES = 0x8 | 0x10
_QUERY_LIMITED = 0x1000
_PATH_CHARACTERS = 32_768
_MOST_DRIVERS = 4096


class _ProcessEntry(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("usage", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("heap", ctypes.c_void_p),
        ("module", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("parent", ctypes.c_uint32),
        ("priority", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("name", ctypes.c_wchar * 260),
    )


class _ModuleEntry(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("module", ctypes.c_uint32),
        ("pid", ctypes.c_uint32),
        ("global_usage", ctypes.c_uint32),
        ("process_usage", ctypes.c_uint32),
        ("base", ctypes.c_void_p),
        ("base_size", ctypes.c_uint32),
        ("handle", ctypes.c_void_p),
        ("name", ctypes.c_wchar * 256),
        ("path", ctypes.c_wchar * 260),
    )


def process_images() -> Iterator[tuple[int, str, str]]:
    """Process id, program's name and its whole path (empty where it may not be asked) of every process."""
    for entry in _snapshot(_SNAP_PROCESSES, 0, _ProcessEntry, "Process32"):
        yield int(entry.pid), str(entry.name), _image(int(entry.pid))


def loaded_files(pid: int) -> frozenset[str]:
    """Names of the modules that a process has loaded; empty where that may not be seen."""
    return frozenset(str(entry.name) for entry in _snapshot(_SNAP_MODULES, pid, _ModuleEntry, "Module32"))


def loaded_drivers() -> frozenset[str]:
    """File names of the drivers that the kernel has loaded; empty where that may not be seen."""
    psapi = _library("psapi")
    bases = (ctypes.c_void_p * _MOST_DRIVERS)()
    needed = ctypes.c_uint32()
    if not psapi.EnumDeviceDrivers(bases, ctypes.sizeof(bases), ctypes.byref(needed)):
        return frozenset()
    names = set()
    for base in bases[: min(_MOST_DRIVERS, needed.value // ctypes.sizeof(ctypes.c_void_p))]:
        name = ctypes.create_unicode_buffer(260)
        if base and psapi.GetDeviceDriverBaseNameW(ctypes.c_void_p(base), name, 260):
            names.add(name.value)
    return frozenset(names)


def _snapshot(kind: int, pid: int, entry_type: type[Any], call: str) -> Iterator[Any]:
    kernel = _library("kernel32")
    kernel.CreateToolhelp32Snapshot.restype = ctypes.c_void_p
    handle = kernel.CreateToolhelp32Snapshot(kind, pid)
    if handle is None or handle == ctypes.c_void_p(-1).value:
        return
    try:
        entry = entry_type()
        entry.size = ctypes.sizeof(entry_type)
        more = getattr(kernel, f"{call}FirstW")(ctypes.c_void_p(handle), ctypes.byref(entry))
        while more:
            yield entry
            more = getattr(kernel, f"{call}NextW")(ctypes.c_void_p(handle), ctypes.byref(entry))
    finally:
        kernel.CloseHandle(ctypes.c_void_p(handle))


def _image(pid: int) -> str:
    kernel = _library("kernel32")
    kernel.OpenProcess.restype = ctypes.c_void_p
    handle = kernel.OpenProcess(_QUERY_LIMITED, False, pid)
    if not handle:
        return ""
    try:
        path = ctypes.create_unicode_buffer(_PATH_CHARACTERS)
        length = ctypes.c_uint32(_PATH_CHARACTERS)
        asked = kernel.QueryFullProcessImageNameW(ctypes.c_void_p(handle), 0, path, ctypes.byref(length))
        return path.value if asked else ""
    finally:
        kernel.CloseHandle(ctypes.c_void_p(handle))


def _library(name: str) -> Any:
    return getattr(ctypes, "WinDLL")(name, use_last_error=True)  # noqa: B009  (Windows alone has it)
