"""The estimate is held to what llama.cpp itself reports, and what is missing is told exactly."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pitwall.core.errors import NotEnoughMemory
from pitwall.models.files.gguf_header import read_header
from pitwall.models.memory_estimate import FreeMemory, check_fits, estimate, free_memory, largest_context
from pitwall.models.shipped import SWITCH, shipped_entry
from workshop.fixtures.tiny_models import tiny_text_model

_LOAD = (
    "import sys, llama_cpp;"
    "llama_cpp.Llama(sys.argv[1], n_ctx=int(sys.argv[2]), n_threads=1, flash_attn=sys.argv[3] == 'flash',"
    "verbose=True)"
)
_MIB = 1 << 20


def _reported(path: Path, context: int, *, flash: bool) -> dict[str, float]:
    """MiB of each buffer as the library's log has them."""
    command = [sys.executable, "-c", _LOAD, str(path), str(context), "flash" if flash else "plain"]
    log = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stderr
    sizes = re.findall(r"(model|KV|compute) buffer size = +([\d.]+) MiB", log)
    return {name: float(size) for name, size in sizes}


@pytest.mark.usefixtures("llama")
@pytest.mark.parametrize(
    ("width", "layers", "context", "quantised", "vocabulary", "flash"),
    [
        (64, 2, 4096, None, 0, False),
        (256, 3, 1000, "Q8_0", 0, False),
        (64, 3, 4096, None, 0, True),
        (256, 3, 1000, "Q8_0", 0, True),
        (128, 2, 3000, "Q8_0", 16_000, True),
    ],
)
def test_the_library_takes_what_was_estimated(
    tmp_path: Path, width: int, layers: int, context: int, quantised: str | None, vocabulary: int, flash: bool
) -> None:
    shape: dict[str, Any] = {"width": width, "layers": layers, "vocabulary": vocabulary}
    path = tiny_text_model(tmp_path / "m.gguf", quantised=quantised, **shape)
    need = estimate(read_header(path), context=context, gpu_layers=0, slots=1, flash=flash)
    reported = _reported(path, context, flash=flash)
    assert need.kv_bytes / _MIB == pytest.approx(reported["KV"], abs=0.01)
    assert need.compute_bytes / _MIB == pytest.approx(reported["compute"], rel=0.01)
    assert need.weights_bytes / _MIB == pytest.approx(reported["model"], rel=0.05, abs=0.02)
    assert need.gpu_bytes == 0


@pytest.mark.usefixtures("llama")
def test_the_shipped_models_slot_is_what_was_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    entry = shipped_entry()
    assert entry is not None and entry.header is not None
    reported = _reported(Path(entry.path), entry.context, flash=True)
    need = entry.need(gpu=False)
    assert need is not None
    assert need.kv_bytes / _MIB == pytest.approx(reported["KV"], abs=0.01)
    assert need.compute_bytes / _MIB == pytest.approx(reported["compute"], rel=0.01)
    plain = entry.model_copy(update={"flash_attention": "off"}).need(gpu=False)
    assert plain is not None
    assert plain.compute_bytes > 5 * need.compute_bytes


