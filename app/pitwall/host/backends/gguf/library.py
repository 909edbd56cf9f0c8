"""llama.cpp in this process: its log, its devices and its threads."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections import deque
from functools import cache
from pathlib import Path

from llama_cpp import llama_cpp, mtmd_cpp
from llama_cpp._ggml import libggml

from pitwall.models.container_limits import processors

_GPU, _INTEGRATED_GPU = 1, 2
"""enum ggml_backend_dev_type, https://github.com/ggml-org/ggml/blob/master/include/ggml-backend.h"""
_WARNING, _ERROR = 3, 4
_INFO = 2
_BUFFER = re.compile(r"buffer size = *([\d.]+) MiB")
_FLASH = re.compile(r"flash_attn *= (\w+)|Flash Attention (?:not supported, set to )?(enabled|disabled)")
_NUMBERED = re.compile(r"([A-Za-z]+)(\d+)")
_KEPT_LINES = 400


class LibraryLog:
    """Collects llama.cpp's log instead of printing it. See `library_log`."""

    def __init__(self) -> None:
        self._lines: deque[tuple[int, str]] = deque(maxlen=_KEPT_LINES)
        self._callback = llama_cpp.llama_log_callback(lambda level, text, _data: self.hear(level, text))
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p())
        mtmd_cpp.mtmd_log_set(self._callback, ctypes.c_void_p())
        mtmd_cpp.mtmd_helper_log_set(self._callback, ctypes.c_void_p())

    def forget(self) -> None:
        self._lines.clear()

    @property
    def trouble(self) -> str:
        """Return the last error since `forget`, or the last warning; empty if there was none."""
        for wanted in (_ERROR, _WARNING):
            lines = [text for level, text in self._lines if level == wanted]
            if lines:
                return lines[-1]
        return ""

    @property
    def buffer_bytes(self) -> int:
        """Return the memory taken since `forget`, as the library reports it."""
        sizes = (_BUFFER.search(text) for _, text in self._lines)
        return int(sum(float(size.group(1)) for size in sizes if size) * (1 << 20))

    @property
    def flash_refused(self) -> bool:
        """Return whether the library refused flash attention for a context made since `forget`."""
        matches = [match for _, text in self._lines if (match := _FLASH.search(text))]
        return bool(matches) and "disabled" in matches[-1].groups()

    def hear(self, level: int, text: bytes) -> None:
        """Take a line of the log; lines for llama.cpp's own makers are skipped."""
        if _INFO <= level <= _ERROR:
            self._lines.append((level, text.decode("utf-8", "replace").strip()))


@cache
def library_log() -> LibraryLog:
    """Return the log of this process. It lives as long as the process: llama.cpp keeps calling it."""
    return LibraryLog()


@cache
def gpu_name() -> str:
    """Return the first GPU that this build of llama.cpp can use ("CUDA 0: …"); empty if there is none."""
    with contextlib.suppress(AttributeError):
        libggml.ggml_backend_dev_count.restype = ctypes.c_size_t
        libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
        libggml.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
        libggml.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
        for tell in (libggml.ggml_backend_dev_name, libggml.ggml_backend_dev_description):
            tell.restype = ctypes.c_char_p
            tell.argtypes = [ctypes.c_void_p]
        for index in range(libggml.ggml_backend_dev_count()):
            device = libggml.ggml_backend_dev_get(index)
            if libggml.ggml_backend_dev_type(device) in (_GPU, _INTEGRATED_GPU):
                name = libggml.ggml_backend_dev_name(device).decode("utf-8", "replace")
                about = libggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
                numbered = _NUMBERED.sub(r"\1 \2", name)
                return f"{numbered}: {about}"
    return ""


def device_name(gpu_layers: int, layers: int) -> str:
    """Name the device of a model, given its layers and how many of them are on the GPU (−1: all)."""
    gpu = gpu_name() if gpu_layers != 0 else ""
    if not gpu:
        return "CPU"
    return gpu if not 0 < gpu_layers < layers else f"{gpu} ({gpu_layers} of {layers} layers)"


def build() -> str:
    """Return the version of the library and the features it was compiled with."""
    from llama_cpp import __version__

    features = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
    return f"{__version__} {features.strip(' |')}"


def threads_for(asked: int) -> int:
    """Return the threads to use: `asked`, or for 0 every physical core but one (at least one).

    This holds for prompts of small models too. Two quiet cores read them in 64 ms instead of 115 with every
    core in use, but in 385 ms instead of 212 when two sessions shared the cores: llama.cpp's threads wait for
    each other.
    """
    return asked if asked > 0 else max(1, _physical_cores() - 1)


def _physical_cores() -> int:
    """Count the cores that this process may run on, hyperthreads once."""
    try:
        ours = os.sched_getaffinity(0)  # type: ignore[attr-defined,unused-ignore]
        cores = {
            Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text("ascii")
            for cpu in ours
        }
        return min(len(cores), processors())
    except (AttributeError, OSError):
        return max(1, min((os.cpu_count() or 2) // 2, processors()))
