"""`pitwall models`: the models of this data folder, and the tiers that use them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from pitwall.cli.models import ask_and_measure, chat, download, guide, search
from pitwall.cli.models.format import (
    NameArgument,
    checking_progress,
    entry_json,
    entry_line,
    entry_text,
    free_text,
    tier_lines,
    tiers_of,
)
from pitwall.cli.models.probing import ProbeOption, finish_adding
from pitwall.cli.options import DataOption, JsonOption, command_group, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.calls import Tier
from pitwall.core.errors import SettingsError
from pitwall.core.settings import load_settings, save_settings
from pitwall.models.free_memory import free_memory
from pitwall.models.memory_estimate import largest_context
from pitwall.models.registry import ModelRegistry
from pitwall.models.shipped import shipped_model_serves
from pitwall.models.spec import FlashAttention
from pitwall.store.database_errors import named_faults

_NONE = "none"
ContextOption = Annotated[
    int | None, typer.Option("--context", min=256, help="Tokens that prompt and reply may take together.")
]
LayersOption = Annotated[
    int | None, typer.Option("--gpu-layers", min=-1, help="Layers on the GPU; -1 all of them.")
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        "--threads", min=0, help="Threads; 0: as many as the processor has cores, less one for the game."
    ),
]
FlashOption = Annotated[
    FlashAttention | None,
    typer.Option("--flash-attention", help="Of a GGUF model; auto: on a GPU, not on the processor."),
]
ScaleOption = Annotated[
    Literal["sent", "window", "thousand", "percent", "unit", "measured"] | None,
    typer.Option(
        "--click-scale",
        help="Scale in which a model that sees writes places: pixels of the picture sent or of the window, "
        "0 to 1000, percent, 0 to 1; measured: as its click test found.",
    ),
]
KeyOption = Annotated[
    str | None, typer.Option("--key-variable", help="Environment variable that holds the endpoint's key.")
]


def list_models(data: DataOption = None, json: JsonOption = False) -> None:
    """List the models, including the shipped one, the tiers that use them, and the free memory."""
    folder = data_folder(data)
    entries = ModelRegistry(folder).all()
    settings = load_settings(folder.settings)
    free = free_memory()
    tiers = {"tiers": tiers_of(settings), "stands_in": shipped_model_serves(settings)}
    rows = [entry_json(entry, settings, free) for entry in entries]
    lines = [entry_line(entry, settings) for entry in entries]
    none = ["No models yet. Add one: pitwall models add FILE"]
    Reporter(json).result({"models": rows, **tiers, "free": free}, [*(lines or none), free_text(free)])


def show(name: NameArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Show one model: its file, options, memory needs and measurements."""
    folder = data_folder(data)
    entry = ModelRegistry(folder).get(name)
    settings = load_settings(folder.settings)
    free = free_memory()
    body = {**entry_json(entry, settings, free), "free": free, "largest_context": None}
    if entry.header is not None and not entry.header.is_projector:
        body["largest_context"] = largest_context(
            entry.header,
            free,
            gpu_layers=entry.gpu_layers,
            slots=1,
            projector_bytes=entry.projector_bytes,
            flash=entry.flash_attention == "on",
        )
    lines = entry_text(entry, settings, free)
    if body["largest_context"] is not None:
        lines.append(f"longest context that fits now: {body['largest_context']:,} tokens")
    Reporter(json).result(body, [*lines, free_text(free)])


def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A GGUF or ONNX file.")],
    name: Annotated[str, typer.Option(help="Name in the list; default: the file's own.")] = "",
    projector: Annotated[Path | None, typer.Option(help="GGUF file that lets the model see.")] = None,
    context: ContextOption = None,
    gpu_layers: LayersOption = None,
    threads: ThreadsOption = None,
    flash_attention: FlashOption = None,
    sha256: Annotated[str, typer.Option("--sha256", help="The hash that its publisher states.")] = "",
    probe: ProbeOption = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Check a model's file, hash it, add it, and probe what it can do. The file stays where it is.

    The probe takes a minute at most for a small model; Ctrl+C ends it, and the model stays added.

    An ONNX file that takes input_ids is an encoder of texts (like bge-base or E5). Its tokenizer.json must be
    beside it, and its 1_Pooling/config.json, too, if it was published with one; for a file in a folder called
    onnx both may be one folder above. To use it for the memory:
    pitwall settings set memory.embedder NAME
    """
    folder, report = data_folder(data), Reporter(json)
    entry = ModelRegistry(folder).add_file(
        file,
        name=name,
        projector=projector,
        progress=checking_progress(report),
        context=context or 0,
        gpu_layers=-1 if gpu_layers is None else gpu_layers,
        threads=threads or 0,
        flash_attention=flash_attention or "auto",
        published_sha256=sha256,
    )
    finish_adding(entry, folder, report, probe=probe)


def add_remote(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name in the list.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Base address, like http://127.0.0.1:8080/v1")],
    model: Annotated[str, typer.Option("--model", help="Its name at the endpoint.")],
    key_variable: KeyOption = None,
    sees: Annotated[bool, typer.Option("--sees", help="It takes pictures.")] = False,
    context: ContextOption = None,
    probe: ProbeOption = True,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Add a model behind an OpenAI-compatible endpoint. Your game's pictures and texts are sent there."""
    folder = data_folder(data)
    options = {} if context is None else {"context": context}
    entry = ModelRegistry(folder).add_remote(
        name, url, model, key_variable=key_variable or "", sees=sees, **options
    )
    finish_adding(entry, folder, Reporter(json), probe=probe)


