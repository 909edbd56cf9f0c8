"""The model reactor: the reactive controller that asks the fast tier's model (SPEC §2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pitwall.core.actions import SemanticAction
from pitwall.core.calls import Purpose
from pitwall.core.errors import PitwallError
from pitwall.engine.control.legality import LegalActions, nameable
from pitwall.engine.control.picture_actions import PictureActions
from pitwall.engine.control.reactor import ReactReply, ReactRequest
from pitwall.engine.control.tabu import ESCALATE, OpenActions
from pitwall.engine.control.workflows.scene import asked_about, scene_of, shows_picture
from pitwall.engine.control.workflows.workflow import (
    CallResult,
    WorkflowContext,
    WorkflowController,
    WorkflowSteps,
)
from pitwall.memory.prompt.layer_entries import PromptLayers
from pitwall.memory.prompt.skills import UsableSkill
from pitwall.memory.prompt.state_format import left_in_turn, react_state
from pitwall.models.call_forms.by_name import call_form
from pitwall.models.call_forms.contract import Pointer
from pitwall.models.replies.plan import Reaction, called_action, parse_reaction, reaction_options


class ModelReactor(WorkflowController[ReactRequest, ReactReply]):
    """Grounds one action with the fast tier's model, in one call; a `Reactor`.

    A call with a usable reply (`ReactReply.call`) is settled by the code that uses or drops it; every other
    call is settled here.
    """

    @property
    def available(self) -> bool:
        return self._caller.available(Purpose.REACT)

    def _think(self, request: ReactRequest) -> WorkflowSteps[ReactReply]:
        """Ask with every place in pixels of the picture; the answer's is in pixels of the screen again."""
        space = self._space
        if not isinstance(space, PictureActions):
            return (yield from self._answer(request))
        plan = space.shown_plan(request.proposal)
        shown = replace(request, proposal=plan, history=space.shown_history(request.history))
        reply = yield from self._answer(shown)
        if reply.action is None:
            return reply
        known = request.proposal.candidates if request.proposal is not None else ()
        same = [action for action in known if space.shown(action) == reply.action]
        return replace(reply, action=same[0] if same else space.original(reply.action))

    def _answer(self, request: ReactRequest) -> WorkflowSteps[ReactReply]:
        try:
            context = self._context(request)
        except PitwallError as error:
            why = f"the prompt cannot be made: {error}"
            return ReactReply(request_id=request.request_id, action=None, why=why)
        closed = _only(request) is not None and self._caller.chooses(Purpose.REACT)
        image = shows_picture(request, context, Purpose.REACT)
        yield from context.fit(Purpose.REACT, closed=closed, steps=len(request.history), image=image)
        result = yield from self._consult(request, context)
        if result.value is None:
            return ReactReply(
                request_id=request.request_id,
                action=None,
                why=f"the model gave no action: {result.problem.rstrip('.')}",
                invalid=result.invalid,
            )
        return ReactReply(
            request_id=request.request_id,
            action=result.value.action,
            escalate=result.value.escalate,
            why=_why(result.value, request),
            call=result.call,
        )

    def _consult(
        self, request: ReactRequest, context: WorkflowContext
    ) -> WorkflowSteps[CallResult[Reaction]]:
        image = shows_picture(request, context, Purpose.REACT)
        unguided = context.book.alone and request.proposal is None and not context.skills
        text = react_state(
            scene_of(request, context, image=image),
            proposal=request.proposal,
            candidate=request.candidate,
            last_effect=request.last_effect,
            override=request.override,
            left=actions_in_turn(request, context.space) if unguided else (),
        )
        only = _only(request)
        return context.consult(
            Purpose.REACT,
            [asked_about(text, request, context, Purpose.REACT, image=image)],
            self._reader(request, context, only),
            candidates=only,
            options=reaction_options(context.space.forms, only, alone=context.alone),
            acts=True,
        )

    def _reader(
        self, request: ReactRequest, context: WorkflowContext, only: tuple[SemanticAction, ...] | None
    ) -> Callable[[str], Reaction]:
        """Return the function that reads a reply: JSON, or a call in the form of `models.calls`."""
        form = call_form(context.settings.models.calls)
        if form is None:
            return lambda reply: parse_reaction(reply, context.space, candidates=only, alone=context.alone)
        forms, pointer = context.space.forms, _pointer(request)
        return lambda reply: called_action(form.read(reply, forms, pointer), context.space, only)

    def _context(self, request: ReactRequest) -> WorkflowContext:
        settings = self._settings()
        book = self._book().with_settings(settings.layers, settings.memory, alone=settings.control.alone)
        form = call_form(settings.models.calls)
        written = self._space.written if isinstance(self._space, PictureActions) else self._space
        book = book.with_answer(form.ask(written.forms) if form is not None else "")
        candidates = request.proposal.candidates if request.proposal is not None else ()
        return WorkflowContext(
            caller=self._caller,
            book=book,
            space=OpenActions(
                written,
                request.bars,
                candidates,
            ),
            fields=(),
            modules=(),
            offered=(),
            settings=settings,
            step=request.step,
            values=request.values,
            skills=self._skills(book, request),
            alone=not settings.control.may_escalate or ESCALATE in request.bars,
            rounds=self._rounds,
        )

    def _skills(self, book: PromptLayers, request: ReactRequest) -> dict[str, UsableSkill] | None:
        """Return the skills to list: none under a plan, whose subgoal stands; None: all that apply.

        Where nobody plans, the skills that have an action for it.
        """
        if request.proposal is not None:
            return {}
        if not book.alone:
            return None
        return {usable.skill.name: usable for usable, _ in book.acting(request.values)}


def _pointer(request: ReactRequest) -> Pointer:
    """Return the pointer's place after the past steps, in the scale of the model's places; None: unknown."""
    for past in reversed(request.history):
        for names in (("to_x", "to_y"), ("x", "y")):
            place = [past.action.arguments.get(name) for name in names]
            if all(isinstance(number, int | float) for number in place):
                return float(place[0] or 0), float(place[1] or 0)
    return None


def actions_in_turn(request: ReactRequest, space: LegalActions) -> tuple[str, ...]:
    """Return the names of the actions that can be tried where nobody plans, the next in turn first."""
    return left_in_turn(list(nameable(space)), request.history, request.candidate)


def _only(request: ReactRequest) -> tuple[SemanticAction, ...] | None:
    """Return the actions that the reply is restricted to; None: every legal action."""
    if request.override or request.proposal is None or not request.proposal.candidates:
        return None
    return request.proposal.candidates


def _why(reaction: Reaction, request: ReactRequest) -> str:
    if reaction.escalate:
        return f"the model asks for a plan: {reaction.reason}"
    if request.proposal is None:
        return "as the model chose"
    if reaction.action in request.proposal.candidates:
        return f"for {request.proposal.subgoal!r}"
    return f"correcting locally, for {request.proposal.subgoal!r}"
