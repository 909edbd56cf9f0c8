"""Text-game templates that go on from one event to what held some steps later (Table 14, multi-hop).

"{delta} step(s) later" than step t is step t + delta: its action, and the location, the observation and the
reward after that action.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwall.exam.episode.states import TextState
from pitwall.exam.questions.abilities import Ability, AnswerKind
from pitwall.exam.questions.forms import Form, Slots
from pitwall.exam.questions.template import NO_ANSWER, Template, Truth
from pitwall.exam.text import choosing as choosing
from pitwall.exam.text.commands import folded
from pitwall.exam.text.index import indexed
from pitwall.exam.text.single import Episode, Step, commands, location, observation, reward

_Anchor = Callable[[Episode, Slots], list[int]]


def _gained(trace: Episode, slots: Slots) -> list[int]:
    return indexed(trace).gains.get(folded(str(slots["item"])), [])


def _mentioned(trace: Episode, slots: Slots) -> list[int]:
    return indexed(trace).reasons_with(str(slots["keyword"]))


def _later(anchor: _Anchor, answers: Callable[[Step], tuple[str, ...]]) -> Callable[[Episode, Slots], Truth]:
    def find(trace: Episode, slots: Slots) -> Truth:
        steps = anchor(trace, slots)
        moment = trace.at(steps[0] + int(slots["delta"])) if steps else None
        texts = answers(moment) if moment is not None else ()
        return Truth(texts, (steps[0], moment.step)) if moment is not None and texts else NO_ANSWER

    return find


_ASKED: tuple[tuple[str, str, Callable[[Step], tuple[str, ...]], AnswerKind], ...] = (
    ("action", "what action is executed", commands, "string"),
    ("location", "what is your location", lambda moment: location(moment.after), "string"),
    ("observation", "what is the observation", lambda moment: observation(moment.after), "string"),
    ("reward", "what is the cumulative reward", reward, "integer"),
)

LATER: tuple[Template[TextState], ...] = (
    *(
        Template(
            f"B_gain_after_{name}",
            Ability.MULTI_HOP,
            Form(f"After first obtaining '{{item:name}}', {asked} {{delta:int}} step(s) later?"),
            kind,
            choosing.later(choosing.items, "item"),
            _later(_gained, answers),
        )
        for name, asked, answers, kind in _ASKED
    ),
    *(
        Template(
            f"B_keyword_after_{name}",
            Ability.MULTI_HOP,
            Form(
                "After the first step whose reason mentions '{keyword:name}', "
                f"{asked} {{delta:int}} step(s) later?"
            ),
            kind,
            choosing.later(choosing.reason_keywords, "keyword"),
            _later(_mentioned, answers),
            by_reason=True,
        )
        for name, asked, answers, kind in _ASKED
    ),
)
