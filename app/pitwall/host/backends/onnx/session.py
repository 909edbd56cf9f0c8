"""Runs one ONNX model in onnxruntime: on CUDA if it is present, else on the CPU."""

from __future__ import annotations

import ctypes
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pitwall.core.errors import suggestion
from pitwall.host.requests.faults import BadInput, ModelFailed
from pitwall.models.host_requests import LoadedModel
from pitwall.models.spec import ModelSpec

_NAMED_TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool")
DTYPES = {
    "tensor(float)": "float32",
    "tensor(float16)": "float16",
    "tensor(double)": "float64",
    **{f"tensor({name})": name for name in _NAMED_TYPES},
}
_QUIET = 4
"""Print only fatal messages; the rest arrives as errors."""


class Session:
    """Owns one loaded ONNX model.

    Raises:
        ModelFailed: onnxruntime refuses it.
    """

    def __init__(self, spec: ModelSpec) -> None:
        began = time.monotonic()
        onnxruntime.disable_telemetry_events()  # nothing leaves this machine
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _QUIET
        options.intra_op_num_threads = max(1, spec.threads)  # models of a frame are quickest with one
        options.inter_op_num_threads = 1
        try:
            self.native = onnxruntime.InferenceSession(
                spec.path, options, providers=_providers(spec.gpu_layers)
            )
        except Exception as error:  # its own exceptions have no common root, and some are UnicodeDecodeError
            raise ModelFailed(
                f"{spec.path} cannot be loaded: {error}.", "Export or download it again."
            ) from error
        self.spec = spec
        providers = self.native.get_providers()
        self.device = "CUDA 0" if "CUDAExecutionProvider" in providers else "CPU"
        self.inputs = {node.name: node for node in self.native.get_inputs()}
        self.load_ms = (time.monotonic() - began) * 1e3

    def run(self, inputs: dict[str, NDArray[Any]]) -> tuple[list[str], list[NDArray[Any]]]:
        """Return names and values of the outputs.

        Raises:
            ModelFailed: onnxruntime cannot.
        """
        names = [node.name for node in self.native.get_outputs()]
        try:
            return names, [np.asarray(value) for value in self.native.run(names, inputs)]
        except Exception as error:
            raise ModelFailed(f"{self.spec.name} cannot be run: {error}.") from error

    def check(self, inputs: dict[str, NDArray[Any]]) -> None:
        """Compare names, types and shapes with the model's inputs.

        Raises:
            BadInput: one differs; the error names it, and what fits.
        """
        for name in inputs.keys() - self.inputs.keys():
            raise BadInput(
                f"{self.spec.name} has no input {name!r}.",
                suggestion(name, self.inputs, f"It takes {', '.join(self.inputs)}."),
            )
        for name, node in self.inputs.items():
            if name not in inputs:
                raise BadInput(f"{self.spec.name} also takes the input {name!r} {node.shape}.")
            value, dtype = inputs[name], DTYPES.get(node.type, node.type)
            if str(value.dtype) != dtype:
                raise BadInput(f"{name!r} of {self.spec.name} is {dtype}, not {value.dtype}.")
            fits = len(value.shape) == len(node.shape) and all(
                not isinstance(wanted, int) or wanted == given
                for wanted, given in zip(node.shape, value.shape, strict=True)
            )
            if not fits:
                raise BadInput(f"{name!r} of {self.spec.name} is {node.shape}, not {list(value.shape)}.")

    def report(self) -> LoadedModel:
        size = Path(self.spec.path).stat().st_size if Path(self.spec.path).exists() else 0
        return LoadedModel(name=self.spec.name, device=self.device, memory_bytes=size, load_ms=self.load_ms)


def _providers(gpu_layers: int) -> list[str]:
    cuda = "CUDAExecutionProvider"
    wanted = gpu_layers != 0 and cuda in onnxruntime.get_available_providers() and _has_cuda()
    return [cuda, "CPUExecutionProvider"] if wanted else ["CPUExecutionProvider"]


@cache
def _has_cuda() -> bool:
    """Return whether the CUDA driver's library exists; without it onnxruntime would print an error."""
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    preload = getattr(onnxruntime, "preload_dlls", None)
    if preload is not None:
        preload()
    return True
