"""Copies of tiny GGUF files that differ in one thing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np

TEMPLATE = "tokenizer.chat_template"


def with_template(source: Path, path: Path, template: str | None) -> Path:
    """A copy of a text model with another chat template, or none."""
    own = [] if template is None else [template]
    return _copied(source, path, keys=lambda key: key != TEMPLATE, templates=own)


def with_damaged_numbers(source: Path, path: Path, damaged: str) -> Path:
    """A copy of a model whose tensor of this name holds what is no number."""
    copy = _copied(source, path)
    for tensor in gguf.GGUFReader(copy, "r+").tensors:
        if tensor.name == damaged:
            tensor.data[:] = np.nan
    return copy


def without_tensor(source: Path, path: Path, missing: str) -> Path:
    """A copy of a model that lacks a tensor."""
    return _copied(source, path, tensors=lambda name: name != missing)


def _copied(
    source: Path,
    path: Path,
    *,
    keys: Callable[[str], bool] = bool,
    tensors: Callable[[str], bool] = bool,
    templates: list[str] | None = None,
) -> Path:
    reader = gguf.GGUFReader(source)
    architecture = str(reader.fields["general.architecture"].contents())
    writer = gguf.GGUFWriter(path, architecture)
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture" and keys(field.name):
            kind = field.types[0]
            sub_type = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), kind, sub_type=sub_type)
    for template in templates or []:
        writer.add_chat_template(template)
    for tensor in reader.tensors:
        if tensors(tensor.name):
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
