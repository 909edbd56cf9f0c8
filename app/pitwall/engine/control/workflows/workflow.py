"""Runs workflows without waiting: the shared part of the model controllers.

A workflow is a generator: it reads from top to bottom, yields at each model call, and continues when the
answer has come. `WorkflowRun.poll` advances it; nothing ever waits.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from pitwall.core.actions import Invalid, SemanticAction
from pitwall.core.calls import CallOutcome, Purpose
from pitwall.core.observations import Value
from pitwall.core.prompts import Layer, Message, Prompt, Span
from pitwall.core.settings import Settings
from pitwall.engine.control.legality import LegalActions
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest, ModelCaller
from pitwall.engine.control.workflows.prompt_budget import fit_prompt
from pitwall.engine.control.workflows.round_memory import RoundMemory, pictures_in
from pitwall.memory.prompt.compose import compose, compose_sections
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.skills import UsableSkill
from pitwall.models.call_forms.by_name import call_form
from pitwall.models.call_forms.contract import CallForm
from pitwall.models.grammars.by_purpose import Shape, grammar_for
from pitwall.models.replies.plan import BadReply

T = TypeVar("T")
Request = TypeVar("Request")

WorkflowSteps: TypeAlias = Generator[int | None, CompletionReply | None, T]
"""Yields the number of a call to wait for (and receives its answer), or None to continue at the next poll."""


class WorkflowRun(Generic[T]):
    """Runs one workflow."""

    def __init__(self, caller: ModelCaller, thought: WorkflowSteps[T]) -> None:
        self._caller = caller
        self._thought = thought
        self._call: int | None = None

    def poll(self) -> T | None:
        """Continue as far as answers have come. Return the result, once; None while the workflow runs."""
        while True:
            answer: CompletionReply | None = None
            if self._call is not None:
                answer = self._caller.answer(self._call)
                if answer is None:
                    return None
                self._call = None
            try:
                self._call = self._thought.send(answer)
            except StopIteration as done:
                result: T = done.value
                return result
            if self._call is None:
                return None

    def drop(self) -> None:
        """End the workflow, and cancel its open call."""
        if self._call is not None:
            self._caller.cancel(self._call)
            self._call = None
        self._thought.close()


class WorkflowController(ABC, Generic[Request, T]):
    """A controller that answers by a workflow: the base of model planner and model reactor.

    Args:
        book: returns the layers at each request; they are put under the switches then in force.
        settings: returns the settings in force, at each request.
        rounds: a rolling memory in the place of layers; None: there is none.
    """

    def __init__(
        self,
        *,
        caller: ModelCaller,
        book: Callable[[], PromptLayers],
        space: LegalActions,
        settings: Callable[[], Settings],
        rounds: RoundMemory | None = None,
    ) -> None:
        self._caller = caller
        self._book = book
        self._space = space
        self._settings = settings
        self._rounds = rounds
        self._thinking: WorkflowRun[T] | None = None

    def request(self, request: Request) -> None:
        self.cancel()
        self._thinking = WorkflowRun(self._caller, self._think(request))

    def poll(self) -> T | None:
        reply = self._thinking.poll() if self._thinking is not None else None
        if reply is not None:
            self._thinking = None
        return reply

    def cancel(self) -> None:
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.drop()

    @abstractmethod
    def _think(self, request: Request) -> WorkflowSteps[T]:
        """Return the workflow that answers a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult(Generic[T]):
    """The result of one model call.

    Attributes:
        value: the parsed reply; None where there is no usable reply, `problem` says why.
        call: its number; 0 where none was made.
        invalid: how an unusable reply counts: as no call (NO_CALL), or as nothing legal (OUT_OF_SPACE).
        came: the model did reply; if the reply is not usable, asking again may help.
        unanswered: the call failed at the endpoint or the host; a reply that is too late is none of these.
    """

    value: T | None
    call: int = 0
    problem: str = ""
    invalid: Invalid | None = None
    came: bool = False
    unanswered: bool = False


