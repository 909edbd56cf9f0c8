"""Calls models by tier, answers without waiting, and records each call with its outcome."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from pitwall.core import calls
from pitwall.core.actions import Invalid
from pitwall.core.clock import NS_PER_MS, ms_between, now_ns
from pitwall.core.errors import PitwallError, reason_of
from pitwall.core.frames import Pixels
from pitwall.core.prompts import Prompt, hash_of
from pitwall.core.settings import ModelSettings
from pitwall.core.telemetry import CallBegan, CallEnded, CallStreamed
from pitwall.engine.control.budget import Budget
from pitwall.engine.control.model_caller import CompletionReply, CompletionRequest
from pitwall.engine.inference import call_limits
from pitwall.engine.inference.frame_encoding import encode_jpeg, size_sent
from pitwall.engine.inference.token_counts import ReadingSpeeds, TokenCounts
from pitwall.models import host_requests
from pitwall.models.call_forms.by_name import call_form
from pitwall.models.click_scale import ClickScale
from pitwall.models.host_access import HostAccess
from pitwall.models.spec import SMALL_BYTES, ModelSpec

_log = logging.getLogger(__name__)

_GRACE_NS = 120_000 * NS_PER_MS
"""The host keeps the deadline; a call without an answer this long after it is given up."""
_TEMPLATE_TOKENS = 64
"""Most tokens that the usual chat templates add to a prompt."""
_CHOICE_TOKENS = 256
"""Room for the options of a choice."""
_LOST = "The model host died."
_SILENT = "The model host did not answer in time."


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledCall:
    """A call to be recorded, with its prompt. `image` is the picture sent, JPEG; empty for none."""

    record: calls.CallRecord
    prompt: Prompt
    grammar: str
    image: bytes


@dataclass(slots=True)
class _Call:
    """A call, from its request until it is settled."""

    number: int
    ask: CompletionRequest
    spec: ModelSpec
    asked_ns: int
    deadline_ms: int
    generation: int | None = None
    picture: Future[tuple[bytes, int, int]] | None = None
    before: Future[tuple[bytes, int, int]] | None = None
    image: bytes = b""
    earlier: bytes = b""
    answer: CompletionReply | None = None
    device: str = ""
    choice: calls.Choice | None = None


class ModelCalls:
    """Calls models for the controllers; a `ModelCaller`.

    Args:
        resolve: returns the registry's model of a name; raises PitwallError where there is none.
        picture: returns the newest frame, (height, width, 4) BGRX; None where there is none.
        before: returns the frame that the last step was decided on.
        tell: sends telemetry; the flag says whether it may be lost.
    """

    def __init__(
        self,
        host: HostAccess,
        *,
        resolve: Callable[[str], ModelSpec],
        models: Callable[[], ModelSettings],
        budget: Budget,
        picture: Callable[[], Pixels | None],
        before: Callable[[], Pixels | None] = lambda: None,
        record: Callable[[SettledCall], None],
        tell: Callable[[Any, bool], None],
        began_ns: int,
    ) -> None:
        self._host = host
        self._resolve = resolve
        self._models = models
        self.budget = budget
        self._picture, self._before = picture, before
        self._record = record
        self._tell = tell
        self._began_ns = began_ns
        self._last = 0
        self._open: dict[int, _Call] = {}
        self._tokens = TokenCounts(host)
        self._speeds = ReadingSpeeds()
        self._encoder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="picture")

    # ---- for the controllers (engine.control.model_caller)

    def available(self, purpose: calls.Purpose) -> bool:
        return not self.budget.calls_exhausted and self._spec(purpose) is not None

    def sees(self, purpose: calls.Purpose) -> bool:
        spec = self._spec(purpose)
        return spec is not None and spec.sees and self._models().look != "never"

    def picture_size(self, *, before: bool = False) -> tuple[int, int]:
        pixels = self._before() if before else self._picture()
        return size_sent(pixels, self._models().image_px) if pixels is not None else (0, 0)

    def picture_tokens(self, purpose: calls.Purpose) -> int:
        spec = self._spec(purpose)
        return self._tokens.picture(spec) if spec is not None else 0

    @property
    def click_scale(self) -> ClickScale:
        """Return the scale in which the model that sees and plans, or reacts, writes places."""
        specs = [self._spec(purpose) for purpose in (calls.Purpose.PLAN, calls.Purpose.REACT)]
        for spec in specs:
            if spec is not None and spec.sees and spec.click_scale:
                return spec.click_scale
        form = call_form(self._models().calls)
        return form.scale if form is not None else "sent"

    def chooses(self, purpose: calls.Purpose) -> bool:
        models = self._models()
        spec, wanted = self._spec(purpose), models.replies
        if not models.grammar or (purpose is calls.Purpose.REACT and call_form(models.calls) is not None):
            return False
        if spec is None or wanted != "auto":
            return spec is not None and wanted == "choose"
        return spec.kind == "gguf" and (
            (spec.size_bytes < SMALL_BYTES and not spec.only) or not spec.writes_json
        )

    def no_text(self, purpose: calls.Purpose) -> str:
        spec = self._spec(purpose)
        return spec.no_text if spec is not None and purpose in calls.FREE_TEXT else ""

    def model(self, purpose: calls.Purpose) -> str:
        """Return the name of the model that serves a purpose, empty for none."""
        return str(getattr(self._models(), purpose.tier.value))

    def ask(self, ask: CompletionRequest) -> int:
        self._last += 1
        self.budget.calls += 1
        spec, models = self._spec(ask.purpose), self._models()
        call = _Call(
            number=self._last,
            ask=ask,
            spec=spec or ModelSpec(name=self.model(ask.purpose), kind="gguf"),
            asked_ns=now_ns(),
            deadline_ms=call_limits.deadline_ms(models, ask.purpose),
        )
        self._open[call.number] = call
        if spec is None:
            self._fail(call, f"there is no model for the {ask.purpose.tier} tier.")
            return call.number
        pixels = self._picture() if ask.image and spec.sees else None
        earlier = self._before() if ask.before and spec.sees else None
        if earlier is not None:
            call.before = self._encoder.submit(encode_jpeg, earlier, models.image_px)
        if pixels is not None:
            call.picture = self._encoder.submit(encode_jpeg, pixels.copy(), models.image_px)
        else:
            self._send(call)
        return call.number

    def answer(self, call: int) -> CompletionReply | None:
        self.pump()
        open_call = self._open.get(call)
        return open_call.answer if open_call is not None else None

    def settle(
        self,
        call: int,
        outcome: calls.CallOutcome,
        *,
        problem: str = "",
        invalid: Invalid | None = None,
        proposed: int = 0,
        illegal: int = 0,
        step: int = 0,
    ) -> None:
        settled = self._open.pop(call, None)
        if settled is None:
            return
        ask, answer = settled.ask, settled.answer or CompletionReply(call=call, text="", finish="cancelled")
        record = calls.CallRecord(
            call=call,
            step=step or ask.step,
            at_ns=settled.asked_ns - self._began_ns,
            purpose=ask.purpose,
            tier=ask.purpose.tier,
            model=settled.spec.name,
            device=settled.device,
            prompt_hash=ask.prompt.content_hash,
            grammar_hash=hash_of(ask.grammar) if ask.grammar else "",
            image_ref=f"calls/{call:05d}.jpg" if settled.image else "",
            reply=answer.text,
            finish=answer.finish,
            outcome=outcome,
            problem=problem or answer.problem,
            invalid=invalid,
            proposed=proposed,
            illegal=illegal,
            tokens=answer.tokens,
            times=answer.times,
            choice=settled.choice,
            left_out=ask.left_out,
        )
        self._record(SettledCall(record=record, prompt=ask.prompt, grammar=ask.grammar, image=settled.image))
        self._tell(CallEnded(record=record, at_ns=now_ns()), False)

    def cancel(self, call: int) -> None:
        dropped = self._open.get(call)
        if dropped is None:
            return
        if dropped.answer is None and dropped.generation is not None:
            self._host.send(host_requests.Cancel(request_id=call))
        self.settle(call, calls.CallOutcome.CANCELLED)

    def count(self, purpose: calls.Purpose, text: str) -> int:
        return self._tokens.count(self.model(purpose), text)

    def room(self, purpose: calls.Purpose) -> int:
        spec = self._spec(purpose)
        if spec is None or spec.kind == "remote":
            return 0
        reply = _CHOICE_TOKENS if self.chooses(purpose) else call_limits.reply_tokens(self._models(), purpose)
        return max(1, spec.context - reply - self._tokens.picture(spec) - _TEMPLATE_TOKENS)

    def prompt_budget(self, purpose: calls.Purpose) -> int:
        spec, models = self._spec(purpose), self._models()
        if spec is None or spec.kind == "remote" or spec.only or not models.prompt_budget:
            return 0
        return self._speeds.budget(spec, call_limits.read_ms(models, purpose))

    def counted(self, purpose: calls.Purpose, texts: Iterable[str]) -> bool:
        self.pump()
        spec = self._spec(purpose)
        return spec is None or self._tokens.exact(spec, texts)

    # ---- for the engine

    @property
    def open_calls(self) -> int:
        return sum(call.answer is None for call in self._open.values())

    def pump(self) -> None:
        """Take the host's replies, send encoded pictures, give up lost calls. Never waits."""
        for reply in self._host.pump():
            self._take(reply)
        now = now_ns()
        for call in list(self._open.values()):
            if call.answer is not None:
                continue
            if call.generation is None:
                self._send_picture(call)
            elif call.generation != self._host.generation or self._host.fileno() is None:
                self._fail(call, _LOST)
            elif now - call.asked_ns > call.deadline_ms * NS_PER_MS + _GRACE_NS:
                self._host.send(host_requests.Cancel(request_id=call.number))
                self._fail(call, _SILENT)
        self._tokens.give_up_lost()

    def forget_models(self) -> None:
        """Forget failed tokenisers: tier models or the registry changed."""
        self._tokens.forget()

    def close(self) -> None:
        """End with the run: cancel open calls, and settle answered ones as dropped."""
        self.pump()
        for call in list(self._open.values()):
            if call.answer is None:
                self.cancel(call.number)
            else:
                self.settle(call.number, calls.CallOutcome.DROPPED, problem="the run ended.")
        self._encoder.shutdown(wait=False, cancel_futures=True)

    # ---- within

    def _spec(self, purpose: calls.Purpose) -> ModelSpec | None:
        name = self.model(purpose)
        try:
            return self._resolve(name) if name else None
        except PitwallError:
            return None

    def _send_picture(self, call: _Call) -> None:
        if call.picture is None or not call.picture.done():
            return
        pictures = [picture for picture in (call.picture, call.before) if picture is not None]
        error = next(filter(None, (picture.exception() for picture in pictures)), None)
        if error is not None:
            _log.error("a picture for a model could not be made", exc_info=error)
            self._fail(call, f"The picture could not be made: {reason_of(error)}. It is asked again later.")
            return
        call.image, width, height = call.picture.result()
        call.earlier = call.before.result()[0] if call.before is not None else b""
        self._send(call, width, height)

    def _send(self, call: _Call, width: int = 0, height: int = 0) -> None:
        models, purpose = self._models(), call.ask.purpose
        pictures = [*call.ask.earlier, *filter(None, (call.earlier, call.image))]
        options = call.ask.options
        kind = partial(host_requests.Choose, options=options) if options else host_requests.Complete
        request = kind(
            request_id=call.number,
            model=call.spec,
            messages=call.ask.prompt.messages,
            pictures=tuple(map(len, pictures)),
            slot=purpose.tier.value,
            grammar=call.ask.grammar,
            schema=call.ask.schema,
            tools=call.ask.tools,
            must_call=call.ask.must_call,
            max_tokens=call_limits.reply_tokens(models, purpose),
            temperature=call_limits.temperature(models, purpose),
            seed=models.seed,
            deadline_ms=call.deadline_ms,
            priority=call_limits.priority(purpose),
        )
        self._tell(
            CallBegan(
                call=call.number,
                step=call.ask.step,
                purpose=purpose,
                tier=purpose.tier,
                model=call.spec.name,
                prompt=call.ask.prompt,
                grammar=call.ask.grammar,
                image_width=width,
                image_height=height,
                deadline_ms=call.deadline_ms,
                at_ns=call.asked_ns,
            ),
            False,
        )
        if self._host.send(request, b"".join(pictures)):
            call.generation = self._host.generation
        else:
            self._fail(call, "The model host is not running; it is started again soon.")

    def _take(self, reply: host_requests.HostReply) -> None:
        match reply:
            case host_requests.Streamed() if reply.request_id in self._open:
                self._tell(CallStreamed(call=reply.request_id, text=reply.text, tokens=reply.tokens), True)
            case host_requests.Completed() if reply.request_id in self._open:
                self._complete(self._open[reply.request_id], reply)
            case host_requests.Tokenised() | host_requests.HostFault() if self._tokens.take(reply):
                pass
            case host_requests.HostFault() if reply.request_id in self._open:
                self._fail(self._open[reply.request_id], f"{reply.what} {reply.fix}".strip())

    def _complete(self, call: _Call, reply: host_requests.Completed) -> None:
        tokens = calls.CallTokens(
            prompt=reply.prompt_tokens,
            cached=reply.cached_tokens,
            output=reply.output_tokens,
            by_layer=self._tokens.by_layer(call.spec.name, call.ask.prompt, reply),
        )
        times = calls.CallTimes(
            queued_ms=reply.queued_ms,
            load_ms=reply.load_ms,
            first_token_ms=reply.first_token_ms,
            took_ms=ms_between(call.asked_ns, now_ns()),
        )
        self.budget.count_tokens(tokens)
        self._speeds.learn(call.spec, reply)
        call.device, call.choice = reply.device, reply.choice
        problem = "" if reply.finish in ("stop", "length") else "The call was cancelled."
        if reply.finish == "deadline":
            problem = f"The reply was not finished in time ({reply.output_tokens} tokens)."
        call.answer = CompletionReply(
            call=call.number,
            text=reply.text,
            finish=reply.finish,
            problem=problem,
            tokens=tokens,
            times=times,
        )

    def _fail(self, call: _Call, problem: str) -> None:
        times = calls.CallTimes(took_ms=ms_between(call.asked_ns, now_ns()))
        call.answer = CompletionReply(call=call.number, text="", problem=problem, times=times)
