"""A GGUF model loaded in the test's own process."""

from __future__ import annotations

from pathlib import Path

from pitwall.host.backends.gguf.kept_prompts import KeptPrompts
from pitwall.host.backends.gguf.library import library_log
from pitwall.host.backends.gguf.loaded_model import LoadedGguf
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.models.files.gguf_header import read_header
from pitwall.models.spec import ModelSpec


def load(spec: ModelSpec, kept_prompts: Path | None = None) -> LoadedGguf:
    """Load a model; `kept_prompts` is the folder of its evaluated prompts."""
    journal = library_log()
    model = GgufModel(spec, journal, extra_buffers=True, given_up=lambda: False)
    return LoadedGguf(
        model,
        read_header(Path(spec.path)),
        journal,
        load_ms=0.0,
        note="",
        may_see=lambda: True,
        changed=lambda: None,
        kept_prompts=KeptPrompts(kept_prompts, spec.sha256),
    )
