"""The situation that a prompt is composed for: now, as far as the console knows, or a run's end. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pitwall.console.state.view_state import ViewState
from pitwall.core.actions import NO_OP, Effect, Proposal, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.observations import GameStatus, Value
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.retrieval import Fragment, Retrieval
from pitwall.core.settings import Settings
from pitwall.core.signals import Signals
from pitwall.core.steps import StepRecord
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.state_format import (
    describe_state,
    left_in_turn,
    plan_state,
    react_state,
    reflect_state,
)
from pitwall.memory.prompt.state_parts import Scene
from pitwall.memory.retrieval.fragments import evidence_for, fragment_spans
from pitwall.store.run_log import RunReader

PURPOSES: dict[Purpose, str] = {
    Purpose.PLAN: "a plan",
    Purpose.REACT: "one action",
    Purpose.REFLECT: "a reflection",
    Purpose.DESCRIBE: "a description",
}
"""Calls whose prompt can be looked at, and the answer that each asks for."""
_EVIDENCED = frozenset({Purpose.PLAN, Purpose.REACT, Purpose.REFLECT})
"""Calls whose prompt can hold fragments of the knowledge graph."""
THREAD = "thread"
"""Spans of earlier messages of a fight have this item."""
_MOST_STEPS = 51
_RUNS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStep:
    """A recent step, as `memory.state.Step` asks for it."""

    step: int
    action: SemanticAction
    effect: Effect
    progressed: bool
    changed: Mapping[str, tuple[Value, Value]]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The situation that a prompt describes.

    Attributes:
        origin: its source, for the operator.
        values: the state reader's fields, including `status`; empty if nothing was observed.
        thread: earlier messages of a fight.
        instruction: the task, in words.
    """

    game_id: str
    role: str = ""
    seed: int | None = None
    origin: str = "nothing was observed yet: no field is known"
    status: GameStatus = GameStatus.PLAYING
    values: Mapping[str, Value] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    steps: tuple[PastStep, ...] = ()
    proposal: Proposal | None = None
    hints: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    thread: tuple[Message, ...] = ()
    instruction: str = ""


def situation_now(state: ViewState) -> Situation | None:
    """Return the situation of the game in view; None before its first frame, or without a game."""
    game, note = state.game, state.note
    if game is None or note is None:
        return None
    values: dict[str, Value] = {reading.name: reading.value for reading in note.readings}
    values["status"] = note.status.value
    steps = list(state.steps)[-_MOST_STEPS:]
    plan = state.thinking.plan
    prompt = _newest_plan_prompt(state)
    at = f" after step {steps[-1].step:,}" if steps else ""
    return Situation(
        game_id=game.game_id,
        role=game.role,
        seed=state.run.manifest.seed if state.run is not None else None,
        origin=f"the newest frame{at}",
        status=note.status,
        values=values,
        signals=note.signals,
        steps=past_steps(steps, values),
        proposal=plan.proposal if plan is not None else None,
        hints=state.retrieval.retrieval.hints if state.retrieval is not None else (),
        fragments=state.retrieval.retrieval.fragments if state.retrieval is not None else (),
        thread=_thread(prompt),
        instruction=_instruction(prompt),
    )


def situation_recorded(reader: RunReader, game_id: str) -> Situation:
    """Return the last step of the newest run of a game that has steps."""
    for run in reader.runs(_RUNS_LOOKED_AT):
        last = run.summary.steps
        if run.manifest.game_id != game_id or not last:
            continue
        steps = reader.steps(run.run_id, max(1, last - _MOST_STEPS))
        if not steps:
            continue
        newest = steps[-1]
        values = {**newest.fields, "status": newest.status.value}
        retrieval: Retrieval | None = reader.retrieval(run.run_id, newest.step)
        return Situation(
            game_id=game_id,
            role=run.manifest.role,
            seed=run.manifest.seed,
            origin=f"run {run.run_id}, step {newest.step:,} (recorded)",
            status=newest.status,
            values=values,
            signals=newest.signals,
            steps=past_steps(steps[:-1], newest.fields),
            proposal=newest.proposal,
            hints=retrieval.hints if retrieval is not None else (),
            fragments=retrieval.fragments if retrieval is not None else (),
        )
    return Situation(game_id=game_id)


