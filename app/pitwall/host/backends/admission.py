"""Refuses unsafe model files before any library opens them.

The file must be the one whose hash was taken, its header must be sound, and its memory must be free.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pitwall.core.errors import BadModelFile
from pitwall.host.requests.faults import WrongKind
from pitwall.models.files.gguf_header import GgufHeader, read_header
from pitwall.models.files.integrity import check_file
from pitwall.models.files.onnx_header import read_onnx
from pitwall.models.free_memory import FreeMemory, free_memory
from pitwall.models.memory_estimate import MemoryEstimate, check_fits, estimate
from pitwall.models.spec import ModelSpec


def admit_gguf(spec: ModelSpec, *, gpu: bool, first: bool) -> GgufHeader:
    """Check a GGUF model (and its projector) before it is loaded with one slot.

    Args:
        gpu: llama.cpp has a GPU to give layers to.
        first: nothing of this process is on it yet.

    Raises:
        BadModelFile: damaged, foreign, or another file than was added.
        WrongKind: a projector where the model should be.
        NotEnoughMemory: it does not fit; the error names the shortfall.
    """
    check_file(spec)
    header = read_header(Path(spec.path))
    if header.is_projector:
        raise WrongKind(
            f"{spec.path} is a projector, not a text model.", "Add it as the projector of its text model."
        )
    projector_bytes = 0
    if spec.projector:
        projector_bytes = _projector(spec, header).file_bytes
    context = spec.context if spec.context > 0 else header.context
    need = _need(header, spec, context, projector_bytes, gpu=gpu)
    check_fits(need if first else need.beside_another(), _free(gpu=gpu))
    return header


def admit_slot(header: GgufHeader, spec: ModelSpec, context: int, *, gpu: bool) -> None:
    """Check that one more context over a loaded model fits.

    Raises:
        NotEnoughMemory: it does not fit; the error names the shortfall.
    """
    need = _need(header, spec, context, 0, gpu=gpu)
    check_fits(replace(need.beside_another(), weights_bytes=0, gpu_weights_bytes=0), _free(gpu=gpu))


def admit_onnx(spec: ModelSpec) -> None:
    """Check an ONNX model before it is loaded.

    Raises:
        BadModelFile: damaged, foreign, or another file than was added.
    """
    check_file(spec)
    read_onnx(Path(spec.path))


def _projector(spec: ModelSpec, model: GgufHeader) -> GgufHeader:
    header = read_header(Path(spec.projector))
    if not header.is_projector:
        raise BadModelFile(
            spec.projector, "is no projector", fix=f"Use the one that was published with {spec.name}."
        )
    if header.projects_to and header.projects_to != model.embedding:
        raise BadModelFile(
            spec.projector,
            f"fits models {header.projects_to} wide",
            expected=f"{model.embedding}, as {spec.name} is",
            fix=f"Use the one that was published with {spec.name}.",
        )
    return header


def _need(
    header: GgufHeader, spec: ModelSpec, context: int, projector_bytes: int, *, gpu: bool
) -> MemoryEstimate:
    return estimate(
        header,
        context=context,
        gpu_layers=spec.gpu_layers if gpu else 0,
        slots=1,
        projector_bytes=projector_bytes,
        flash=spec.flash_attention == "on",
    )


def _free(*, gpu: bool) -> FreeMemory:
    free = free_memory()
    return free if gpu else replace(free, vram_bytes=None)
