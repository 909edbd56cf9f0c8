"""The description of a model: its file or address, and how to load it. It travels with each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pitwall.models.click_scale import ClickScale
from pitwall.models.probed import Probed, PromptForm

SMALL_BYTES = 1 << 30
"""Smaller models choose among options unless the settings say otherwise."""
ModelKind = Literal["gguf", "onnx", "remote"]
FlashAttention = Literal["auto", "on", "off"]
"""Attention without a table of scores. It saves memory and may make prompts quicker, but on a processor each
further token slower where heads are wide or many tokens are held: auto gives it to the GPU alone.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """Describes one model for the host.

    Attributes:
        name: in the registry.
        path, size_bytes, mtime_ns, sha256: its file and the stamp under which the hash was taken; a
            file with another stamp is hashed again before it is loaded.
        projector, projector_sha256: GGUF file that lets a text model see; empty for none.
        url, remote_model: base address (…/v1) and model name of an OpenAI-compatible endpoint.
        key_variable: environment variable that holds its key; the key itself is written nowhere.
        context: tokens that prompt and reply together may take, per slot.
        gpu_layers: layers given to the GPU; −1 all of them, 0 none.
        threads: 0: all physical cores but one.
        flash_attention: of a GGUF model; if llama.cpp cannot, a loaded model's note says so.
        sees: takes pictures. embeds: gives embeddings.
        probed: the abilities found in it; None: it was not asked.
        click_scale: scale in which it writes the places of clicks; empty: not known.
        reads: tokens of a fresh prompt that it reads in a second on this machine; 0: not measured.
    """

    name: str
    kind: ModelKind
    path: str = ""
    size_bytes: int = 0
    mtime_ns: int = 0
    sha256: str = ""
    projector: str = ""
    projector_sha256: str = ""
    url: str = ""
    remote_model: str = ""
    key_variable: str = ""
    context: int = 4096
    gpu_layers: int = -1
    threads: int = 0
    flash_attention: FlashAttention = "auto"
    sees: bool = False
    embeds: bool = False
    probed: Probed | None = None
    reads: float = 0.0
    click_scale: ClickScale | Literal[""] = ""

    @property
    def form(self) -> PromptForm:
        """Return how its prompts are written."""
        return self.probed.form if self.probed is not None else PromptForm.AUTO

    @property
    def only(self) -> str:
        """Return the only task it was made for; empty for a general model."""
        return self.probed.only if self.probed is not None else ""

    @property
    def writes_json(self) -> bool:
        """Return whether nothing speaks against its writing JSON."""
        return self.probed is None or self.probed.writes_json

    @property
    def no_text(self) -> str:
        """Return why it is not asked for free text; empty if it may be."""
        why = self.probed.no_text if self.probed is not None else ""
        return f"{self.name} is asked for no free text: {why}." if why else ""
