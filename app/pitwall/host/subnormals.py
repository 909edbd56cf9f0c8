"""Numbers too small to matter count as zero where models compute.

Where a model attends sharply, most of its weights are subnormal numbers, and a processor takes a hundred
times longer for each of those: flash attention read 265 tokens over 500 held ones in 57 ms instead of 87.
Each thread has its own setting; on Linux those that it starts inherit it.
"""

from __future__ import annotations

import ctypes
import platform
import sys

_X86 = frozenset({"x86_64", "AMD64"})
_FLUSH = 0x8040
"""Of the MXCSR register: results (FTZ) and operands (DAZ) that are subnormal are zero."""
_WORDS, _MXCSR = 8, 7
"""Of 32 bits in glibc's fenv_t on x86-64, and which of them is the register."""
_DENORMALS, _FLUSHED = 0x03000000, 0x01000000
"""_MCW_DN and _DN_FLUSH of Microsoft's float.h."""


def flush_subnormals() -> bool:
    """Treat subnormal numbers as zero in this thread; return False where that is not possible."""
    if platform.machine() not in _X86:
        return False
    try:
        return _by_control() if sys.platform == "win32" else _by_environment()
    except (OSError, AttributeError):
        return False


def _by_environment() -> bool:
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL("libm.so.6")
    words = (ctypes.c_uint32 * _WORDS)()
    if library.fegetenv(ctypes.byref(words)):
        return False
    words[_MXCSR] |= _FLUSH
    return not library.fesetenv(ctypes.byref(words))


def _by_control() -> bool:
    library = ctypes.CDLL("ucrtbase")
    now = ctypes.c_uint()
    return not library._controlfp_s(ctypes.byref(now), _FLUSHED, _DENORMALS)
