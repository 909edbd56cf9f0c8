"""What a grammar lets a model write is legal: tried with the real library on a random model."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llama_cpp.llama_grammar
import pytest

from pitwall.core.actions import ActionForm, ArgumentForm, SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.conditions import parse_condition
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Profile
from pitwall.models.grammars.by_purpose import Shape, grammar_for
from pitwall.models.replies.plan import parse_plan, parse_reaction, parse_reflection, parse_text
from pitwall.models.replies.skills import parse_judgement, parse_skill
from pitwall.models.replies.stages import (
    parse_action_plan,
    parse_action_reflections,
    parse_construction,
    parse_screen,
    parse_task_plan,
    parse_task_reflection,
)
from pitwall_lab.improvement.improvement_replies import (
    parse_labels_draft,
    parse_reward_draft,
    parse_rules_draft,
)
from pitwall_lab.improvement.invention_replies import ModuleDraft, parse_module_draft
from pitwall_lab.improvement.reply_shapes import module_reply_shape
from workshop.fixtures.model_games import PLUGINS, bundled, odd_folder, words_of
from workshop.fixtures.tiny_models import tiny_text_model

_OF_MODULES = (
    Purpose.IMPROVE_REWARD,
    Purpose.IMPROVE_RULES,
    Purpose.IMPROVE_LABELS,
    Purpose.INVENT_MODULE,
)
Write = Callable[[Shape, int], str]


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Writes a whole reply under a grammar, at random by its seed: the same again for both, so it is kept.

    Most games share the shapes that name nothing of theirs.
    """
    path = tiny_text_model(tmp_path_factory.mktemp("models") / "tiny.gguf")
    model = llama_cpp.Llama(str(path), n_ctx=4096, verbose=False)

    @functools.cache
    def complete(shape: Shape, seed: int) -> str:
        grammar = llama_cpp.llama_grammar.LlamaGrammar.from_string(shape.grammar, verbose=False)
        answer: Any = model.create_completion(
            "Reply:", grammar=grammar, seed=seed, temperature=1.5, max_tokens=3000
        )
        assert answer["choices"][0]["finish_reason"] == "stop", "a reply that never ends"
        return str(answer["choices"][0]["text"])

    return complete


@pytest.fixture(params=[*bundled(), "odd"])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Profile, Vocabulary]:
    return words_of(odd_folder(tmp_path / "odd") if request.param == "odd" else PLUGINS / request.param)


def _readers(profile: Profile, space: Vocabulary) -> dict[Purpose, Callable[[str], Any]]:
    fields = [field.name for field in profile.fields]
    modules = [module.name for module in profile.modules]
    names = [form.name for form in space.forms]
    return {
        Purpose.PLAN: lambda text: parse_plan(text, space, fields=fields, modules=modules),
        Purpose.REACT: lambda text: parse_reaction(text, space),
        Purpose.REFLECT: parse_reflection,
        Purpose.DESCRIBE: parse_text,
        Purpose.INFER: parse_text,
        Purpose.SUMMARISE: parse_text,
        Purpose.ANALYSE_SCREEN: parse_screen,
        Purpose.REFLECT_TASK: parse_task_reflection,
        Purpose.REFLECT_HISTORY: parse_text,
        Purpose.REFLECT_ACTIONS: lambda text: parse_action_reflections(text, names),
        Purpose.PLAN_TASK: lambda text: parse_task_plan(text, fields=fields),
        Purpose.PLAN_ACTIONS: lambda text: parse_action_plan(text, names, modules=modules),
        Purpose.CONSTRUCT: lambda text: parse_construction(text, space),
        Purpose.PROPOSE_SKILL: lambda text: parse_skill(text, space, fields=fields, modules=modules),
        Purpose.JUDGE_SKILL: parse_judgement,
        Purpose.IMPROVE_REWARD: parse_reward_draft,
        Purpose.IMPROVE_RULES: parse_rules_draft,
        Purpose.IMPROVE_LABELS: parse_labels_draft,
        Purpose.INVENT_MODULE: lambda text: _whole_module(text, space, fields),
    }


def _shape_of(
    purpose: Purpose, forms: Sequence[ActionForm], fields: Sequence[str], modules: Sequence[str]
) -> Shape:
    if purpose in _OF_MODULES:
        return module_reply_shape(purpose, forms, fields)
    return grammar_for(purpose, forms, fields=fields, modules=modules)


