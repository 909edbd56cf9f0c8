"""Whether llama.cpp survives a file on this machine: a child tries it first, once for each file and build.

Two things kill the process where no error can be caught. Compiled for a processor with AMX, llama.cpp dies
at the first evaluation of most quantised types where the machine (often a virtual one) does not truly have
it. And a projector that lacks one of some twenty tensors is used without a check.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pitwall.core.bounded_reading import read_json
from pitwall.core.errors import DamagedFile
from pitwall.core.paths import write_whole
from pitwall.core.prompts import hash_of
from pitwall.models.spec import ModelSpec

_RISKY = "AMX"
_TOKENS = 32
_PICTURE_PX = 64
_POLL_S = 0.02
_LONGEST_S = 120.0
_NOT_LOADED, _DIED = 1, 2


class ProbeResults:
    """Keeps the findings of probe children, by file and build; in a small file if a folder is given."""

    def __init__(self, folder: Path | None, build: str) -> None:
        self._file = None if folder is None else folder / "survives.json"
        self._build = build
        self._known: dict[str, bool] = {}
        if self._file is not None:
            with contextlib.suppress(FileNotFoundError, DamagedFile, AttributeError):
                stored = read_json(self._file)
                self._known = {str(key): value for key, value in stored.items() if isinstance(value, bool)}

    def rearranged(self, spec: ModelSpec, given_up: Callable[[], bool]) -> bool:
        """Return whether a model survives with its weights rearranged for the processor; may take a while."""
        if _RISKY not in self._build and self._key(spec.sha256) not in self._known:
            return True
        return self._found_out(spec.sha256, ["--probe", spec.path], given_up)

    def seeing(self, spec: ModelSpec, given_up: Callable[[], bool]) -> bool:
        """Return whether a model survives its projector; may take a while."""
        files = ["--probe", spec.path, "--projector", spec.projector]
        return self._found_out(spec.projector_sha256, files, given_up)

    def _found_out(self, sha256: str, arguments: Sequence[str], given_up: Callable[[], bool]) -> bool:
        key = self._key(sha256)
        if key not in self._known:
            verdict = child_survives(arguments, given_up)
            if verdict is None:
                return True
            self._known[key] = verdict
            self._store()
        return self._known[key]

    def _key(self, sha256: str) -> str:
        return hash_of(f"{sha256}\n{self._build}")

    def _store(self) -> None:
        if self._file is None:
            return
        with contextlib.suppress(OSError):  # it is found out again next time
            write_whole(self._file, json.dumps(self._known, indent=1) + "\n")


def child_survives(arguments: Sequence[str], given_up: Callable[[], bool]) -> bool | None:
    """Let a child process try. False: it died. None: it never got that far; loading will show why."""
    child = subprocess.Popen(
        [sys.executable, "-m", "pitwall", "host", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + _LONGEST_S
    while child.poll() is None:
        if given_up() or time.monotonic() > deadline:
            child.kill()
            child.wait()
            return None
        time.sleep(_POLL_S)
    return None if child.returncode == _NOT_LOADED else child.returncode == 0


def evaluate_once(path: Path, projector: Path | None) -> int:
    """Evaluate once in the child; return its exit status.

    1: the file cannot be loaded at all. 2: llama.cpp read foreign memory, and Windows reported it as an
    OSError instead of killing the process.
    """
    try:
        return _evaluated(path, projector)
    except OSError:
        return _DIED


def _evaluated(path: Path, projector: Path | None) -> int:
    from llama_cpp import llama_cpp

    params = llama_cpp.llama_model_default_params()
    params.n_gpu_layers = 0
    params.use_extra_bufts = projector is None
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
    if model is None:
        return _NOT_LOADED
    if projector is not None:
        return _look_once(model, projector)
    context = llama_cpp.llama_context_default_params()
    context.n_ctx = context.n_batch = 2 * _TOKENS
    native = llama_cpp.llama_init_from_model(model, context)
    if native is None:
        return _NOT_LOADED
    tokens = (llama_cpp.llama_token * _TOKENS)()
    for count in (_TOKENS, 1):
        if llama_cpp.llama_decode(native, llama_cpp.llama_batch_get_one(tokens, count)) != 0:
            return _NOT_LOADED
    return 0


def _look_once(model: int, projector: Path) -> int:
    from llama_cpp import mtmd_cpp

    params = mtmd_cpp.mtmd_context_params_default()
    params.use_gpu = False
    native = mtmd_cpp.mtmd_init_from_file(str(projector).encode(), model, params)
    if native is None or not mtmd_cpp.mtmd_support_vision(native):
        return _NOT_LOADED
    black = (ctypes.c_uint8 * (_PICTURE_PX * _PICTURE_PX * 3))()
    bitmap = mtmd_cpp.mtmd_bitmap_init(_PICTURE_PX, _PICTURE_PX, black)
    chunks = mtmd_cpp.mtmd_input_chunks_init()
    marker = mtmd_cpp.mtmd_get_marker(native) or mtmd_cpp.mtmd_default_marker()
    text = mtmd_cpp.mtmd_input_text(marker, len(marker), False, True)
    bitmaps = (mtmd_cpp.mtmd_bitmap_p_ctypes * 1)(bitmap)
    if mtmd_cpp.mtmd_tokenize(native, chunks, ctypes.byref(text), bitmaps, 1) != 0:
        return _NOT_LOADED
    for index in range(mtmd_cpp.mtmd_input_chunks_size(chunks)):
        chunk = mtmd_cpp.mtmd_input_chunks_get(chunks, index)
        if mtmd_cpp.mtmd_input_chunk_get_type(chunk) == mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_IMAGE:
            mtmd_cpp.mtmd_encode_chunk(native, chunk)
    return 0
