"""Whether llama.cpp survives a model on this machine with its fastest arrangement of the weights.

Compiled for a processor with AMX, it dies at the first evaluation of most quantised types where the
machine (often a virtual one) does not truly have it. No process can catch that in itself, so a child
tries first: once for each file and build.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pitwall.core.prompts import hash_of
from pitwall.models.spec import ModelSpec

_RISKY = "AMX"
_TOKENS = 32
_POLL_S = 0.05
_LONGEST_S = 120.0


class Verdicts:
    """What children found out, by file and build; kept in a small file where a folder is given."""

    def __init__(self, folder: Path | None, build: str) -> None:
        self._file = None if folder is None else folder / "survives.json"
        self._build = build
        self._known: dict[str, bool] = {}
        if self._file is not None:
            with contextlib.suppress(OSError, ValueError):
                stored = json.loads(self._file.read_bytes())
                self._known = {str(key): value for key, value in stored.items() if isinstance(value, bool)}

    def survives(self, spec: ModelSpec, given_up: Callable[[], bool]) -> bool:
        """Whether the model can be loaded with every arrangement of its weights; may take a while."""
        if _RISKY not in self._build:
            return True
        file = spec.sha256 or f"{spec.path} {spec.size_bytes} {spec.mtime_ns}"
        key = hash_of(f"{file}\n{self._build}")
        if key not in self._known:
            verdict = child_survives(Path(spec.path), given_up)
            if verdict is None:
                return True
            self._known[key] = verdict
            self._store()
        return self._known[key]

    def _store(self) -> None:
        if self._file is None:
            return
        aside = self._file.with_suffix(".tmp")
        with contextlib.suppress(OSError):  # it is found out again next time
            self._file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(json.dumps(self._known, indent=1) + "\n", encoding="utf-8")
            aside.replace(self._file)


def child_survives(path: Path, given_up: Callable[[], bool]) -> bool | None:
    """Let a child evaluate a few tokens; False: it died of it. None: it did not come to it."""
    child = subprocess.Popen(
        [sys.executable, "-m", "pitwall", "host", "--probe", str(path)],
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
    return None if child.returncode == 1 else child.returncode == 0


def evaluate_once(path: Path) -> int:
    """The child's part; returns its exit status: 1 where the file cannot be loaded at all."""
    from llama_cpp import llama_cpp

    params = llama_cpp.llama_model_default_params()
    params.n_gpu_layers = 0
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
    if model is None:
        return 1
    context = llama_cpp.llama_context_default_params()
    context.n_ctx = context.n_batch = 2 * _TOKENS
    native = llama_cpp.llama_init_from_model(model, context)
    if native is None:
        return 1
    tokens = (llama_cpp.llama_token * _TOKENS)()
    for count in (_TOKENS, 1):
        batch = llama_cpp.llama_batch_get_one(tokens, count)
        if llama_cpp.llama_decode(native, batch) != 0:
            return 1
    return 0