def _whole_module(text: str, space: Vocabulary, fields: list[str]) -> ModuleDraft:
    """A module whose conditions and actions are the game's."""
    draft = parse_module_draft(text)
    for rule in draft.rules:
        assert parse_condition(rule.when, frozenset(fields)).fields
        assert space.resolve(space.parse(rule.action), width=400, height=300).invalid is None
    assert parse_condition(draft.ends, frozenset(fields)).fields
    return draft


def test_everything_that_can_be_written_is_legal(
    game: tuple[Profile, Vocabulary], write: Write, campaign_size: Callable[[int], int]
) -> None:
    profile, space = game
    fields, modules = [field.name for field in profile.fields], [field.name for field in profile.modules]
    readers = _readers(profile, space)
    assert {*readers, Purpose.TEST} == set(Purpose)
    for purpose, read in readers.items():
        shape = _shape_of(purpose, space.forms, fields, modules)
        assert shape.grammar.isascii() and shape.schema.isascii()
        for seed in range(campaign_size(2)):
            text = write(shape, seed)
            reply = read(text)
            assert "\n" not in text and json.dumps(json.loads(text), separators=(",", ":")) == text
            assert getattr(reply, "illegal", 0) == 0, text
            assert getattr(reply, "notes", ()) == (), text
            if purpose in (Purpose.PLAN, Purpose.PLAN_TASK, Purpose.PROPOSE_SKILL):
                assert reply.stop == json.loads(text)["stop"]
            if purpose is Purpose.PROPOSE_SKILL:
                assert reply.when == json.loads(text)["when"] != ""


def test_actions_come_out_with_their_arguments(tmp_path: Path, write: Write) -> None:
    _, space = words_of(odd_folder(tmp_path / "odd", actions=0))
    seen: dict[str, set[str]] = {}
    for form in space.forms:
        shape = grammar_for(Purpose.CONSTRUCT, [form])
        for seed in range(15):
            for action in parse_construction(write(shape, seed), space).actions:
                assert space.resolve(action, width=400, height=300).invalid is None
                assert space.parse(str(action)) == action
                seen.setdefault(action.name, set()).add(str(action))
    assert {name: len(texts) > 1 for name, texts in seen.items()} == {form.name: True for form in space.forms}


@pytest.mark.parametrize("choice", [",", "'", "=", "-", "\\", "Space"])
def test_odd_choices_are_written_so_that_they_are_read_back(
    tmp_path: Path, write: Write, choice: str
) -> None:
    _, space = words_of(odd_folder(tmp_path / "odd", actions=0))
    only = ArgumentForm(name="key", kind="choice", choices=(choice,))
    shape = grammar_for(Purpose.CONSTRUCT, [ActionForm(name="press", arguments=(only,))])
    actions = parse_construction(write(shape, 1), space).actions
    assert actions[0] == SemanticAction(name="press", arguments={"key": choice})


def test_only_candidates_can_be_written(tmp_path: Path, write: Write) -> None:
    _, space = words_of(odd_folder(tmp_path / "odd"))
    candidates = [space.parse("press(key=',')"), space.parse("hold(t=99.5)")]
    shape = grammar_for(Purpose.REACT, space.forms, candidates=candidates)
    actions = [parse_reaction(write(shape, seed), space, candidates=candidates).action for seed in range(30)]
    assert all(action in actions for action in (*candidates, None))
    assert all(action in (*candidates, None) for action in actions)


def test_a_reaction_without_candidates_can_only_escalate(write: Write) -> None:
    shape = grammar_for(Purpose.REACT, [ActionForm(name="go")], candidates=[])
    assert set(json.loads(write(shape, 3))) == {"escalate"}


def test_where_nobody_plans_a_reaction_can_only_be_an_action(tmp_path: Path, write: Write) -> None:
    _, space = words_of(odd_folder(tmp_path / "odd"))
    shape = grammar_for(Purpose.REACT, space.forms, alone=True)
    assert "escalate" not in shape.grammar + shape.schema
    for seed in range(15):
        text = write(shape, seed)
        assert parse_reaction(text, space, alone=True).action is not None
        _check_against(json.loads(text), json.loads(shape.schema))
    assert grammar_for(Purpose.PLAN, space.forms, alone=True) == grammar_for(Purpose.PLAN, space.forms)


def test_no_more_actions_than_were_asked_for(write: Write) -> None:
    shape = grammar_for(Purpose.PLAN, [ActionForm(name="go")], most_actions=2)
    lengths = {len(json.loads(write(shape, seed))["actions"]) for seed in range(20)}
    assert lengths == {1, 2}


