"""No reply, however hostile, brings an event that the role may not send. 100,000 by `--campaign 100000`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tests.models.model_games import PLUGINS, bundled, odd_folder, words_of
from tests.models.replies.adversary import Adversary

from pitwall.core.actions import Argument, ArgumentForm, ResolvedAction, SemanticAction
from pitwall.core.conditions import parse_condition
from pitwall.core.keys import KEYS
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.models.replies.plan import BadReply, PlanDraft, parse_plan, parse_reaction
from pitwall.models.replies.stages import parse_construction


def _worlds(folder: Path) -> list[tuple[Profile, Vocabulary]]:
    return [words_of(PLUGINS / name) for name in bundled()] + [words_of(odd_folder(folder, actions=3))]


def test_no_reply_brings_an_illegal_event(tmp_path: Path, campaign_size: Callable[[int], int]) -> None:
    worlds = _worlds(tmp_path / "odd")
    cases = campaign_size(3_000)
    legal_ones = refused_ones = 0
    slowest_s = 0.0
    for number, (profile, space) in enumerate(worlds):
        fields = [field.name for field in profile.fields]
        modules = [module.name for module in profile.modules]
        adversary = Adversary(number, _some_texts(space), fields)
        for _ in range(cases // len(worlds) + 1):
            text = adversary.reply()
            began = time.process_time()
            try:
                actions = _whatever(text, space, fields, modules)
            except BadReply as error:
                refused_ones += 1
                assert len(str(error)) < 400 and error.illegal <= error.proposed
                continue
            finally:
                slowest_s = max(slowest_s, time.process_time() - began)
            legal_ones += 1
            for action in actions:
                _check_events(space, space.resolve(action, width=640, height=480), text)
    assert legal_ones > cases / 20 and refused_ones > cases / 20
    assert slowest_s < 5, "work on one reply is not bounded"


_SKILLS = ("walk", "gather wood")


def _whatever(text: str, space: Vocabulary, fields: list[str], modules: list[str]) -> list[SemanticAction]:
    """Every action that any of the readers takes out of a reply; raises BadReply where none takes it."""
    readers: tuple[Callable[[], list[SemanticAction]], ...] = (
        lambda: _of_plan(
            parse_plan(text, space, fields=fields, modules=modules, skills=_SKILLS, keeps=True), fields
        ),
        lambda: [action for action in [parse_reaction(text, space).action] if action is not None],
        lambda: list(parse_construction(text, space).actions),
    )
    actions: list[SemanticAction] = []
    problem: BadReply | None = None
    taken = False
    for read in readers:
        try:
            actions += read()
            taken = True
        except BadReply as error:
            problem = error
    if problem is not None and not taken:
        raise problem
    return actions


def _of_plan(draft: PlanDraft, fields: list[str]) -> list[SemanticAction]:
    if draft.skill or draft.keep:
        assert draft.keep or draft.skill in _SKILLS
        return []
    assert draft.subgoal.isprintable() and draft.situation.isprintable()
    assert draft.actions or draft.module
    assert 1 <= draft.steps <= 99 and draft.illegal <= draft.proposed
    if draft.stop:
        assert parse_condition(draft.stop, frozenset(fields)).fields
    return list(draft.actions)


def _check_events(space: Vocabulary, resolved: ResolvedAction, reply: str) -> None:
    assert resolved.invalid is None, reply
    for timed in resolved.events:
        event = timed.event
        if event.key:
            assert event.key in space.allowed_keys and event.key in KEYS, reply
        else:
            assert space.allow_mouse, reply
            assert event.x is not None and 0 <= event.x < 640, reply
            assert event.y is not None and 0 <= event.y < 480, reply
        assert 0 <= timed.at_ms <= 60_000, reply


def _some_texts(space: Vocabulary) -> list[str]:
    """One legal text of each action."""
    return [
        str(SemanticAction(name=form.name, arguments={one.name: _some_value(one) for one in form.arguments}))
        for form in space.forms
    ]


def _some_value(form: ArgumentForm) -> Argument:
    if form.kind == "choice":
        return form.choices[0]
    value = form.minimum or 0
    return int(value) if form.kind == "int" else value
