"""Text-game questions about a step some steps after an event (Table 14, multi-hop).

"{delta} step(s) later" than step t is step t + delta: its action, and the location, the observation and the
reward after that action.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Truth
from pitwall_exam.text import choosing
from pitwall_exam.text.commands import folded
from pitwall_exam.text.index import indexed
from pitwall_exam.text.single import Episode, Programs, Step, commands, location, observation, reward

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


_ASKED: dict[str, Callable[[Step], tuple[str, ...]]] = {
    "action": commands,
    "location": lambda moment: location(moment.after),
    "observation": lambda moment: observation(moment.after),
    "reward": reward,
}
_BY_ITEM = choosing.later(choosing.items, "item")
_BY_KEYWORD = choosing.later(choosing.reason_keywords, "keyword")

LATER: Programs = {
    **{f"B_gain_after_{name}": (_BY_ITEM, _later(_gained, answers)) for name, answers in _ASKED.items()},
    **{
        f"B_keyword_after_{name}": (_BY_KEYWORD, _later(_mentioned, answers))
        for name, answers in _ASKED.items()
    },
}
