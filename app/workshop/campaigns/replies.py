"""Replies: whatever a model writes, it leads to no event that the role may not send."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pitwall.core.actions import Argument, ArgumentForm, ResolvedAction, SemanticAction
from pitwall.core.conditions import parse_condition
from pitwall.core.keys import KEYS
from pitwall.games.actions.mouse_look import MOST_UNITS
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.models.replies.plan import BadReply, PlanDraft, parse_plan, parse_reaction
from pitwall.models.replies.stages import parse_construction
from workshop.campaigns.adversary import Adversary
from workshop.campaigns.harness import Campaign, Case, FellShort, Trial
from workshop.fixtures.model_games import PLUGINS, bundled, odd_folder, words_of

_SKILLS = ("walk", "gather wood")
_SIZE = {"width": 640, "height": 480}


@contextmanager
def _rig(shared: Path) -> Iterator[Trial]:
    worlds = [words_of(PLUGINS / name) for name in bundled()] + [
        words_of(odd_folder(shared / "odd", actions=3))
    ]

    def trial(case: Case) -> str:
        profile, space = case.chance.choice(worlds)
        adversary = Adversary(
            case.chance.getrandbits(64), _some_texts(space), [field.name for field in profile.fields]
        )
        text = adversary.reply()
        try:
            actions = _whatever(text, profile, space)
        except BadReply as error:
            _holds(len(str(error)) < 400 and error.illegal <= error.proposed, f"it is told as {error}", text)
            return "refused"
        for action in actions:
            _check_events(space, space.resolve(action, **_SIZE), text)
        return "taken"

    yield trial


def _holds(sound: bool, expectation: str, reply: str) -> None:
    if not sound:
        raise FellShort(f"{expectation}; the reply was {reply[:300]!r}")


def _whatever(text: str, profile: Profile, space: Vocabulary) -> list[SemanticAction]:
    """Return every action that any reader takes from a reply; raise BadReply if none can read it."""
    fields, modules = [field.name for field in profile.fields], [field.name for field in profile.modules]
    readers: tuple[Callable[[], list[SemanticAction]], ...] = (
        lambda: _of_plan(
            parse_plan(text, space, fields=fields, modules=modules, skills=_SKILLS, keeps=True), fields, text
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


def _of_plan(draft: PlanDraft, fields: list[str], reply: str) -> list[SemanticAction]:
    if draft.skill or draft.keep:
        _holds(draft.keep or draft.skill in _SKILLS, f"it chose the skill {draft.skill!r}", reply)
        return []
    _holds(
        draft.subgoal.isprintable() and draft.situation.isprintable(), "its texts are not printable", reply
    )
    _holds(bool(draft.actions or draft.module), "it does nothing", reply)
    _holds(1 <= draft.steps <= 99 and draft.illegal <= draft.proposed, f"it has {draft.steps} steps", reply)
    if draft.stop:
        _holds(
            bool(parse_condition(draft.stop, frozenset(fields)).fields), f"it stops at {draft.stop}", reply
        )
    return list(draft.actions)


def _check_events(space: Vocabulary, resolved: ResolvedAction, reply: str) -> None:
    _holds(resolved.invalid is None, f"an action is {resolved.invalid}", reply)
    for timed in resolved.events:
        event = timed.event
        if event.key:
            _holds(event.key in space.allowed_keys and event.key in KEYS, f"it presses {event.key}", reply)
        elif event.kind == "mouse_look":
            short = 0 < max(abs(event.dx), abs(event.dy)) <= MOST_UNITS
            _holds(space.allow_mouse and short, f"it looks by {event.dx}, {event.dy}", reply)
        else:
            inside = event.x is not None and 0 <= event.x < 640 and event.y is not None and 0 <= event.y < 480
            _holds(space.allow_mouse and inside, f"it clicks at {event.x}, {event.y}", reply)
        _holds(0 <= timed.at_ms <= 60_000, f"it acts after {timed.at_ms} ms", reply)


def _some_texts(space: Vocabulary) -> list[str]:
    """List one legal text of each action."""
    return [
        str(
            SemanticAction(
                name=form.name,
                arguments={argument.name: _some_value(argument) for argument in form.arguments},
            )
        )
        for form in space.forms
    ]


def _some_value(form: ArgumentForm) -> Argument:
    if form.kind == "choice":
        return form.choices[0]
    value = form.minimum or 0
    return int(value) if form.kind == "int" else value


CAMPAIGN = Campaign(
    tries="a hostile model's reply in any game: it is refused in a sentence, or every event that comes of it "
    "is one that the role may send",
    rig=_rig,
    alone=False,
)
