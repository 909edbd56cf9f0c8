"""A thread that wakes promptly: itself alone, not what it starts."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, subprocess, sys
from pitwall.link.prompt_waking import wake_promptly
wake_promptly()
child = [sys.executable, "-c", "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"]
print(os.getpriority(os.PRIO_PROCESS, 0), subprocess.check_output(child, text=True).strip())
"""


def _priorities(*before: str) -> list[int]:
    done = subprocess.run(
        [*before, sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    return [int(word) for word in done.stdout.split()]


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs the right to priorities")
def test_where_it_is_allowed_the_thread_comes_first_and_what_it_starts_does_not() -> None:
    assert _priorities() == [-10, 0]


@pytest.mark.skipif(sys.platform != "win32", reason="asks for Windows' classes of priority")
def test_on_windows_the_process_is_above_normal_and_what_it_starts_is_not() -> None:
    looks = "import ctypes; k = ctypes.WinDLL('kernel32'); k.GetCurrentProcess.restype = ctypes.c_void_p; "
    looks += "print(k.GetPriorityClass(ctypes.c_void_p(k.GetCurrentProcess())))"
    program = f"""
import subprocess, sys
from pitwall.link.prompt_waking import wake_promptly
wake_promptly()
exec({looks!r})
sys.stdout.flush()
subprocess.run([sys.executable, "-c", {looks!r}], check=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(0x8000), str(0x20)], "ABOVE_NORMAL and NORMAL"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="drops rights that root has")
def test_where_it_is_not_allowed_everything_stays_as_it_is() -> None:
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert _priorities("setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", "--") == [mine, mine]
