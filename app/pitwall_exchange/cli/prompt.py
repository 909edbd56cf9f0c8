"""`pitwall prompt`: shows the prompt of a step's model call, layer by layer, and the reply."""

from __future__ import annotations

import contextlib
from typing import Annotated, Any

import typer

from pitwall.cli.options import DataOption, JsonOption, data_folder
from pitwall.cli.reporter import Line, Reporter
from pitwall.core.calls import CallRecord
from pitwall.core.clock import NS_PER_MS
from pitwall.core.errors import PitwallError
from pitwall.core.prompts import hash_of
from pitwall.core.quantities import counted
from pitwall.store.call_records import messages_of
from pitwall.store.run_reader import RunReader
from pitwall_exchange.cli.prompt_format import AskedCall, call_lines

_NEAR_STEPS = 3


class UnknownCall(PitwallError):
    """The step has no model call, or no call of this number."""


def prompt(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run.")],
    step: Annotated[
        str, typer.Argument(metavar="STEP", help="Number of the step, or last: the last one with a call.")
    ],
    call: Annotated[int | None, typer.Option(min=1, help="Only this call of the step.")] = None,
    data: DataOption = None,
    json: JsonOption = False,
) -> None:
    """Show the prompt of each call made for a step, by layer, with its reply, tokens and times."""
    with contextlib.closing(RunReader.open(data_folder(data))) as reader:
        number = _step_number(reader, run_id, step)
        asked = [_asked(reader, record) for record in _records(reader, run_id, number, call)]
    head = Line(f"run {run_id} · step {number} · {counted(len(asked), 'call')}", bold=True)
    body = {"run_id": run_id, "step": number, "calls": [_call_json(call) for call in asked]}
    Reporter(json).result(body, (head, *(line for call in asked for line in call_lines(call))))


def _step_number(reader: RunReader, run_id: int, text: str) -> int:
    if text != "last":
        try:
            return int(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is no step: give its number, or last.") from None
    with_calls = reader.calls_by_step(run_id)
    if not with_calls:
        raise UnknownCall(f"no model was asked in run {run_id}.", _no_calls_fix(reader, run_id))
    return max(with_calls)


def _records(reader: RunReader, run_id: int, step: int, call: int | None) -> list[CallRecord]:
    records = reader.calls(run_id, step)
    if not records:
        with_calls = reader.calls_by_step(run_id)
        if not with_calls:
            raise UnknownCall(f"no model was asked in run {run_id}.", _no_calls_fix(reader, run_id))
        near = sorted(sorted(with_calls, key=lambda other: abs(other - step))[:_NEAR_STEPS])
        raise UnknownCall(
            f"no model was asked at step {step} of run {run_id}.",
            f"Nearest steps with a call: {', '.join(map(str, near))}.",
        )
    if call is None:
        return records
    chosen = [record for record in records if record.call == call]
    if not chosen:
        numbers = ", ".join(str(record.call) for record in records)
        raise UnknownCall(f"step {step} of run {run_id} has no call {call}.", f"Its calls: {numbers}.")
    return chosen


def _no_calls_fix(reader: RunReader, run_id: int) -> str:
    planner = reader.run(run_id).manifest.planner
    return f"It was played by the planner {planner!r}; see its steps with: pitwall runs {run_id}"


def _asked(reader: RunReader, record: CallRecord) -> AskedCall:
    grammar = reader.text(record.grammar_hash) if record.grammar_hash else None
    return AskedCall(record=record, prompt=reader.prompt(record.prompt_hash), grammar=grammar or "")


def _call_json(asked: AskedCall) -> dict[str, Any]:
    record = asked.record
    tokens = record.tokens
    return {
        "call": record.call,
        "purpose": record.purpose,
        "tier": record.tier,
        "model": record.model,
        "device": record.device,
        "at_ms": record.at_ns / NS_PER_MS,
        "prompt_hash": record.prompt_hash,
        "grammar_hash": record.grammar_hash,
        "image_ref": record.image_ref,
        "layers": [
            {
                "layer": layer.name,
                "tokens": layer.tokens,
                "items": layer.items,
                "sha256": hash_of(layer.text),
                "text": layer.text,
            }
            for layer in asked.layers
        ],
        "messages": messages_of(asked.prompt) if asked.prompt is not None else [],
        "grammar": asked.grammar,
        "tokens": {
            "prompt": tokens.prompt,
            "cached": tokens.cached,
            "fresh": tokens.fresh,
            "output": tokens.output,
        },
        "cached_share": asked.cached_share,
        "reply": record.reply,
        "finish": record.finish,
        "outcome": record.outcome,
        "problem": record.problem,
        "invalid": record.invalid,
        "proposed": record.proposed,
        "illegal": record.illegal,
        "times": record.times,
    }
