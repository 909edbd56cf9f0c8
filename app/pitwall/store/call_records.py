"""Converts model calls, their prompts and episode summaries to rows of the run log, and back.

A prompt is kept exactly, half of a UTF-16 pair included, because its hash is over the composed text. Every
other strange text is mended as in `records`, so that none ever loses a call.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pitwall.core import calls
from pitwall.core.actions import Invalid
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.runs import Episode
from pitwall.store import schema
from pitwall.store.database_errors import object_in, reads_row
from pitwall.store.records import Row, number_of, record_of, row_of
from pitwall.store.strict_json import to_json


def call_row(run_id: int, call: calls.CallRecord) -> dict[str, Any]:
    """Return the columns of `calls`."""
    tokens = call.tokens
    return {
        **row_of(schema.calls, call.times),
        **row_of(
            schema.calls,
            call,
            run_id=run_id,
            grammar_hash=call.grammar_hash or None,
            prompt_tokens=tokens.prompt,
            cached_tokens=tokens.cached,
            output_tokens=tokens.output,
            tokens_by_layer=to_json(tokens.by_layer),
            choice=None if call.choice is None else to_json(asdict(call.choice)),
            left_out=to_json(list(call.left_out)) if call.left_out else None,
        ),
    }


@reads_row(schema.calls)
def call_of(row: Row) -> calls.CallRecord:
    """Return the call in a row of `calls`."""
    return record_of(
        calls.CallRecord,
        row,
        purpose=calls.Purpose(row["purpose"]),
        tier=calls.Tier(row["tier"]),
        grammar_hash=row["grammar_hash"] or "",
        outcome=calls.CallOutcome(row["outcome"]),
        invalid=None if row["invalid"] is None else Invalid(row["invalid"]),
        tokens=calls.CallTokens(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            output=row["output_tokens"],
            by_layer=object_in(row["tokens_by_layer"]),
        ),
        times=record_of(
            calls.CallTimes,
            row,
            queued_ms=number_of(row["queued_ms"]),
            load_ms=number_of(row["load_ms"]),
            took_ms=number_of(row["took_ms"]),
        ),
        choice=_choice_of(row["choice"]),
        left_out=tuple(json.loads(row["left_out"] or "[]")),
    )


def _choice_of(text: str | None) -> calls.Choice | None:
    if text is None:
        return None
    choice = json.loads(text)
    options = tuple(calls.OptionScore(**option) for option in choice["options"])
    return calls.Choice(options=options, note=choice["note"])


def messages_of(prompt: Prompt) -> list[dict[str, Any]]:
    """Return a prompt as plain values: its messages, each with its spans and their layers."""
    return [
        {
            "role": message.role,
            "image": message.image,
            "spans": [
                {"layer": span.layer.value, "item": span.item, "text": span.text} for span in message.spans
            ],
        }
        for message in prompt.messages
    ]


def prompt_text(prompt: Prompt) -> str:
    """Return a prompt as `texts` keeps it: JSON of its messages."""
    messages = messages_of(prompt)
    text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(messages, separators=(",", ":"))
    return text


@reads_row("texts")
def prompt_of(text: str) -> Prompt:
    """Return the prompt in a text of `texts`."""
    return Prompt(
        messages=tuple(
            Message(
                role=message["role"],
                image=message["image"],
                spans=tuple(
                    Span(layer=Layer(span["layer"]), item=span["item"], text=span["text"])
                    for span in message["spans"]
                ),
            )
            for message in json.loads(text)
        )
    )


@reads_row(schema.episodes)
def episode_of(row: Row) -> Episode:
    """Return the episode summary in a row of `episodes`."""
    return record_of(Episode, row)
