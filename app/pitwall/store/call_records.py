"""Model calls, their prompts and episode summaries as rows of the run log, and back.

A prompt is kept exactly, half of a UTF-16 pair included: its hash is over what was composed. Every other
strange text is mended as `records` does, so that none ever costs a call.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pitwall.core import calls
from pitwall.core.actions import Invalid
from pitwall.core.episodes import Episode
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.store import schema
from pitwall.store.database_errors import object_in, reads_row
from pitwall.store.records import Row, number_of, to_json, whole_text


def call_row(run_id: int, call: calls.CallRecord) -> dict[str, Any]:
    """Columns of `calls`."""
    tokens, times = call.tokens, call.times
    return {
        "run_id": run_id,
        "call": call.call,
        "step": call.step,
        "at_ns": call.at_ns,
        "purpose": call.purpose.value,
        "tier": call.tier.value,
        "model": whole_text(call.model),
        "device": whole_text(call.device),
        "prompt_hash": call.prompt_hash,
        "grammar_hash": call.grammar_hash or None,
        "image_ref": whole_text(call.image_ref),
        "reply": whole_text(call.reply),
        "finish": whole_text(call.finish),
        "outcome": call.outcome.value,
        "problem": whole_text(call.problem),
        "invalid": None if call.invalid is None else call.invalid.value,
        "proposed": call.proposed,
        "illegal": call.illegal,
        "prompt_tokens": tokens.prompt,
        "cached_tokens": tokens.cached,
        "output_tokens": tokens.output,
        "tokens_by_layer": to_json(tokens.by_layer),
        "queued_ms": times.queued_ms,
        "load_ms": times.load_ms,
        "first_token_ms": times.first_token_ms,
        "took_ms": times.took_ms,
        "choice": None if call.choice is None else to_json(asdict(call.choice)),
        "left_out": to_json(list(call.left_out)) if call.left_out else None,
    }


@reads_row(schema.calls)
def call_of(row: Row) -> calls.CallRecord:
    """The call in a row of `calls`."""
    return calls.CallRecord(
        call=row["call"],
        step=row["step"],
        at_ns=row["at_ns"],
        purpose=calls.Purpose(row["purpose"]),
        tier=calls.Tier(row["tier"]),
        model=row["model"],
        device=row["device"],
        prompt_hash=row["prompt_hash"],
        grammar_hash=row["grammar_hash"] or "",
        image_ref=row["image_ref"],
        reply=row["reply"],
        finish=row["finish"],
        outcome=calls.CallOutcome(row["outcome"]),
        problem=row["problem"],
        invalid=None if row["invalid"] is None else Invalid(row["invalid"]),
        proposed=row["proposed"],
        illegal=row["illegal"],
        tokens=calls.CallTokens(
            prompt=row["prompt_tokens"],
            cached=row["cached_tokens"],
            output=row["output_tokens"],
            by_layer=object_in(row["tokens_by_layer"]),
        ),
        times=calls.CallTimes(
            queued_ms=number_of(row["queued_ms"]),
            load_ms=number_of(row["load_ms"]),
            first_token_ms=row["first_token_ms"],
            took_ms=number_of(row["took_ms"]),
        ),
        choice=_choice_of(row["choice"]),
        left_out=tuple(json.loads(row["left_out"] or "[]")),
    )


def _choice_of(text: str | None) -> calls.Choice | None:
    if text is None:
        return None
    known = json.loads(text)
    return calls.Choice(
        options=tuple(calls.OptionScore(**one) for one in known["options"]), note=known["note"]
    )


def messages_of(prompt: Prompt) -> list[dict[str, Any]]:
    """A prompt as plain values: its messages, each with its spans and their layers."""
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
    """A prompt as `texts` keeps it: JSON of its messages."""
    messages = messages_of(prompt)
    text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(messages, separators=(",", ":"))
    return text


@reads_row("texts")
def prompt_of(text: str) -> Prompt:
    """The prompt in a text of `texts`."""
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


def episode_row(episode: Episode) -> dict[str, Any]:
    """Columns of `episodes`, without the id."""
    return {
        "run_id": episode.run_id,
        "game_id": whole_text(episode.game_id),
        "key": whole_text(episode.key),
        "text": whole_text(episode.text),
        "author": whole_text(episode.author),
        "created_at": whole_text(episode.created_at),
    }


@reads_row(schema.episodes)
def episode_of(row: Row) -> Episode:
    """The episode summary in a row of `episodes`."""
    return Episode(
        episode_id=row["episode_id"],
        run_id=row["run_id"],
        game_id=row["game_id"],
        key=row["key"],
        text=row["text"],
        author=row["author"],
        created_at=row["created_at"],
    )