def test_a_header_that_tells_no_feed_forward_is_counted_as_a_usual_one(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf", width=128))
    assert header.feed_forward == 256
    usual, untold = (
        estimate(replace(header, feed_forward=inner), context=1024, gpu_layers=0, slots=1, flash=True)
        for inner in (4 * 128, 0)
    )
    assert usual.compute_bytes == untold.compute_bytes


def test_slots_share_weights_and_nothing_else(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf"))
    needed = estimate(header, context=1024, gpu_layers=0, slots=1)
    three = estimate(header, context=1024, gpu_layers=0, slots=3)
    assert three.weights_bytes == needed.weights_bytes == header.tensor_bytes
    assert three.kv_bytes == 3 * needed.kv_bytes
    assert three.compute_bytes == 3 * needed.compute_bytes


def test_layers_on_the_gpu_take_their_share_with_them(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf", layers=4))
    none, half, every = (
        estimate(header, context=1024, gpu_layers=layers, slots=1, projector_bytes=100)
        for layers in (0, 2, -1)
    )
    assert none.gpu_bytes == 0
    assert half.gpu_kv_bytes == half.kv_bytes // 2
    assert every.gpu_kv_bytes == every.kv_bytes
    assert every.ram_bytes >= header.embedding_bytes
    assert every.gpu_weights_bytes == header.tensor_bytes - header.embedding_bytes + 100
    assert none.gpu_bytes < half.gpu_bytes < every.gpu_bytes


def test_a_shared_token_table_is_copied_to_the_gpu(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf"))
    tied = replace(header, output_bytes=0, tensor_bytes=header.tensor_bytes - header.output_bytes)
    need = estimate(tied, context=1024, gpu_layers=-1, slots=1)
    assert need.weights_bytes == tied.tensor_bytes + tied.embedding_bytes


def test_what_is_missing_is_told_to_the_byte(tmp_path: Path) -> None:
    need = estimate(read_header(tiny_text_model(tmp_path / "m.gguf")), context=4096, gpu_layers=-1, slots=2)
    check_fits(need, FreeMemory(ram_bytes=need.ram_bytes, vram_bytes=need.gpu_bytes))
    with pytest.raises(NotEnoughMemory) as caught:
        check_fits(need, FreeMemory(ram_bytes=need.ram_bytes, vram_bytes=need.gpu_bytes - 5))
    assert caught.value.needed_bytes - caught.value.free_bytes == 5
    assert caught.value.where == "video memory"
    assert "GPU layers" in caught.value.fix
    with pytest.raises(NotEnoughMemory) as caught:
        check_fits(need, FreeMemory(ram_bytes=need.ram_bytes - 7, vram_bytes=need.gpu_bytes))
    assert caught.value.needed_bytes - caught.value.free_bytes == 7
    assert caught.value.where == "memory"


def test_without_a_gpu_everything_counts_as_memory(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf"))
    asked_all = estimate(header, context=4096, gpu_layers=-1, slots=1)
    on_cpu = estimate(header, context=4096, gpu_layers=0, slots=1)
    check_fits(asked_all, FreeMemory(ram_bytes=on_cpu.total_bytes))
    with pytest.raises(NotEnoughMemory) as caught:
        check_fits(asked_all, FreeMemory(ram_bytes=on_cpu.total_bytes - 1))
    assert caught.value.needed_bytes - caught.value.free_bytes == 1


def test_the_largest_context_fits_and_the_next_does_not(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf", context=8192))
    free = FreeMemory(ram_bytes=30 * _MIB)
    largest = largest_context(header, free, gpu_layers=0, slots=1)
    assert 0 < largest < 8192
    check_fits(estimate(header, context=largest, gpu_layers=0, slots=1), free)
    with pytest.raises(NotEnoughMemory):
        check_fits(estimate(header, context=largest + 256, gpu_layers=0, slots=1), free)
    assert largest_context(header, FreeMemory(ram_bytes=1), gpu_layers=0, slots=1) == 0


def test_this_machine_has_some_memory_free() -> None:
    assert free_memory().ram_bytes > 64 * _MIB


_NVML = """
struct memory { unsigned long long total, free, used; };
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
    *device = (void *)(long)(index + 1);
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *device, struct memory *told) {
    told->free = 5000000000ULL * (long)device;
    return 0;
}
"""


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="builds a stand-in for NVIDIA's library"
)
def test_free_video_memory_is_that_of_all_gpus(tmp_path: Path) -> None:
    """No GPU here: a library of the same interface takes the place of NVIDIA's, in a process of its own."""
    (tmp_path / "nvml.c").write_text(_NVML)
    library = tmp_path / "libnvidia-ml.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "nvml.c"], check=True, timeout=60)
    code = "from pitwall.models.free_memory import free_memory; print(free_memory().vram_bytes)"
    log = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert log.stdout.strip() == "15000000000"


def test_the_driver_of_a_gpu_is_counted_once_for_a_process(tmp_path: Path) -> None:
    header = read_header(tiny_text_model(tmp_path / "m.gguf"))
    first = estimate(header, context=1024, gpu_layers=-1, slots=1)
    second = first.beside_another()
    assert first.gpu_driver_bytes > 0 == second.gpu_driver_bytes
    assert (
        first.gpu_bytes - second.gpu_bytes == first.total_bytes - second.total_bytes == first.gpu_driver_bytes
    )
    assert first.ram_bytes == second.ram_bytes
