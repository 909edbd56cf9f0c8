"""Asks the system how much memory and video memory is free now."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pitwall.models.container_limits import memory_left


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeMemory:
    """Bytes that a new program could take without swapping; vram_bytes None where no GPU answers."""

    ram_bytes: int
    vram_bytes: int | None = None


def free_memory() -> FreeMemory:
    """Return the free memory, over all NVIDIA GPUs together. Takes about 1 ms, the first time more."""
    return FreeMemory(ram_bytes=_free_ram(), vram_bytes=_free_vram())


class _NvmlMemory(ctypes.Structure):
    """nvmlMemory_t."""

    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _free_vram() -> int | None:
    """Ask NVML: https://docs.nvidia.com/deploy/nvml-api/group__nvmlDeviceQueries.html."""
    try:
        nvml = ctypes.CDLL("nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1")
    except OSError:
        return None
    if nvml.nvmlInit_v2():
        return None
    try:
        count = ctypes.c_uint()
        if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)):
            return None
        frees = [_free_of(nvml, index) for index in range(count.value)]
        known = [free for free in frees if free is not None]
        return sum(known) if known else None
    finally:
        nvml.nvmlShutdown()


def _free_of(nvml: ctypes.CDLL, index: int) -> int | None:
    device, memory = ctypes.c_void_p(), _NvmlMemory()
    if nvml.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(device)):
        return None
    if nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)):
        return None
    return int(memory.free)


if sys.platform == "win32":

    class _MemoryStatus(ctypes.Structure):
        """MEMORYSTATUSEX."""

        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *(
                (name, ctypes.c_ulonglong)
                for name in (
                    "total",
                    "free",
                    "total_page",
                    "free_page",
                    "total_virtual",
                    "free_virtual",
                    "extended",
                )
            ),
        )

    def _free_ram() -> int:
        status = _MemoryStatus()
        status.length = ctypes.sizeof(status)
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.free)

elif sys.platform == "darwin":

    def _free_ram() -> int:
        """Free, speculative and inactive pages, as vm_stat counts them."""
        with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
            lines = subprocess.run(["vm_stat"], capture_output=True, text=True, timeout=5, check=True).stdout
            rows = dict(line.split(":", 1) for line in lines.splitlines()[1:] if ":" in line)
            page = int(lines.split("page size of ", 1)[1].split()[0])
            names = ("Pages free", "Pages inactive", "Pages speculative")
            return page * sum(int(rows.get(name, "0").strip(" .")) for name in names)
        return 0

else:

    def _free_ram() -> int:
        """MemAvailable, what the kernel could hand out without swapping, within the container's limit."""
        free = 0
        with contextlib.suppress(OSError, ValueError), Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    free = int(line.split()[1]) * 1024
        left = memory_left()
        return free if left is None else min(free, left)
