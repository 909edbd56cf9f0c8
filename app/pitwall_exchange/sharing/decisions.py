"""The decisions in a run's report: which steps, and each with its picture, reason, plan and model call."""

from __future__ import annotations

import base64
import io
from collections.abc import Container, Sequence
from html import escape
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from pitwall.core.bounded_reading import read_bytes
from pitwall.core.calls import CallRecord
from pitwall.core.clock import NS_PER_S
from pitwall.core.errors import DamagedFile
from pitwall.core.observations import Value
from pitwall.core.steps import StepRecord

_PICTURE_PX = 480
_QUALITY = 80
_REPLY = 600


def shown_steps(steps: Sequence[StepRecord], asked: Container[int], most: int) -> list[StepRecord]:
    """Choose at most so many steps, in order: those with a plan or a model call, then evenly spread ones.

    Args:
        asked: steps with model calls.
    """
    planned = [step for step in steps if step.reasons or step.step in asked]
    chosen = {step.step: step for step in _evenly(planned, most)}
    others = [step for step in steps if step.step not in chosen]
    chosen |= {step.step: step for step in _evenly(others, most - len(chosen))}
    return [chosen[number] for number in sorted(chosen)]


def decision(step: StepRecord, calls: Sequence[CallRecord], folder: Path) -> str:
    """Write a step as an article of the page."""
    reasons = f" ({escape(', '.join(step.reasons))})" if step.reasons else ""
    plan = f"<p>Plan: {escape(step.proposal.subgoal)}</p>" if step.proposal and step.proposal.subgoal else ""
    refused = sorted({sent.refused.value for sent in step.sent if sent.refused is not None})
    stopped = f' · <span class="not">refused: {escape(", ".join(refused))}</span>' if refused else ""
    read = ", ".join(f"{name} {_value(value)}" for name, value in step.fields.items() if value is not None)
    none = f" ({escape(step.effect_why)})" if step.effect_why else ""
    text = "".join(_call(call) for call in calls)
    fields = f'<p class="small dim">Read: {escape(read[:400])}</p>' if read else ""
    return (
        f'<article class="decision {step.route.value}">{_picture(step, folder)}<div>'
        f"<h3>Step {step.step:,} · {step.at_ns / NS_PER_S:.1f} s · "
        f'<span class="route">{step.route.value}</span>{reasons}</h3>'
        f"<p><strong>{escape(str(step.action))}</strong> · {step.effect.value}{none}{stopped}</p>"
        f"<p>{escape(step.why)}</p>{plan}{fields}{text}</div></article>"
    )


def _value(value: Value) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _evenly(steps: Sequence[StepRecord], most: int) -> list[StepRecord]:
    if most <= 0 or not steps:
        return []
    if len(steps) <= most:
        return list(steps)
    return [steps[at * (len(steps) - 1) // max(1, most - 1)] for at in range(most)]


def _call(call: CallRecord) -> str:
    took = "" if call.times.took_ms is None else f", {call.times.took_ms:,.0f} ms"
    tokens = f"{call.tokens.prompt:,} tokens in, {call.tokens.output:,} out"
    reply = call.reply[:_REPLY] + (" …" if len(call.reply) > _REPLY else "")
    return (
        f'<p class="small">{escape(call.purpose.value)} asked of {escape(call.model)}: '
        f"{escape(call.outcome.value)}, {tokens}{took}</p><pre>{escape(reply or '(nothing)')}</pre>"
    )


def _picture(step: StepRecord, folder: Path) -> str:
    file = folder / step.frame_ref
    if not step.frame_ref or not file.resolve().is_relative_to(folder.resolve()):
        return '<div class="none">No picture was kept.</div>'
    try:
        with Image.open(io.BytesIO(read_bytes(file))) as image:
            small = image.convert("RGB")
    except (OSError, DamagedFile, UnidentifiedImageError, Image.DecompressionBombError):
        return '<div class="none">Its picture is gone.</div>'
    small.thumbnail((_PICTURE_PX, _PICTURE_PX))
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    data = base64.b64encode(out.getvalue()).decode()
    return f'<img alt="The game at step {step.step}" src="data:image/jpeg;base64,{data}">'
