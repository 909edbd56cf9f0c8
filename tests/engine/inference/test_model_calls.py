"""Calls to models through a real host process: answers, records, budgets, deaths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pitwall.core import telemetry
from pitwall.core.calls import CallOutcome, Purpose, Tier
from pitwall.core.errors import PitwallError
from pitwall.core.frames import Pixels
from pitwall.core.paths import DataFolder
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.settings import ModelSettings
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest
from pitwall.engine.inference.call_limits import deadline_ms
from pitwall.engine.inference.host_link import HostLink
from pitwall.engine.inference.model_calls import ModelCalls, SettledCall
from pitwall.models.entry import ModelEntry
from pitwall.models.registry import ModelRegistry
from workshop.fixtures.processes import kill
from workshop.fixtures.tiny_models import tiny_projector, tiny_text_model

LONG_S = 90.0
GRAMMAR = 'root ::= "{\\"action\\":\\"" ("flap" | "glide") "\\"}"'


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory, llama: str) -> dict[str, ModelEntry]:
    assert llama
    folder = tmp_path_factory.mktemp("models")
    registry = ModelRegistry(DataFolder(folder / "data"))
    text = tiny_text_model(folder / "text.gguf")
    sees = tiny_text_model(folder / "sees.gguf", seed=1)
    registry.add_file(text, name="text")
    registry.add_file(sees, name="sees", projector=tiny_projector(folder / "projector.gguf"))
    return {entry.spec.name: entry for entry in registry.all()}


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostLink]:
    link = HostLink(tmp_path_factory.mktemp("logs"), back_off_ms=50)
    yield link
    link.close()


class Desk:
    """Calls of one run, with everything that was recorded and told."""

    def __init__(self, link: HostLink, models: dict[str, ModelEntry], **settings: Any) -> None:
        self.models = models
        self.settled: list[SettledCall] = []
        self.told: list[Any] = []
        self.budget = Budget("easy")
        self.settings = ModelSettings(**{"strategic": "text", "fast": "text", **settings})
        self.picture: Pixels | None = None
        self.before: Pixels | None = None
        self.calls = ModelCalls(
            link.mailbox(),
            resolve=self._resolve,
            models=lambda: self.settings,
            budget=self.budget,
            picture=lambda: self.picture,
            before=lambda: self.before,
            record=self.settled.append,
            tell=lambda record, _lossy: self.told.append(record),
            began_ns=0,
        )

    def wait(self, call: int) -> CompletionReply:
        until = time.monotonic() + LONG_S
        while (answer := self.calls.answer(call)) is None:
            assert time.monotonic() < until, "no answer"
            time.sleep(0.005)
        return answer

    def _resolve(self, name: str) -> Any:
        if name not in self.models:
            raise PitwallError(f"there is no model {name!r}.")
        return self.models[name].spec


@pytest.fixture
def make_desk(link: HostLink, models: dict[str, ModelEntry]) -> Callable[..., Desk]:
    return lambda **settings: Desk(link, models, **settings)


def _ask(
    state: str, purpose: Purpose = Purpose.PLAN, *, image: bool = False, grammar: str = GRAMMAR
) -> CompletionRequest:
    rules = Span(layer=Layer.PROTOCOL, text="You play a game. Answer with one JSON object.\n" * 12)
    now = Span(layer=Layer.STATE, text=state)
    prompt = Prompt(
        messages=(
            Message(role="system", spans=(rules,)),
            Message(role="user", spans=(now,), image=image),
        )
    )
    return CompletionRequest(purpose=purpose, step=3, prompt=prompt, grammar=grammar, image=image)


def test_a_call_is_asked_answered_settled_and_recorded(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    assert desk.calls.available(Purpose.PLAN) and not desk.calls.sees(Purpose.PLAN)
    number = desk.calls.ask(_ask("bird_y = 100\n"))
    answer = desk.wait(number)
    assert answer.problem == "" and answer.text in ('{"action":"flap"}', '{"action":"glide"}')
    assert (answer.finish, answer.tokens.output > 0) == ("stop", True)
    assert answer.tokens.by_layer["L1"] > answer.tokens.by_layer["state"] > 0
    assert sum(answer.tokens.by_layer.values()) == answer.tokens.prompt
    desk.calls.settle(number, CallOutcome.USED, proposed=1)
    (settled,) = desk.settled
    record = settled.record
    assert (record.call, record.step, record.purpose, record.tier) == (1, 3, Purpose.PLAN, Tier.STRATEGIC)
    assert (record.model, record.outcome, record.proposed) == ("text", CallOutcome.USED, 1)
    assert record.prompt_hash == settled.prompt.content_hash and settled.grammar == GRAMMAR
    assert (desk.budget.calls, desk.budget.tokens.output) == (1, answer.tokens.output)
    kinds = [note.kind for note in desk.told]
    assert kinds[0] == "call_began" and kinds[-1] == "call_ended" and "call_streamed" in kinds
    streamed = [note for note in desk.told if isinstance(note, telemetry.CallStreamed)]
    assert answer.text.startswith("".join(note.text for note in streamed)[:5])


def test_unchanged_layers_are_not_evaluated_again(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.wait(desk.calls.ask(_ask("one")))
    fast = desk.wait(desk.calls.ask(_ask("two", Purpose.REACT)))
    again = desk.wait(desk.calls.ask(_ask("three")))
    assert again.tokens.cached >= 0.6 * again.tokens.prompt
    assert fast.tokens.fresh > again.tokens.fresh, "another tier has a slot of its own"


def test_counts_are_exact_once_they_are_told(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    texts = ("score: 3 pipes\n", "a rule about pipes\n")
    until = time.monotonic() + LONG_S
    while not desk.calls.counted(Purpose.PLAN, texts):
        assert time.monotonic() < until
        time.sleep(0.005)
    exact = [desk.calls.count(Purpose.PLAN, text) for text in texts]
    assert all(0 < count <= len(text) for count, text in zip(exact, texts, strict=True))
    number = desk.calls.ask(_ask("gap at 40\n" * 20))
    state = desk.wait(number).tokens.by_layer["state"]
    estimate = desk.calls.count(Purpose.PLAN, "gap at 41\n" * 20)
    assert estimate >= 0.9 * state, "what a reply has shown of the vocabulary makes the estimate"
    assert 0 < desk.calls.room(Purpose.REACT) < desk.models["text"].spec.context


def test_a_picture_goes_along_and_is_kept(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(strategic="sees", image_px=64)
    assert desk.calls.sees(Purpose.DESCRIBE)
    desk.picture = np.random.default_rng(0).integers(0, 255, (90, 160, 4), np.uint8)
    number = desk.calls.ask(_ask("look", Purpose.DESCRIBE, image=True))
    answer = desk.wait(number)
    assert answer.problem == ""
    desk.calls.settle(number, CallOutcome.USED)
    (settled,) = desk.settled
    assert settled.image.startswith(b"\xff\xd8") and settled.record.image_ref == "calls/00001.jpg"
    began = next(note for note in desk.told if isinstance(note, telemetry.CallBegan))
    assert (began.image_width, began.image_height) == (64, 36)


def test_a_picture_is_counted_apart_and_leaves_less_room(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(strategic="sees", image_px=64)
    desk.picture = np.random.default_rng(0).integers(0, 255, (64, 64, 4), np.uint8)
    before = desk.calls.room(Purpose.PLAN)
    tokens = desk.wait(desk.calls.ask(_ask("look", image=True))).tokens
    plain = desk.wait(desk.calls.ask(_ask("look"))).tokens
    assert "picture" not in plain.by_layer
    taken = tokens.by_layer["picture"]
    assert taken > 0
    assert sum(tokens.by_layer.values()) == tokens.prompt == plain.prompt + taken
    assert tokens.by_layer["template"] == plain.by_layer["template"]
    room = desk.calls.room(Purpose.PLAN)
    assert room > before, "what a picture really takes is less than what was set aside for it"
    blind = make_desk(strategic="text").calls.room(Purpose.PLAN)
    assert blind - room == taken


def test_the_frame_before_the_last_step_goes_first(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(strategic="sees", image_px=64)
    assert desk.calls.picture_size(before=True) == (0, 0)
    desk.picture, desk.before = (np.full((90, 160, 4), shade, np.uint8) for shade in (200, 20))
    assert desk.calls.picture_size() == desk.calls.picture_size(before=True) == (64, 36)
    asked = _ask("look", Purpose.REFLECT, image=True)
    system, now = asked.prompt.messages
    then = (
        replace(now, spans=(replace(now.spans[0], text="before"),)),
        Message(role="assistant", spans=now.spans),
    )
    both = replace(asked, before=True, prompt=Prompt(messages=(system, *then, now)))
    one = desk.wait(desk.calls.ask(asked)).tokens.by_layer["picture"]
    answer = desk.wait(desk.calls.ask(both))
    assert answer.problem == "" and answer.tokens.by_layer["picture"] == 2 * one
    desk.settings = desk.settings.model_copy(update={"look": "never"})
    assert not desk.calls.sees(Purpose.PLAN)


def test_what_is_asked_after_a_run_has_time() -> None:
    models = ModelSettings(strategic_deadline_ms=1_000, reactive_deadline_ms=500)
    times = {purpose: deadline_ms(models, purpose) for purpose in (Purpose.REACT, Purpose.PLAN)}
    assert times == {Purpose.REACT: 500, Purpose.PLAN: 1_000}
    for purpose in (Purpose.SUMMARISE, Purpose.PROPOSE_SKILL, Purpose.JUDGE_SKILL):
        assert deadline_ms(models, purpose) == 300_000


def test_a_choice_is_made_with_the_picture(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(strategic="sees", image_px=64)
    options = ('{"action":"flap"}', '{"action":"glide"}')
    shares = []
    for seed in (1, 2):
        desk.picture = np.random.default_rng(seed).integers(0, 255, (64, 64, 4), np.uint8)
        number = desk.calls.ask(replace(_ask("look", image=True), options=options))
        answer = desk.wait(number)
        assert answer.problem == "" and answer.text in options
        assert answer.tokens.by_layer["picture"] > 0
        desk.calls.settle(number, CallOutcome.USED)
        choice = desk.settled[-1].record.choice
        assert choice is not None and choice.note == ""
        assert sum(option.probability for option in choice.options) == pytest.approx(1.0)
        shares.append({option.text: option.log_probability for option in choice.options})
    assert shares[0] != shares[1], "another picture, other log-probabilities"


def test_without_a_model_a_call_fails_with_a_sentence(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(strategic="gone", fast="")
    assert not desk.calls.available(Purpose.PLAN) and not desk.calls.available(Purpose.REACT)
    answer = desk.wait(desk.calls.ask(_ask("anything")))
    assert "no model" in answer.problem and answer.text == ""


def test_spent_calls_make_a_tier_unavailable(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.budget.calls = desk.budget.calls_cap
    assert not desk.calls.available(Purpose.PLAN)


def test_a_cancelled_call_is_recorded_and_never_answered(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    number = desk.calls.ask(_ask("long", grammar=""))
    desk.calls.cancel(number)
    assert desk.calls.answer(number) is None
    assert [settled.record.outcome for settled in desk.settled] == [CallOutcome.CANCELLED]
    desk.calls.close()
    assert len(desk.settled) == 1


def test_what_nobody_settled_is_dropped_when_the_run_ends(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    answered, open_ = desk.calls.ask(_ask("one")), 0
    desk.wait(answered)
    open_ = desk.calls.ask(_ask("two"))
    desk.calls.close()
    outcomes = {settled.record.call: settled.record.outcome for settled in desk.settled}
    assert outcomes[answered] is CallOutcome.DROPPED
    assert outcomes[open_] in (CallOutcome.CANCELLED, CallOutcome.DROPPED)


def test_a_host_that_dies_answers_with_a_problem_and_the_next_call_works(
    make_desk: Callable[..., Desk], link: HostLink
) -> None:
    desk = make_desk()
    desk.wait(desk.calls.ask(_ask("warm")))
    number = desk.calls.ask(_ask("killed " * 200, grammar=""))
    assert link.pid is not None
    kill(link.pid)
    assert "host" in desk.wait(number).problem
    desk.calls.settle(number, CallOutcome.FAILED)
    until = time.monotonic() + LONG_S
    while True:
        assert time.monotonic() < until
        answer = desk.wait(desk.calls.ask(_ask("again")))
        if not answer.problem:
            break
        time.sleep(0.1)
    assert answer.text