def test_a_plan_may_name_a_skill_of_the_prompt_or_keep_the_plan_in_force(write: Write) -> None:
    names = ('gather "old" wood', "süd \\ nord")
    shape = grammar_for(Purpose.PLAN, [ActionForm(name="go")], skills=names, keeps=True)
    replies = [json.loads(write(shape, seed)) for seed in range(24)]
    for reply in replies:
        _check_against(reply, json.loads(shape.schema))
    assert {"keep": True} in replies
    for name in names:
        grammar = grammar_for(Purpose.PLAN, [ActionForm(name="go")], skills=[name])
        written = [json.loads(write(grammar, seed)) for seed in range(8)]
        assert {reply["skill"] for reply in written if "skill" in reply} == {name}
    only = grammar_for(Purpose.PLAN, [ActionForm(name="go")], skills=names)
    assert '"keep"' not in only.schema
    assert grammar_for(Purpose.REACT, [ActionForm(name="go")], skills=names, keeps=True) == grammar_for(
        Purpose.REACT, [ActionForm(name="go")]
    )


def test_letters_beyond_ascii_are_escaped(write: Write) -> None:
    shape = grammar_for(
        Purpose.REACT,
        [ActionForm(name="go")],
        candidates=[SemanticAction(name="go", arguments={"way": "süd"})],
    )
    assert shape.grammar.isascii()
    texts = [write(shape, seed) for seed in range(12)]
    assert {"action": "go(way=süd)"} in [json.loads(text) for text in texts]


def test_equal_arguments_give_the_same_shape_again() -> None:
    forms = (ActionForm(name="go"), ActionForm(name="stay"))
    first = grammar_for(Purpose.PLAN, forms, fields=["a"])
    assert grammar_for(Purpose.PLAN, list(forms), fields=("a",)) is first
    assert grammar_for(Purpose.PLAN, forms, fields=["b"]) != first
    assert grammar_for(Purpose.TEST, forms) == Shape("", "")


def test_the_schema_says_what_the_grammar_says(game: tuple[Profile, Vocabulary], write: Write) -> None:
    profile, space = game
    fields, modules = [field.name for field in profile.fields], [field.name for field in profile.modules]
    for purpose in set(Purpose) - {Purpose.TEST}:
        shape = _shape_of(purpose, space.forms, fields, modules)
        schema = json.loads(shape.schema)
        for seed in range(3):
            _check_against(json.loads(write(shape, seed)), schema)
    illegal = {"action": "format_disk"}
    with pytest.raises(AssertionError):
        _check_against(illegal, json.loads(grammar_for(Purpose.REACT, space.forms).schema))


def test_the_library_reads_the_schema_and_what_follows_it_is_legal(
    game: tuple[Profile, Vocabulary], write: Write, campaign_size: Callable[[int], int]
) -> None:
    """An endpoint of the same library takes the schema, not the GBNF. It writes a quote of a pattern without
    escaping it, so choices that need quotes are left out here.
    """
    profile, space = game
    fields, modules = [field.name for field in profile.fields], [field.name for field in profile.modules]
    forms = [form for form in space.forms if not any("'" in choice for choice in _choices(form))]
    for purpose, read in _readers(profile, space).items():
        schema = _shape_of(purpose, forms, fields, modules).schema
        shape = Shape(llama_cpp.llama_grammar.json_schema_to_gbnf(schema), "")
        for seed in range(campaign_size(2)):
            reply = read(write(shape, seed))
            assert getattr(reply, "illegal", 0) == 0


def _choices(form: ActionForm) -> list[str]:
    return [choice for argument in form.arguments for choice in argument.choices]


def _check_against(value: Any, schema: dict[str, Any]) -> None:
    """The part of JSON schema that the shapes use."""
    if "anyOf" in schema:
        assert any(_fits(value, branch) for branch in schema["anyOf"]), value
        return
    kinds: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    assert isinstance(value, kinds.get(schema["type"], (int, float)))
    if schema["type"] == "object":
        assert set(schema["required"]) == set(value) and not schema["additionalProperties"]
        for name, inner in value.items():
            _check_against(inner, schema["properties"][name])
    if schema["type"] == "array":
        assert value == schema.get("const", value)
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 0)
        for inner in value:
            _check_against(inner, schema["items"])
    if schema["type"] == "string":
        assert schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10_000)
        assert value in schema.get("enum", [value])
        assert re.search(schema.get("pattern", ""), value)
    if schema["type"] == "integer":
        assert value in schema.get("enum", [value])
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value)
    if schema["type"] == "number":
        bounds = schema.get("enum") or [schema["minimum"], schema["maximum"]]
        assert min(bounds) <= value <= max(bounds)


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    try:
        _check_against(value, schema)
    except (AssertionError, KeyError):
        return False
    return True
