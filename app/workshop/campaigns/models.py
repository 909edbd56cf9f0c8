"""Models: damaged GGUF and ONNX files are added and asked; a host may die, but its client never hangs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workshop.campaigns.command_trial import ends_in_words
from workshop.campaigns.harness import Campaign, Case, Trial
from workshop.campaigns.mutation import damaged_bytes, damaged_file
from workshop.fixtures.tiny_models import tiny_encoder, tiny_policy, tiny_projector, tiny_text_model


@contextmanager
def _rig(shared: Path) -> Iterator[Trial]:
    wholes = {
        "text.gguf": tiny_text_model(shared / "text.gguf"),
        "quantised.gguf": tiny_text_model(shared / "quantised.gguf", quantised="Q4_0"),
        "projector.gguf": tiny_projector(shared / "projector.gguf"),
        "policy.onnx": tiny_policy(shared / "policy.onnx"),
        "encoder.onnx": tiny_encoder(shared / "encoder.onnx"),
    }

    def trial(case: Case) -> str:
        data, name = case.folder / "data", case.chance.choice(sorted(wholes))
        file = case.folder / name
        file.write_bytes(damaged_bytes(wholes[name].read_bytes(), case.chance))
        if case.chance.random() < 0.1:
            damaged_file(file, case.chance)
        added = ends_in_words(data, "models", "add", str(file), "--name", "hostile", names=(name,))
        ends_in_words(data, "models", "list", "--json")
        if added.status:
            return "refused when added"
        asked = ends_in_words(
            data,
            "models",
            "test",
            "hostile",
            "--prompt",
            "Go on.",
            "--max-tokens",
            "4",
            names=("hostile", name),
        )
        return "refused when asked" if asked.status else "answered"

    yield trial


CAMPAIGN = Campaign(
    tries="a damaged GGUF or ONNX file is added, listed and asked: refused in a sentence, or it answers; a "
    "host that dies of it is no more than a sentence",
    rig=_rig,
)
