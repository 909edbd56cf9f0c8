"""`pitwall models test` and `bench`: ask a model, and measure its speed on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pitwall.cli.models.format import NameArgument, card_text, entry_card
from pitwall.cli.models.probing import probe_model
from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Reporter
from pitwall.core.errors import PitwallError, RequestFailed, SettingsError
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.quantities import byte_size
from pitwall.core.settings import load_settings
from pitwall.models.entry import ModelEntry
from pitwall.models.host_requests import Complete, Completed, Streamed
from pitwall.models.registry import ModelRegistry

if TYPE_CHECKING:
    from pitwall.models.host_client import HostClient

_SLOT = "test"
TemperatureOption = Annotated[
    float, typer.Option(min=0.0, max=2.0, help="0 always chooses the likeliest token.")
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the choice of tokens.")]


def test(
    name: NameArgument,
    prompt: Annotated[str, typer.Option("--prompt", help="The question.")],
    image: Annotated[Path | None, typer.Option(help="A picture to send with it.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply.")] = 256,
    temperature: TemperatureOption = 0.0,
    seed: SeedOption = 0,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Ask a model a question, and show its reply as it comes."""
    from pitwall.models.host_client import HostClient

    folder, report = data_folder(data), Reporter(json)
    entry = text_model(ModelRegistry(folder).get(name))
    picture = picture_for(entry, image, load_settings(folder.settings).models.image_px)
    message = chat_message("user", prompt, image=bool(picture))
    with HostClient(folder.logs, data=folder.root) as client:
        request = Complete(
            request_id=client.number(),
            model=entry.spec,
            messages=(message,),
            slot=_SLOT,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            deadline_ms=600_000,
        )
        reply = stream_reply(client, request, picture, report)
    if not reply.text.strip():
        raise RequestFailed(
            f"{name} replied with no text ({reply.output_tokens:,} tokens, ended by {reply.finish}).",
            "Raise --max-tokens, or try another prompt.",
        )
    body = {"model": name, **reply_figures(reply)}
    speed = f", {body['tokens_per_s']:,.1f} tok/s" if body["tokens_per_s"] else ""
    end = "" if reply.text.endswith("\n") else "\n"
    line = (
        f"{end}[{reply.prompt_tokens} tokens asked, {reply.output_tokens} answered{speed}, "
        f"ended by {reply.finish}, on {reply.device}]"
    )
    report.result(body, [line])


def bench(name: NameArgument, data: DataOption = None, json: JsonOption = False) -> None:
    """Probe and measure a model on this machine, and save both results in the registry."""
    folder, report = data_folder(data), Reporter(json)
    entry = probe_model(text_model(ModelRegistry(folder).get(name)), folder, report, once=False)
    measured = entry.measured
    assert measured is not None
    lines = [
        f"{name} on {measured.device}, {byte_size(measured.memory_bytes)} of memory",
        f"  generation   {measured.tokens_per_s:10,.1f} tok/s",
        f"  prompt       {measured.prompt_tokens_per_s or 0:10,.1f} tok/s",
        f"  first token  {measured.first_token_ms or 0:10,.1f} ms",
        f"  loading      {measured.load_ms or 0:10,.1f} ms",
    ]
    lines += card_text(entry)
    body = {"name": name, **measured.model_dump(mode="json"), "language": not entry.doubt}
    report.result({**body, "probed": entry_card(entry)}, lines)


def text_model(entry: ModelEntry) -> ModelEntry:
    """Return the model if it writes text.

    Raises:
        SettingsError: it writes none.
    """
    if entry.kind == "onnx":
        raise SettingsError(
            f"{entry.name} is an ONNX model: it writes no text.", "Choose a GGUF or an endpoint."
        )
    return entry


def chat_message(role: Literal["system", "user", "assistant"], text: str, *, image: bool = False) -> Message:
    """Return a message of a prompt that has no layers."""
    return Message(role=role, spans=(Span(layer=Layer.STATE, text=text),), image=image)


def stream_reply(
    client: HostClient,
    request: Complete,
    pictures: bytes,
    report: Reporter,
    cancelled: Callable[[], bool] | None = None,
) -> Completed:
    """Report the text of a reply as it grows, and return the whole reply.

    Raises:
        PitwallError: no reply came.
    """
    for reply in client.ask(request, pictures, cancelled=cancelled):
        if isinstance(reply, Streamed):
            report.text({"streamed": reply.text, "tokens": reply.tokens}, reply.text)
        elif isinstance(reply, Completed):
            return reply
    raise PitwallError("the host answered with something else.")


def reply_figures(reply: Completed) -> dict[str, Any]:
    """Return a reply with its tokens, times and speed, as JSON."""
    first = reply.first_token_ms
    later_ms = 0.0 if first is None else reply.took_ms - first
    speed = (reply.output_tokens - 1) * 1000 / later_ms if reply.output_tokens > 1 and later_ms > 0 else None
    return {
        "text": reply.text,
        "finish": reply.finish,
        "prompt_tokens": reply.prompt_tokens,
        "cached_tokens": reply.cached_tokens,
        "output_tokens": reply.output_tokens,
        "tokens_per_s": speed,
        "first_token_ms": first,
        "load_ms": reply.load_ms,
        "took_ms": reply.took_ms,
        "device": reply.device,
    }


def picture_for(entry: ModelEntry, file: Path | None, longest_px: int) -> bytes:
    """Read a picture as PNG, shrunk to the largest size that is sent to a model; empty for no file.

    Raises:
        SettingsError: the model takes no pictures.
        PitwallError: the file is no picture.
    """
    if file is None:
        return b""
    if not entry.sees:
        raise SettingsError(
            f"{entry.name} takes no pictures.", "Give it a projector: pitwall models set --projector"
        )
    import cv2
    import numpy as np

    try:
        pixels = cv2.imdecode(np.frombuffer(file.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    except (OSError, cv2.error) as error:
        raise PitwallError(f"{file} cannot be read: {error}.", "Name a PNG or JPEG file.") from error
    if pixels is None:
        raise PitwallError(f"{file} is no picture.", "Name a PNG or JPEG file.")
    scale = longest_px / max(pixels.shape[:2])
    if scale < 1:
        height, width = (max(1, round(side * scale)) for side in pixels.shape[:2])
        pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    return cv2.imencode(".png", pixels)[1].tobytes()
