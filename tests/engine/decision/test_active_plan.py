"""The fallback: the actions of a run without a planner."""

from __future__ import annotations

from tests.engine.control.model_fakes import past, react_request, walker

from pitwall.core.actions import Effect, SemanticAction
from pitwall.core.observations import Value
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.engine.control.model_reactor import actions_in_turn
from pitwall.engine.decision.active_plan import fallback_proposal
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Skill
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.skills import SkillTerms, usable_skill

SPACE = Vocabulary(walker().profile)
NAMES = ("forward", "turn_left", "turn_right", "use")


TERMS = SkillTerms(fields=frozenset({"way", "none"}), modules=frozenset({"shooter"}), space=SPACE)


def _first(values: dict[str, Value], *actions: str, module: str = "") -> SemanticAction | None:
    skill = Skill(name="one", when="true", subgoal="go", actions=list(actions), module=module)
    usable = usable_skill(skill, TERMS)
    assert usable is not None
    return usable.first(values, SPACE)


def test_the_fallback_has_every_action_that_needs_no_argument() -> None:
    candidates = fallback_proposal(SPACE).candidates
    assert tuple(candidate.name for candidate in candidates) == NAMES


def test_a_skill_begins_with_its_first_action_or_with_what_its_field_names_first() -> None:
    values: dict[str, Value] = {"way": "fly; turn_left; use", "none": None}
    assert _first(values, "use", "turn_left") == SemanticAction(name="use")
    assert _first(values, "{way}") == SemanticAction(name="turn_left"), "no one flies"
    assert _first(values, "{none}") is None
    assert _first(values, module="shooter") is None


def test_what_is_left_goes_round_and_passes_over_what_had_no_effect() -> None:
    assert actions_in_turn(react_request(candidate=1), SPACE) == ("turn_left", "turn_right", "use", "forward")
    no_effect = tuple(past(step, name, Effect.UNVERIFIED) for step, name in enumerate(NAMES[1:3]))
    assert actions_in_turn(react_request(candidate=1, history=no_effect), SPACE) == ("use", "forward")
    every = (*no_effect, past(4, "use", Effect.UNVERIFIED), past(5, "forward", Effect.UNVERIFIED, ms=100))
    assert actions_in_turn(react_request(candidate=6, history=every), SPACE) == (*NAMES[2:], *NAMES[:2])


def test_a_book_knows_the_same_names() -> None:
    """The console lists them without an engine."""
    book = PromptLayers(walker(), forms=SPACE.forms, layers=LayerSettings(), memory=MemorySettings())
    assert book.nameable == NAMES