class WorkflowContext:
    """The means of one workflow: it composes prompts, asks, reads and settles, and counts its calls.

    Args:
        book: the layers, under the switches of `settings`.
        fields, modules: names that a plan may use. offered: the modules that can be started now.
        skills: the skills that can be carried out now, by name, best first: only these are listed; None: all
            that apply are listed, and none can be named. keeps: a plan in force can be continued.
        writes: a plan may be written out, where a skill could also be named.
        alone: nobody plans for a reaction, or nobody may be asked to.
        values: field name → value, `status` among them.
        rounds: a rolling memory in the place of layers; None: there is none.

    Attributes:
        calls: number of calls made. withheld: why a call was not made; empty where each was.
        shown_fields: names of the fields that the state shows; None: all.
        listed: names of the skills that the prompt lists; None: all that apply.
    """

    def __init__(
        self,
        *,
        caller: ModelCaller,
        book: PromptLayers,
        space: LegalActions,
        fields: Collection[str],
        modules: Collection[str],
        offered: Collection[str],
        settings: Settings,
        step: int,
        values: Mapping[str, Value],
        skills: Mapping[str, UsableSkill] | None = None,
        keeps: bool = False,
        writes: bool = True,
        alone: bool = False,
        rounds: RoundMemory | None = None,
    ) -> None:
        self.rounds = rounds
        self.skills = skills or {}
        self.listed = None if skills is None else tuple(skills)
        self.keeps, self.writes, self.alone = keeps, writes, alone
        self.caller = caller
        self.book = book
        self.space = space
        self.fields = frozenset(fields)
        self.modules = frozenset(modules)
        self.offered = sorted(offered)
        self.settings = settings
        self.calls = 0
        self.withheld = ""
        self.shown_fields: frozenset[str] | None = None
        self._left_out: tuple[str, ...] = ()
        self._step = step
        self._values = values

    def fit(self, purpose: Purpose, *, closed: bool, steps: int, image: bool) -> WorkflowSteps[None]:
        """Fit the prompts to the machine, where a budget is known; see `fit_prompt`.

        Args:
            image: they have the picture.
        """
        budget = self.caller.prompt_budget(purpose)
        if not budget:
            return
        if image:
            budget = max(1, budget - self.caller.picture_tokens(purpose))
        yield from self._counted(purpose)
        fitted = fit_prompt(
            self.book,
            self.settings,
            budget=budget,
            purpose=purpose,
            values=self._values,
            skills=self.listed,
            closed=closed,
            steps=steps,
            count=lambda text: self.caller.count(purpose, text),
        )
        self.book, self.settings = fitted.book, fitted.settings
        self.shown_fields = fitted.fields
        self.leave_out(*fitted.left_out)

    def leave_out(self, *parts: str) -> None:
        """Note parts that the prompts go without, for the calls' records."""
        self._left_out = tuple(dict.fromkeys((*self._left_out, *parts)))

    def _counted(self, purpose: Purpose) -> WorkflowSteps[bool]:
        """Wait until every text is counted; False where no model can be asked."""
        while self.caller.available(purpose):
            if self.caller.counted(purpose, self.book.texts(purpose)):
                return True
            yield None
        return False

    def consult(
        self,
        purpose: Purpose,
        turn: Sequence[Message],
        read: Callable[[str], T],
        *,
        names: Collection[str] = (),
        candidates: Sequence[SemanticAction] | None = None,
        options: Sequence[str] = (),
        acts: bool = False,
    ) -> WorkflowSteps[CallResult[T]]:
        """Make one call; its prompt is composed when every text of its layers is counted.

        Args:
            turn: the user's message, last, and the thread's messages before it.
            read: parses the reply; raises BadReply.
            names: names of the only actions that may be written; empty: every legal action.
            candidates: the only actions that may be written, exactly so; None: any.
            options: the only possible replies, where the model chooses; empty: it writes.
            acts: the reply names actions. A usable reply is then left to `used`, or to the code that uses it;
                every other outcome is settled here.
        """
        if why := self.caller.no_text(purpose):
            self.withheld = why
            return CallResult(value=None, problem=why)
        if not (yield from self._counted(purpose)):
            return CallResult(value=None, problem="No model can be asked, or no calls are left.")
        earlier = self.rounds.recent(sees=self.caller.sees(purpose)) if self.rounds is not None else None
        if earlier is not None and self.caller.sees(purpose):
            turn = [*turn[:-1], replace(turn[-1], image=True)]
        prompt = self._prompt(purpose, turn, earlier.messages if earlier is not None else ())
        before = earlier is None and any(message.image for message in prompt.messages[:-1])
        shape, tools = self._bounds(purpose, prompt, names, candidates)
        ask = CompletionRequest(
            purpose=purpose,
            step=self._step,
            prompt=prompt,
            grammar=shape.grammar,
            schema=shape.schema,
            tools=tools,
            must_call=self.settings.models.grammar,
            image=turn[-1].image,
            before=before,
            earlier=pictures_in(prompt, earlier),
            options=tuple(options) if self.caller.chooses(purpose) else (),
            left_out=self._left_out,
        )
        call = self.caller.ask(ask)
        self.calls += 1
        answer = yield call
        assert answer is not None, "a call was answered by nothing"
        return self._read(call, answer, read, acts)

    def _form(self, purpose: Purpose) -> CallForm | None:
        return call_form(self.settings.models.calls) if purpose is Purpose.REACT else None

    def _bounds(
        self,
        purpose: Purpose,
        prompt: Prompt,
        names: Collection[str],
        candidates: Sequence[SemanticAction] | None,
    ) -> tuple[Shape, str]:
        """Return the form that binds a reply, or the functions that it may call instead."""
        if (form := self._form(purpose)) is not None:
            tools = form.tools(self.space.forms)
            return Shape("", ""), json.dumps(tools) if tools else ""
        if not self.settings.models.grammar:
            return Shape("", ""), ""
        shape = grammar_for(
            purpose,
            [form for form in self.space.forms if not names or form.name in names],
            fields=sorted(self.fields),
            modules=self.offered,
            skills=[name for name in listed_skills(prompt) if name in self.skills],
            keeps=self.keeps,
            candidates=candidates,
            alone=self.alone,
            writes=self.writes,
        )
        return shape, ""

    def used(self, call: int, *, proposed: int, illegal: int) -> None:
        """Settle a call whose actions were used in a later call."""
        self.caller.settle(call, CallOutcome.USED, proposed=proposed, illegal=illegal)

    def _prompt(self, purpose: Purpose, turn: Sequence[Message], rounds: Sequence[Message]) -> Prompt:
        room = self._room(purpose, sum(message.image for message in turn[:-1]))
        if room and (form := self._form(purpose)) is not None:
            room = max(1, room - self.caller.count(purpose, json.dumps(form.tools(self.space.forms))))
        if self.settings.models.prompt == "sections" and purpose is Purpose.REACT:
            return compose_sections(
                self.book,
                purpose=purpose,
                values=self._values,
                turn=turn[-1],
                count=lambda text: self.caller.count(purpose, text),
                room=room,
                rounds=rounds,
            )
        return compose(
            self.book,
            purpose=purpose,
            values=self._values,
            turn=turn,
            count=lambda text: self.caller.count(purpose, text),
            layers=self.settings.layers,
            skills=self.listed,
            room=room,
            rounds=rounds,
        )

    def _room(self, purpose: Purpose, pictures: int) -> int:
        """Return the tokens that the prompt may take beside the newest picture and so many earlier ones."""
        room = self.caller.room(purpose)
        return max(1, room - pictures * self.caller.picture_tokens(purpose)) if room else 0

    def _read(
        self, call: int, answer: CompletionReply, read: Callable[[str], T], acts: bool
    ) -> CallResult[T]:
        if answer.problem:
            self.caller.settle(call, CallOutcome.FAILED, problem=answer.problem)
            return CallResult(value=None, call=call, problem=answer.problem, unanswered=not answer.finish)
        try:
            value = read(answer.text)
        except BadReply as error:
            cut = answer.finish == "length"
            problem = "The reply was cut off at its limit in tokens." if cut else error.what
            self.caller.settle(
                call,
                CallOutcome.INVALID,
                problem=problem,
                invalid=error.invalid,
                proposed=error.proposed,
                illegal=error.illegal,
            )
            return CallResult(value=None, call=call, problem=problem, invalid=error.invalid, came=True)
        if not acts:
            self.caller.settle(call, CallOutcome.USED)
        return CallResult(value=value, call=call, came=True)


def listed_skills(prompt: Prompt) -> tuple[str, ...]:
    """Return the names of the skills that a prompt lists, in its order."""
    spans = (span for message in prompt.messages for span in message.spans)
    return tuple(dict.fromkeys(span.item for span in spans if span.layer is Layer.SKILLS and span.item))


def with_retry(ask: Callable[[str], WorkflowSteps[CallResult[T]]]) -> WorkflowSteps[CallResult[T]]:
    """Ask, and once more where the reply was not valid; `ask` gets the fault, empty at first."""
    result = yield from ask("")
    if result.value is None and result.came:
        result = yield from ask(result.problem)
    return result


def user_message(text: str, *, image: bool = False) -> Message:
    return Message(role="user", spans=(Span(layer=Layer.STATE, text=text),), image=image)
