"""Each form of calls: the place of a click on its way from the window to the model's words and back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pitwall.core.actions import Invalid
from pitwall.engine.control.picture_actions import PictureActions
from pitwall.games.actions.computer_use import ComputerUse
from pitwall.games.schema.profile import Profile
from pitwall.models.call_forms.by_name import call_form
from pitwall.models.call_forms.contract import CallForm
from pitwall.models.call_forms.written_call import read_call
from pitwall.models.click_scale import CLICK_SCALES, ClickScale, length_in
from pitwall.models.replies.reply_object import BadReply

WINDOW, LONGEST = (1240, 700), 960
SENT = (960, 542)
PLACES = [(0, 0), (417, 333), (1239, 699), (620, 350)]


@pytest.fixture(scope="module")
def space() -> ComputerUse:
    return ComputerUse(
        Profile.model_validate(
            {
                "game": {"id": "wide", "name": "Wide", "version": "1"},
                "launch": {"command": ["true"]},
                "screen": {"width": WINDOW[0], "height": WINDOW[1]},
                "controls": {"keys": ["Space", "ArrowLeft", "ArrowUp", "a"], "mouse": True},
                "actions": [{"name": "jump", "keys": ["Space"]}],
            }
        )
    )


def form(name: str) -> CallForm:
    chosen = call_form(name)
    assert chosen is not None
    return chosen


def tool(name: str, **arguments: object) -> str:
    return f"I see it.\n<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


CLICKS: dict[str, Callable[[float, float], str]] = {
    "tools": lambda x, y: tool("click", x=x, y=y),
    "qwen-vl": lambda x, y: tool("computer_use", action="left_click", coordinate=[x, y]),
    "ui-tars": lambda x, y: f"Thought: There.\nAction: click(start_box='<|box_start|>({x},{y})<|box_end|>')",
    "anthropic": lambda x, y: tool("computer", action="left_click", coordinate=[x, y]),
}


@pytest.mark.parametrize("scale", CLICK_SCALES)
@pytest.mark.parametrize("name", CLICKS)
def test_a_place_goes_round_through_every_form_and_scale(
    space: ComputerUse, name: str, scale: ClickScale
) -> None:
    actions = PictureActions(space, lambda: LONGEST, lambda: scale)
    lengths = length_in(scale, WINDOW, SENT)
    for x, y in PLACES:
        written = [
            (at + 0.5) / whole * length for at, whole, length in zip((x, y), WINDOW, lengths, strict=True)
        ]
        if scale not in ("percent", "unit"):
            written = [int(number) for number in written]
        else:
            written = [round(number, 4) for number in written]
        reply = CLICKS[name](written[0], written[1])
        action = actions.parse(form(name).read(reply, actions.forms, None))
        allowed = [max(1.0, whole / length) for whole, length in zip(WINDOW, lengths, strict=True)]
        if scale in ("percent", "unit"):
            allowed = [2.0, 2.0]
        assert action.name == "click" and action.arguments["button"] == "left"
        assert abs(float(action.arguments["x"]) - x) <= allowed[0], (x, action)
        assert abs(float(action.arguments["y"]) - y) <= allowed[1], (y, action)


@pytest.mark.parametrize(
    ("name", "reply", "action"),
    [
        ("tools", tool("press_key", key="left"), "press_key(key=ArrowLeft, hold_ms=60)"),
        ("tools", tool("wait"), "wait"),
        ("qwen-vl", tool("computer_use", action="key", keys=["space"]), "press_key(key=Space, hold_ms=60)"),
        (
            "qwen-vl",
            tool("computer_use", action="key", keys=["up", "left"], time=0.1),
            "press_keys(keys=ArrowUp+ArrowLeft, hold_ms=100)",
        ),
        ("qwen-vl", tool("computer_use", action="wait", time=1), "wait"),
        (
            "qwen-vl",
            tool("computer_use", action="left_click_drag", coordinate=[500, 500]),
            "drag(x=13, y=30, to_x=620, to_y=350, button=left)",
        ),
        ("ui-tars", "Action: hotkey(key='up left')", "press_keys(keys=ArrowUp+ArrowLeft, hold_ms=60)"),
        ("ui-tars", "Thought: go\nAction: type(content='aa')", "type(text=aa)"),
        (
            "ui-tars",
            "Action: right_single(point='<point>480 271</point>')",
            "click(x=620, y=350, button=right)",
        ),
        ("anthropic", tool("computer", action="key", text="space"), "press_key(key=Space, hold_ms=60)"),
        (
            "anthropic",
            tool("computer", action="hold_key", text="Left", duration=30),
            "press_key(key=ArrowLeft, hold_ms=250)",
        ),
        (
            "anthropic",
            tool(
                "computer", action="scroll", coordinate=[480, 271], scroll_direction="down", scroll_amount=3
            ),
            "scroll(x=620, y=350, dx=0, dy=3)",
        ),
    ],
)
def test_keys_waits_drags_and_wheels_become_commands(
    space: ComputerUse, name: str, reply: str, action: str
) -> None:
    actions = PictureActions(space, lambda: LONGEST, lambda: form(name).scale)
    text = form(name).read(reply, actions.forms, (10.0, 43.0))
    assert str(actions.parse(text)) == action


@pytest.mark.parametrize(
    ("name", "reply", "invalid"),
    [
        ("tools", "I go left.", Invalid.NO_CALL),
        ("tools", "<think>long, long thoughts", Invalid.NO_CALL),
        ("tools", '<tool_call>{"name": "click", "argum', Invalid.MALFORMED),
        ("qwen-vl", tool("computer_use", action="terminate", status="success"), Invalid.OUT_OF_SPACE),
        ("qwen-vl", tool("computer_use", action="left_click"), Invalid.OUT_OF_SPACE),
        ("ui-tars", "I would click it.", Invalid.NO_CALL),
        ("ui-tars", "Action: click(start_box='(1,2", Invalid.MALFORMED),
        ("ui-tars", "Action: finished(content='x')", Invalid.OUT_OF_SPACE),
        ("anthropic", tool("computer", action="double_click", coordinate=[1, 2]), Invalid.OUT_OF_SPACE),
    ],
)
def test_an_invalid_reply_has_its_kind(space: ComputerUse, name: str, reply: str, invalid: Invalid) -> None:
    with pytest.raises(BadReply) as refused:
        form(name).read(reply, space.forms, None)
    assert refused.value.invalid is invalid


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "go", "arguments": {"ms": 5}}\n</tool_call>',
        '<think>Go.</think>{"name": "go", "parameters": {"ms": 5}}',
        '<function=go>{"ms": 5}</function>',
        "<tool_call>\n<function=go>\n<parameter=ms>\n5\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>go\n<arg_key>ms</arg_key>\n<arg_value>5</arg_value>\n</tool_call>",
        '[TOOL_CALLS][{"name": "go", "arguments": {"ms": 5}}]',
        '[TOOL_CALLS]go[ARGS]{"ms": 5}',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>go\n```json\n{"ms": 5}\n```',
        '<|channel|>commentary to=functions.go <|constrain|>json<|message|>{"ms": 5}',
        '<|START_ACTION|>[{"tool_name": "go", "parameters": {"ms": 5}}]<|END_ACTION|>',
        'functools[{"name": "go", "arguments": {"ms": 5}}]',
        "<|python_tag|>[go(ms=5)]",
        '{"type": "function", "function": {"name": "go", "arguments": "{\\"ms\\": 5}"}}',
    ],
)
def test_calls_of_llama_cpps_chat_formats_are_read(text: str) -> None:
    call = read_call(text)
    assert (call.name, {key: int(value) for key, value in call.arguments.items()}) == ("go", {"ms": 5})


def test_tools_and_words_name_the_legal_keys_and_bounds(space: ComputerUse) -> None:
    actions = PictureActions(space, lambda: LONGEST, lambda: "thousand")
    for name in CLICKS:
        shown = form(name).ask(actions.forms) + json.dumps(form(name).tools(actions.forms))
        assert "ArrowLeft" in shown and "1000" in shown, name
