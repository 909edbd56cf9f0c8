"""A model's part of one memory beside the free memory, and the same in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from pitwall.core.quantities import byte_share, byte_size
from pitwall.models.memory_estimate import FreeMemory, MemoryEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryShare:
    """A model's part of one memory, in bytes.

    Attributes:
        memory: "RAM" or "VRAM".
        free: free memory; None where it is not known.
        held: bytes that the loaded model already has, which `free` does not count.
    """

    memory: str
    weights: int = 0
    kv: int = 0
    compute: int = 0
    free: int | None = None
    held: int = 0

    @property
    def total(self) -> int:
        return self.weights + self.kv + self.compute

    @property
    def room(self) -> int | None:
        """Return the bytes it may take: free now, and those it already has."""
        return None if self.free is None else self.free + self.held

    @property
    def short(self) -> int:
        """Return the missing bytes; 0 where it fits, or where they are not known."""
        return 0 if self.room is None else max(0, self.total - self.room)

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        return (("weights", self.weights), ("KV cache", self.kv), ("compute", self.compute))

    @property
    def fullness(self) -> float:
        """Return the needed part of the room, 0 … (over 1: too little); 0 where it is not known."""
        return self.total / self.room if self.room else 0.0

    def words(self) -> str:
        """Write the need: "2.9 of 21.4 GiB free"."""
        if self.room is None:
            return f"{byte_size(self.total)}, free is not known"
        if self.total > self.held > 0:
            return f"{byte_size(self.held)}, loaded now, up to {byte_size(self.total)} in use"
        if self.held:
            return f"{byte_size(self.held)}, loaded now"
        return f"{byte_share(self.total, self.room)} free"

    def brief(self) -> str:
        """Write the need in short: "2.9 of 21.4 GiB RAM"; of a loaded model the bytes it has."""
        if self.held or self.room is None:
            return f"{byte_size(self.held or self.total)} {self.memory}"
        return f"{byte_share(self.total, self.room)} {self.memory}"

    def sentence(self) -> str:
        """Write everything, for screen readers and tooltips."""
        made = ", ".join(f"{name} {byte_size(count)}" for name, count in self.parts if count)
        short = f"; {byte_size(self.short)} more than is free" if self.short else ""
        return f"{self.memory}: needs {self.words()} ({made}){short}"


def shares_of(
    need: MemoryEstimate, free: FreeMemory | None, *, held_ram: int = 0, held_vram: int = 0
) -> tuple[MemoryShare, ...]:
    """Return a need as shares of VRAM (where a GPU takes some) and RAM."""
    ram = MemoryShare(
        memory="RAM",
        weights=need.weights_bytes - need.gpu_weights_bytes,
        kv=need.kv_bytes - need.gpu_kv_bytes,
        compute=need.compute_bytes - need.gpu_compute_bytes,
        free=free.ram_bytes if free is not None else None,
        held=held_ram,
    )
    if not need.gpu_bytes:
        return (ram,)
    vram = MemoryShare(
        memory="VRAM",
        weights=need.gpu_weights_bytes,
        kv=need.gpu_kv_bytes,
        compute=need.gpu_compute_bytes,
        free=free.vram_bytes if free is not None else None,
        held=held_vram,
    )
    return (vram, ram)
