"""Makes a registry's entry from a file, and changes its options: every check that needs no other entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from pitwall.core.errors import BadModelFile, SettingsError, suggestion
from pitwall.core.validation import first_fault
from pitwall.models.address import checked_address
from pitwall.models.entry import ModelEntry
from pitwall.models.files.gguf_header import MAGIC, GgufHeader, read_header
from pitwall.models.files.integrity import sha256_of
from pitwall.models.files.onnx_header import read_onnx
from pitwall.models.files.wrong_file import first_bytes, looks_like_onnx, open_model_file, unexpected_file

USUAL_CONTEXT = 8192
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+:-]{0,79}")
_REMOTE = frozenset({"url", "remote_model", "key_variable", "sees"})
_LOADING = frozenset({"gpu_layers", "threads", "flash_attention"})
"""How fast a model is depends on them."""
_WHOSE = frozenset({"url", "remote_model"})
"""Another model answers where they change."""
_CHANGEABLE = ("context", "click_scale", *sorted(_LOADING), "projector", *sorted(_REMOTE))


def name_of(path: Path) -> str:
    """Return a default name for a file: its own without the ending, unusual letters as hyphens."""
    return re.sub(r"[^A-Za-z0-9._+:-]+", "-", path.stem).strip("-._")


def entry_of_file(path: Path, name: str) -> ModelEntry:
    """Return an entry made from the file's own header; not yet hashed.

    Raises:
        BadModelFile: damaged, foreign, or a projector.
    """
    file, size = open_model_file(path)
    with file:
        start = first_bytes(file)
    if start.startswith(MAGIC):
        header = read_header(path)
        if header.is_projector:
            raise BadModelFile(
                str(path),
                "is a projector, the part that lets a model see",
                expected="a model",
                fix=f"Add the model it belongs to, and give this file with --projector {path.name}.",
            )
        return ModelEntry(
            name=name,
            kind="gguf",
            path=str(path),
            context=max(256, min(header.context, USUAL_CONTEXT)),
            header=replace(header, chat_template=""),
            has_chat_template=bool(header.chat_template),
            embeds=header.embeds,
        )
    if looks_like_onnx(start):
        outline = read_onnx(path)
        return ModelEntry(
            name=name,
            kind="onnx",
            path=str(path),
            inputs=outline.inputs,
            outputs=outline.outputs,
            embeds="input_ids" in outline.inputs,
        )
    raise unexpected_file(path, start, size, wanted="a GGUF or ONNX file")


def with_projector(entry: ModelEntry, path: Path) -> ModelEntry:
    """Return the entry with a projector, hashed.

    Raises:
        BadModelFile: the file is none, or is for other models.
    """
    if entry.header is None:
        raise BadModelFile(entry.path, "takes no projector", expected="a GGUF text model")
    header = read_header(path)
    if not header.is_projector:
        raise BadModelFile(str(path), f"is a {header.architecture} model", expected="a projector (mmproj)")
    _check_fit(path, header, entry.header)
    return entry.model_copy(
        update={
            "projector": str(path),
            "projector_sha256": sha256_of(path),
            "projector_bytes": header.file_bytes,
            "sees": True,
        }
    )


def _check_fit(path: Path, projector: GgufHeader, model: GgufHeader) -> None:
    if projector.projects_to not in (0, model.embedding):
        raise BadModelFile(
            str(path),
            f"is a projector for models {projector.projects_to:,} wide",
            expected=f"one for {model.embedding:,}",
            fix="Take the projector from the same place as the model.",
        )


def changed(entry: ModelEntry, options: Mapping[str, object]) -> ModelEntry:
    """Return the entry with other options, without the measurements that they outdate.

    Raises:
        SettingsError: no such option, or a value that does not fit.
        BadModelFile: the projector is none, or does not fit.
    """
    for option in options:
        if option not in _CHANGEABLE:
            raise SettingsError(
                f"a model has no option {option!r}.",
                suggestion(option, _CHANGEABLE, ""),
            )
    if entry.kind != "remote" and (wrong := sorted(_REMOTE & options.keys())):
        raise SettingsError(f"{entry.name} is a file: {wrong[0]} is for endpoints only.")
    if entry.kind != "gguf" and options.get("flash_attention", "auto") != "auto":
        raise SettingsError(f"{entry.name} is no GGUF model: flash_attention is for those only.")
    plain = dict(options)
    if isinstance(plain.get("url"), str):
        plain["url"] = checked_address(str(plain["url"]))
    projector = plain.pop("projector", None)
    if projector == "":
        entry = entry.model_copy(
            update={"projector": "", "projector_sha256": "", "projector_bytes": 0, "sees": False}
        )
    elif projector is not None:
        entry = with_projector(entry, Path(str(projector)).expanduser().absolute())
    try:
        outdated = {"measured": None, "trial": None} if plain.keys() & _LOADING else {}
        other = {"probed": None, "click_test": None} if plain.keys() & _WHOSE else {}
        entry = ModelEntry.model_validate({**entry.model_dump(), **outdated, **other, **plain})
    except ValidationError as error:
        key, problem = first_fault(error)
        raise SettingsError(f"{entry.name}: {key}: {problem}.") from None
    _check_options(entry)
    return entry


def _check_options(entry: ModelEntry) -> None:
    if entry.header is not None and entry.context > entry.header.context >= 256:
        raise SettingsError(
            f"{entry.name}: a context of {entry.context:,} is more than the {entry.header.context:,} tokens "
            "that the model was trained for.",
            f"Choose 256 … {entry.header.context}.",
        )
    if entry.kind != "remote":
        return
    if not entry.remote_model:
        raise SettingsError(f"{entry.name} names no model of its endpoint.", "Give it with --model.")
    if entry.key_variable and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", entry.key_variable):
        raise SettingsError(
            "the key's variable is no name of an environment variable.",
            "Put the key into a variable and give its name; the key itself is written nowhere.",
        )


def checked_name(name: str) -> str:
    """Check a model's name and return it.

    Raises:
        SettingsError: it cannot be a model's name.
    """
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} cannot be a model's name.",
            "Begin with a letter or digit; letters, digits and . _ + : - may follow, 80 in all.",
        )
    return name