def set_(
    name: NameArgument,
    context: ContextOption = None,
    gpu_layers: LayersOption = None,
    threads: ThreadsOption = None,
    flash_attention: FlashOption = None,
    projector: Annotated[str | None, typer.Option(help='GGUF file that lets it see; "" for none.')] = None,
    url: Annotated[str | None, typer.Option(help="An endpoint's base address.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Its name at the endpoint.")] = None,
    key_variable: KeyOption = None,
    sees: Annotated[
        bool | None, typer.Option("--sees/--blind", help="Whether an endpoint takes pictures.")
    ] = None,
    click_scale: ScaleOption = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Change options of a model."""
    asked: dict[str, object | None] = {
        "context": context,
        "gpu_layers": gpu_layers,
        "threads": threads,
        "flash_attention": flash_attention,
        "projector": projector,
        "url": url,
        "remote_model": model,
        "key_variable": key_variable,
        "sees": sees,
        "click_scale": "" if click_scale == "measured" else click_scale,
    }
    options = {option: value for option, value in asked.items() if value is not None}
    if not options:
        raise SettingsError(f"nothing to change of {name}.", "See the options: pitwall models set --help")
    folder = data_folder(data)
    entry = ModelRegistry(folder).change(name, **options)
    settings = load_settings(folder.settings)
    body = {"entry": entry_json(entry, settings, free_memory())}
    Reporter(json).result(body, [entry_line(entry, settings)])


def remove(
    name: NameArgument,
    delete_file: Annotated[bool, typer.Option("--delete-file", help="Delete its file too.")] = False,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Remove a model; tiers that use it have no model then. Its file stays unless --delete-file is given.

    The model that ships with Pitwall stays.
    """
    folder = data_folder(data)
    entry = ModelRegistry(folder).remove(name)
    settings = load_settings(folder.settings)
    freed = [tier for tier, used in tiers_of(settings).items() if used == name]
    if freed:
        for tier in freed:
            settings = settings.with_value("models", tier, "")
        save_settings(folder.settings, settings)
    deleted = delete_file and bool(entry.path)
    if deleted:
        with named_faults(Path(entry.path)):
            Path(entry.path).unlink(missing_ok=True)
    lines = [f"{name} is removed{'; its file is deleted' if deleted else ''}."]
    for tier in freed:
        other = shipped_model_serves(settings).get(tier)
        now = f"none chosen now: {other} (shipped) thinks" if other else "no model now"
        lines.append(f"The {tier} tier has {now}.")
    body = {"removed": name, "file": entry.path, "deleted": deleted, "tiers_without_model": freed}
    Reporter(json).result(body, lines)


def use(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a model, as listed, or none.")],
    tier: Annotated[list[Tier], typer.Option("--tier", help="Which tier; may be given several times.")],
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Choose the model of one or several tiers. A running agent uses it from its next step.

    Where no model is chosen to plan, the model that ships with Pitwall thinks; for skills and rules instead:
    pitwall settings set models.shipped false
    """
    folder = data_folder(data)
    if name != _NONE:
        entry = ModelRegistry(folder).get(name)
        if entry.kind == "onnx":
            raise SettingsError(
                f"{name} is an ONNX model: it writes no text.", "Choose a GGUF or an endpoint."
            )
    settings = load_settings(folder.settings)
    for chosen in tier:
        settings = settings.with_value("models", chosen.value, "" if name == _NONE else name)
    save_settings(folder.settings, settings)
    body = {"tiers": tiers_of(settings), "stands_in": shipped_model_serves(settings)}
    Reporter(json).result(body, tier_lines(settings))


app = command_group(
    "Add, download, measure, try and choose models.",
    list_models,
    *(show, add, add_remote, set_, remove, use),
    guide.suggest,
    search.search,
    chat.chat,
    *(download.download, ask_and_measure.test, ask_and_measure.bench),
)