def past_steps(steps: Sequence[StepRecord], now: Mapping[str, Value]) -> tuple[PastStep, ...]:
    """Return steps for a prompt; each step's changes are the differences to the next step, or to now."""
    past = []
    for at, step in enumerate(steps):
        if step.action == NO_OP:
            continue
        following = steps[at + 1] if at + 1 < len(steps) else None
        after = following.fields if following is not None else now
        changed = {
            name: (value, after[name])
            for name, value in step.fields.items()
            if name != "status" and name in after and after[name] != value
        }
        progressed = following is not None and following.signals.progress > step.signals.progress
        past.append(
            PastStep(
                step=step.step,
                action=step.action,
                effect=step.decided_effect,
                progressed=progressed,
                changed=changed,
                problem=_problem(step),
            )
        )
    return tuple(past)


def turn_of(
    situation: Situation,
    purpose: Purpose,
    book: PromptLayers,
    settings: Settings,
    count: Callable[[str], int],
) -> list[Message]:
    """Return the messages of the state: those of the thread, then the current question.

    Args:
        count: returns the tokens of a text.
    """
    recent, memory = settings.models.recent_steps, settings.memory
    hints, fragments = evidence_for(
        memory, situation.hints, situation.fragments, strategic=purpose is not Purpose.REACT
    )
    scene = Scene(
        status=situation.status,
        values=situation.values,
        units=book.units,
        lengths=book.lengths,
        signals=situation.signals,
        steps=situation.steps[-recent:] if recent else (),
        hints=hints,
        notes=book.notes,
    )
    match purpose:
        case Purpose.REACT:
            adrift = book.alone and not book.acting(situation.values)
            text = react_state(
                scene,
                proposal=None if book.alone else situation.proposal,
                left=left_in_turn(book.nameable, situation.steps, 0) if adrift else (),
            )
        case Purpose.REFLECT:
            text = reflect_state(scene, proposal=situation.proposal)
        case Purpose.DESCRIBE:
            text = describe_state(scene)
        case _:
            text = plan_state(scene, reasons=(), proposal=situation.proposal)
    evidence = fragment_spans(fragments, memory.graph_tokens, count) if purpose in _EVIDENCED else ()
    asked = Message(role="user", spans=(Span(layer=Layer.STATE, text=text), *evidence))
    return [*(situation.thread if purpose is Purpose.PLAN else ()), asked]


def _problem(step: StepRecord) -> str:
    if step.invalid is not None:
        return f"invalid ({step.invalid.value})"
    refused = sorted({event.refused.value for event in step.sent if event.refused is not None})
    return f"refused ({', '.join(refused)})" if refused else ""


def _newest_plan_prompt(state: ViewState) -> Prompt | None:
    plans = [
        call for call in state.thinking.calls if call.purpose is Purpose.PLAN and call.prompt is not None
    ]
    return plans[-1].prompt if plans else None


def _thread(prompt: Prompt | None) -> tuple[Message, ...]:
    """Return the earlier messages with which the newest plan was requested."""
    steps = []
    for message in prompt.messages if prompt is not None else ():
        spans = tuple(span for span in message.spans if span.item == THREAD)
        if spans:
            steps.append(Message(role=message.role, spans=spans))
    return tuple(steps)


def _instruction(prompt: Prompt | None) -> str:
    """Return the operator's task as the newest plan received it."""
    tasks = [span.text for span in prompt.spans if span.item == "task"] if prompt is not None else []
    return tasks[0].partition(": ")[2].strip() if tasks else ""
