"""A prompt is bounded by its caps, stands in the order of the layers, and repeats its beginning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitwall.core.calls import Purpose
from pitwall.core.observations import Value
from pitwall.core.prompts import PROMPT_LAYERS, Layer, Message, Prompt, Span
from pitwall.core.runs import Episode
from pitwall.core.settings import LayerSettings, MemorySettings
from pitwall.games.actions.vocabulary import Vocabulary
from pitwall.games.schema.profile import Game
from pitwall.memory.prompt.compose import CUT, compose
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.layers import ask

MakeBook = Callable[..., PromptLayers]
MakeEpisode = Callable[..., Episode]

HURT: dict[str, Value] = {"health": 5.0, "level": "3", "way": "walk", "status": "playing"}
ORDER = list(PROMPT_LAYERS)


def count(text: str) -> int:
    """A token for each word or line break."""
    return len(text.split()) + text.count("\n")


def user(text: str, *, image: bool = False) -> Message:
    return Message(role="user", spans=(Span(layer=Layer.STATE, text=text),), image=image)


def reply(text: str) -> Message:
    return Message(role="assistant", spans=(Span(layer=Layer.STATE, text=text),))


def composed(book: PromptLayers, *turn: Message, room: int = 0, **caps: int) -> Prompt:
    return compose(
        book,
        purpose=Purpose.PLAN,
        values=HURT,
        turn=turn or (user("State:\n- all well\n"),),
        count=count,
        layers=LayerSettings.model_validate(caps),
        room=room,
    )


def tokens(prompt: Prompt, layer: Layer) -> int:
    return sum(count(span.text) for span in prompt.spans if span.layer is layer)


def items(prompt: Prompt, layer: Layer) -> list[str]:
    return [span.item for span in prompt.spans if span.layer is layer and span.item]


@pytest.fixture
def book(make_book: MakeBook, episode: MakeEpisode) -> PromptLayers:
    episodes = tuple(episode(number, f"text {number}") for number in range(1, 21))
    return make_book(episodes=episodes, instruction="Win.")


def test_layers_stand_from_least_to_most_changeable(book: PromptLayers) -> None:
    prompt = composed(book)
    assert [message.role for message in prompt.messages] == ["system", "user"]
    assert {span.layer for span in prompt.messages[0].spans} == {
        Layer.PROTOCOL,
        Layer.SCHEMA,
        Layer.KNOWLEDGE,
    }
    order = list[Layer](ORDER)
    result = [order.index(span.layer) for span in prompt.spans]
    assert result == sorted(result) and set(result) == set(range(len(ORDER)))
    assert prompt.messages[-1].text.endswith(ask(Purpose.PLAN))


def test_what_did_not_change_is_repeated_letter_for_letter(book: PromptLayers) -> None:
    first, second = composed(book), composed(book, user("State:\n- a bat\n"))
    assert first.messages[0] == second.messages[0]
    assert first.content_hash != second.content_hash
    assert composed(book).content_hash == first.content_hash


def test_caps_in_items(book: PromptLayers) -> None:
    prompt = composed(book, l3_items=2, l4_items=3, l5_items=1)
    assert items(prompt, Layer.KNOWLEDGE) == ["role hero"]
    assert len([s for s in prompt.spans if s.layer is Layer.KNOWLEDGE]) == 3
    assert items(prompt, Layer.EPISODES) == ["20", "19", "18"]
    assert items(prompt, Layer.SKILLS) == ["dodge"]
    assert not items(composed(book, l4_items=0), Layer.EPISODES)


def test_skills_stand_in_the_order_that_is_asked_for_and_no_others(book: PromptLayers) -> None:
    def listed(*names: str) -> list[str]:
        state = user("State:\n- all well\n")
        prompt = compose(
            book,
            purpose=Purpose.PLAN,
            values=HURT,
            turn=(state,),
            count=count,
            layers=LayerSettings(),
            skills=names,
        )
        return items(prompt, Layer.SKILLS)

    every = items(composed(book), Layer.SKILLS)
    assert len(every) > 1
    assert listed(*reversed(every), "nobody's") == every[::-1]
    assert listed(every[1]) == every[1:2]
    assert listed() == []


def test_a_layer_without_entries_has_no_heading(make_book: MakeBook) -> None:
    prompt = composed(make_book(layers={"l4": "disable"}))
    assert not [span for span in prompt.spans if span.layer is Layer.EPISODES]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    caps=st.fixed_dictionaries(
        {name: st.integers(16, 700) for name in ("l1", "l2", "l3", "l4", "l5")}
        | {"state": st.integers(64, 400)}
    ),
    lines=st.integers(0, 300),
)
def test_no_layer_takes_more_than_its_cap(book: PromptLayers, caps: dict[str, int], lines: int) -> None:
    state = "State:\n" + "".join(f"- field {number} = {number}\n" for number in range(lines))
    prompt = composed(book, user(state), **{f"{name}_tokens": cap for name, cap in caps.items()})
    for layer, name in zip(PROMPT_LAYERS, ("l1", "l2", "l3", "l4", "l5", "state"), strict=True):
        assert tokens(prompt, layer) <= caps[name], layer
    whole = {text for purpose in Purpose for text in book.texts(purpose)}
    assert all(span.text in whole for span in prompt.spans if span.layer is not Layer.STATE)


def test_what_does_not_fit_is_left_out_whole_and_smaller_ones_go_on(
    make_book: MakeBook, episode: MakeEpisode
) -> None:
    episodes = (episode(3, "short"), episode(2, "much " * 60), episode(1, "also short"))
    prompt = composed(make_book(episodes=episodes), l4_tokens=30)
    assert items(prompt, Layer.EPISODES) == ["3", "1"]


def test_protocol_and_schema_shrink_before_they_fall_out(book: PromptLayers) -> None:
    full = composed(book)
    size = tokens(full, Layer.SCHEMA)
    shorter = composed(book, l2_tokens=size - 1)
    assert items(shorter, Layer.SCHEMA) == ["actions", "modules", "fields"]
    assert tokens(shorter, Layer.SCHEMA) < size
    stripped = composed(book, l1_tokens=tokens(full, Layer.PROTOCOL) - 1)
    assert items(stripped, Layer.PROTOCOL) == ["strategic", "task"]
    assert 0 < tokens(stripped, Layer.PROTOCOL) < tokens(full, Layer.PROTOCOL) / 2


def test_a_long_state_is_cut_at_a_line_with_a_mark(book: PromptLayers) -> None:
    state = "State:\n" + "".join(f"- line {number} of it\n" for number in range(500))
    prompt = composed(book, user(state, image=True), state_tokens=120)
    span = next(span for span in prompt.spans if span.layer is Layer.STATE)
    kept, mark = span.text[: -len(CUT)], span.text[-len(CUT) :]
    assert mark == CUT and state.startswith(kept) and kept.endswith("of it\n")
    assert 100 < tokens(prompt, Layer.STATE) <= 120
    assert prompt.messages[-1].image
    assert prompt.messages[-1].text.endswith(ask(Purpose.PLAN))


def test_a_thread_holds_at_most_so_many_messages(book: PromptLayers) -> None:
    turn = (user("the first\n"), reply("1"), user("two\n", image=True), reply("2"), user("three\n"))
    prompt = composed(book, *turn, thread_messages=3)
    assert [message.role for message in prompt.messages] == ["system", "user", "assistant", "user"]
    assert "the first" not in "".join(message.text for message in prompt.messages[1:])
    assert [message.image for message in prompt.messages] == [False, True, False, False], "a picture stays"
    assert Layer.EPISODES in {span.layer for span in prompt.messages[1].spans}
    assert len(composed(book, *turn, thread_messages=5).messages) == 6
    for few in (0, 1, 2):
        assert len(composed(book, *turn, thread_messages=few).messages) == 2


def test_a_thread_shares_the_states_cap(book: PromptLayers) -> None:
    turn = (user("word " * 200), reply("1"), user("three\n"))
    assert len(composed(book, *turn, state_tokens=150).messages) == 2
    assert len(composed(book, *turn, state_tokens=300).messages) == 4


def test_a_turn_ends_with_a_user(book: PromptLayers) -> None:
    for turn in ((), (user("x"), reply("y"))):
        with pytest.raises(ValueError, match="user"):
            compose(book, purpose=Purpose.PLAN, values=HURT, turn=turn, count=count, layers=LayerSettings())


def test_a_small_model_gets_what_fits_its_context(book: PromptLayers) -> None:
    state = user("State:\n" + "- field = 1\n" * 300)
    whole = sum(count(span.text) for span in composed(book, state).spans)
    before = whole
    for room in range(whole, 100, -40):
        prompt = composed(book, state, room=room)
        size = sum(count(span.text) for span in prompt.spans)
        assert size <= room
        before = min(before, size)
        if room > 450:
            assert items(prompt, Layer.PROTOCOL) and "actions" in items(prompt, Layer.SCHEMA)
            assert tokens(prompt, Layer.STATE) >= 60
    assert before < whole


def test_the_beginning_does_not_depend_on_the_state_even_where_room_is_short(book: PromptLayers) -> None:
    short, long = user("State:\n"), user("State:\n" + "- field = 1\n" * 300)
    for room in range(300, 1500, 50):
        assert composed(book, short, room=room).messages[0] == composed(book, long, room=room).messages[0]


def test_prompts_of_a_purpose_without_layers(book: PromptLayers) -> None:
    prompt = compose(
        book, purpose=Purpose.TEST, values={}, turn=[user("Hello")], count=count, layers=LayerSettings()
    )
    assert prompt == Prompt(messages=(replace(user("Hello")),))


@pytest.fixture
def shared(game: Game) -> PromptLayers:
    """A game with fifty cards, whose knowledge shares its tokens with skills and state."""
    cards = "".join(f"## Card number{place}\nIt costs {place}.\n" for place in range(50))
    (game.folder / "rules.md").write_text(f"All is dark.\n## A turn\nDraw a card.\n{cards}", "utf-8")
    knowledge = game.profile.knowledge.model_copy(update={"things": ["Card"], "shared_tokens": 240})
    profile = game.profile.model_copy(update={"knowledge": knowledge})
    return PromptLayers(
        game.model_copy(update={"profile": profile}),
        forms=Vocabulary(profile).forms,
        layers=LayerSettings(),
        memory=MemorySettings(),
    )


@pytest.mark.parametrize("words", [0, 20, 60, 120])
@pytest.mark.parametrize("room", [0, 400])
def test_knowledge_takes_what_skills_and_state_leave_so_that_prompts_keep_one_size(
    shared: PromptLayers, words: int, room: int
) -> None:
    prompt = composed(shared, user("State:\n" + "word " * words), room=room)
    fixed = tokens(prompt, Layer.PROTOCOL) + tokens(prompt, Layer.SCHEMA)
    size = sum(count(span.text) for span in prompt.spans) - fixed
    most = min(240, room - fixed) if room else 240
    assert most - 8 < size <= most, "up to a section"


def test_sections_of_named_things_enter_before_other_things_and_after_the_rules(shared: PromptLayers) -> None:
    def cards(text: str) -> list[str]:
        prompt = compose(
            shared,
            purpose=Purpose.PLAN,
            values={**HURT, "level": text},
            turn=(user("State:\n" + "word " * 90),),
            count=count,
            layers=LayerSettings(),
        )
        named = items(prompt, Layer.KNOWLEDGE)
        assert "A turn" in named
        return [item for item in named if item.startswith("Card")]

    usual, named = cards("no card"), cards("1 number41: It costs 41.; 2 number4+: better")
    assert usual == [f"Card number{place}" for place in range(len(usual))] and 1 < len(usual) < 20
    assert {"Card number4", "Card number41"} <= set(named) and len(named) == len(usual)
    assert named == sorted(named, key=lambda item: int(item.removeprefix("Card number"))), "in their order"
