"""A rolling memory of whole rounds in place of layered memory, as GameWorld's agents have it.

A round is a step as it was decided: the state in words, the picture if the model sees, the reasoning and the
action. The newest `memory.rounds` of them enter every prompt whole, and nothing else is remembered, so a
prompt grows with the setting by exactly those rounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from pitwall.core.actions import Effect
from pitwall.core.prompts import Layer, Message, Span
from pitwall.core.settings import Settings
from pitwall.engine.control.workflows.round_memory import EarlierRounds
from pitwall.engine.decision.open_step import OpenStep
from pitwall.engine.inference.frame_encoding import encode_jpeg
from pitwall.memory.prompt.state_format import describe_state
from pitwall.memory.prompt.state_parts import Scene

_MOST = 50
_Picture = Future[tuple[bytes, int, int]]


@dataclass(frozen=True, slots=True)
class _Round:
    step: int
    state: str
    answer: str
    picture: _Picture | None


class RollingRounds:
    """Keeps the newest rounds of one run.

    Args:
        settings: returns those in force: how many rounds go into a prompt, and how large their pictures may
            be.
    """

    def __init__(self, settings: Callable[[], Settings], units: Mapping[str, str]) -> None:
        self._settings = settings
        self._units = units
        self._rounds: deque[_Round] = deque(maxlen=_MOST)
        self._encoder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rounds")

    def add(self, step: OpenStep, effect: Effect, *, picture: bool) -> None:
        """Add a finished step. `picture`: a model that sees may be asked later."""
        seen = step.seen
        scene = Scene(
            status=seen.observation.status, values=seen.values, units=self._units, signals=step.signals
        )
        longest_px = self._settings().models.image_px
        self._rounds.append(
            _Round(
                step=step.number,
                state=describe_state(scene),
                answer=_answer(step, effect),
                picture=self._encoder.submit(encode_jpeg, step.pixels, longest_px) if picture else None,
            )
        )

    def recent(self, *, sees: bool) -> EarlierRounds:
        """Return the earlier rounds for a prompt. `sees`: with their pictures."""
        many = self._settings().memory.rounds
        messages: list[Message] = []
        pictures: list[bytes] = []
        for round_ in list(self._rounds)[-many:] if many else []:
            picture = round_.picture
            with_picture = sees and picture is not None and picture.exception() is None
            if with_picture and picture is not None:
                pictures.append(picture.result()[0])
            messages += [
                Message(role="user", spans=(_span(round_, round_.state),), image=with_picture),
                Message(role="assistant", spans=(_span(round_, round_.answer),)),
            ]
        return EarlierRounds(tuple(messages), tuple(pictures))

    def close(self) -> None:
        self._encoder.shutdown(wait=False, cancel_futures=True)


def _span(round_: _Round, text: str) -> Span:
    return Span(layer=Layer.ROUNDS, text=text, item=f"round {round_.step}")


def _answer(step: OpenStep, effect: Effect) -> str:
    """Return the reasoning and the action with its effect."""
    proposal = step.routed.proposal
    lines: list[str] = []
    if proposal is not None:
        lines = [f"Situation: {proposal.situation}", f"Subgoal: {proposal.subgoal}"]
    outcome = f"invalid ({step.invalid.value})" if step.invalid is not None else effect.value
    return "\n".join([*lines, f"Action: {step.action} ({outcome})", ""])
