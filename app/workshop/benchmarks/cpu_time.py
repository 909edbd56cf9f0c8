"""Processor time that a tree of processes, or the X server, has used, from /proc or Windows."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys
from pathlib import Path

from pitwall_desktops.windows import processes as windows_processes


def descendants(pid: int) -> list[int]:
    """Return a process and all processes below it."""
    children: dict[int, list[int]] = {}
    if sys.platform == "win32":
        for process in windows_processes.running():
            children.setdefault(process.parent, []).append(process.pid)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int(stat.read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    pids = [pid]
    for known in pids:
        pids += children.get(known, [])
    return pids


def display_server() -> int | None:
    """Return the process id of the X server in $DISPLAY; None if it cannot be found (another machine's)."""
    if sys.platform == "win32":
        return None
    import xcffib
    import xcffib.xproto  # it connects only where this was imported

    connection = xcffib.connect()
    try:
        with socket.socket(fileno=os.dup(connection.get_file_descriptor())) as end:
            pid = int(struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
    except OSError:
        return None
    finally:
        connection.disconnect()
    return pid or None


def cpu_seconds(pids: list[int]) -> float:
    """Return the user and system seconds used so far by these processes, without dead ones."""
    if sys.platform == "win32":
        return sum(windows_processes.busy_s(pid) for pid in pids)
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1]
            ticks += sum(int(value) for value in fields.split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")
