"""Text-game questions about one step or event, or a step some steps after it (Table 14, hops).

"{delta} step(s) later" than step t is step t + delta: its action, and the location, the observation and the
reward after that action.
"""

from __future__ import annotations

from collections.abc import Callable

from pitwall_exam.episode.states import TextState
from pitwall_exam.episode.trace import Moment, Trace
from pitwall_exam.questions.forms import Slots
from pitwall_exam.questions.template import NO_ANSWER, Program, Truth
from pitwall_exam.text import choosing
from pitwall_exam.text.commands import command_of, first_sentence, folded, meant
from pitwall_exam.text.index import indexed

Episode = Trace[TextState]
Step = Moment[TextState]
Programs = dict[str, Program[TextState]]

_NTH = {"first": 0, "second": 1, "last": -1, "second last": -2}


def commands(moment: Step) -> tuple[str, ...]:
    """Return a step's action, in words and as it is written in the log."""
    return tuple(dict.fromkeys(text for text in (command_of(moment.action), moment.action) if text))


def location(state: TextState) -> tuple[str, ...]:
    """Return the location in a state; empty if it is unknown."""
    return (state.location,) if state.location else ()


def observation(state: TextState) -> tuple[str, ...]:
    """Return the printed text of a state, as one line."""
    plain = " ".join(state.observation.split())
    return (plain,) if plain else ()


def reward(moment: Step) -> tuple[str, ...]:
    """Return the score after the action; without a score, the reward collected until then."""
    value = moment.after.score if moment.after.score is not None else moment.reward
    return (f"{value:.15g}",) if value is not None else ()


def _truth(answers: tuple[str, ...], *steps: int) -> Truth:
    return Truth(answers, steps) if answers else NO_ANSWER


def _at_step(answers: Callable[[Step], tuple[str, ...]]) -> Callable[[Episode, Slots], Truth]:
    def find(trace: Episode, slots: Slots) -> Truth:
        step = int(slots["step"])
        moment = trace.at(step)
        return _truth(answers(moment), step) if moment is not None else NO_ANSWER

    return find


def _reason(moment: Step) -> tuple[str, ...]:
    sentence = first_sentence(moment.reason)
    return (sentence,) if sentence else ()


def _valid(trace: Episode, slots: Slots) -> Truth:
    step = int(slots["step"])
    moment = trace.at(step)
    if moment is None or moment.before.valid is None:
        return NO_ANSWER
    known = {meant(command) for command in moment.before.valid}
    return Truth(("yes" if meant(str(slots["action"])) in known else "no",), (step,))


def _gain(trace: Episode, slots: Slots) -> Truth:
    steps = indexed(trace).gains.get(folded(str(slots["item"])), [])
    return nth(steps, str(slots["which"]))


def nth(steps: list[int], which: str) -> Truth:
    """Return the first, second, last or second last of some steps."""
    place = _NTH[which.casefold()]
    if not -len(steps) <= place < len(steps):
        return NO_ANSWER
    return Truth((str(steps[place]),), (steps[place],))


def _enter_leave(trace: Episode, slots: Slots) -> Truth:
    here, which = folded(str(slots["location"])), str(slots["which"]).casefold()
    index = indexed(trace)
    starts = [stay.first for stay in index.stays if stay.location == here]
    if which == "first leave":
        starts = [
            after.first
            for stay, after in zip(index.stays, index.stays[1:], strict=False)
            if stay.location == here and after.first == stay.last + 1
        ]
    return nth(starts, "last" if which.startswith("last") else "first")


def _keyword(trace: Episode, slots: Slots) -> Truth:
    return nth(indexed(trace).reasons_with(str(slots["keyword"])), str(slots["which"]))


_ENTERINGS = ("first start being at", "first leave", "last start being at")

SINGLE: Programs = {
    "A_action": (choosing.at_steps, _at_step(commands)),
    "A_reason": (choosing.at_steps, _at_step(_reason)),
    "A_location": (choosing.at_steps, _at_step(lambda moment: location(moment.before))),
    "A_obs_before": (choosing.at_steps, _at_step(lambda moment: observation(moment.before))),
    "A_obs_after": (choosing.at_steps, _at_step(lambda moment: observation(moment.after))),
    "A_reward": (choosing.at_steps, _at_step(reward)),
    "A_valid_action": (choosing.command_at_step, _valid),
    "A_gain_item": (choosing.named(choosing.items, "item", ("first", "last")), _gain),
    "A_enter_leave": (choosing.named(choosing.places, "location", _ENTERINGS), _enter_leave),
    "A_keyword_occurrence": (choosing.named(choosing.reason_keywords, "keyword", tuple(_NTH)), _keyword),
}


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
