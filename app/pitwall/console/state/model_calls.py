"""The newest model calls, as they are asked, written and settled. No Qt.

Pieces of a reply are lossy and may come late; the record of an ended call has the whole and is the
last word. A call that the end of its run or its engine cut off says so and never looks open.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pitwall.console.state.histories import DroppedAnswer, ThoughtHistory
from pitwall.core.calls import CallOutcome, CallRecord, Purpose, Tier
from pitwall.core.clock import NS_PER_MS, NS_PER_S
from pitwall.core.prompts import Prompt
from pitwall.core.signals import Route
from pitwall.core.telemetry import CallBegan, CallEnded, CallStreamed, ProposalNote

MOST_CALLS = 50
MOST_REPLY = 65_536
"""Characters of a streamed reply that are kept: its end."""
MOST_DROPS = 500
GAP = "…"
"""Marks lost pieces in a streamed reply."""
_ONE_DROP_NS = 500 * NS_PER_MS
"""A dropped plan and its dropped reply within this time are one mark."""


@dataclass(slots=True, kw_only=True)
class Call:
    """Holds one call, live or recorded.

    Attributes:
        prompt: None where it is not known or was not kept.
        image_width, image_height: size of the picture sent; 0 for none, or where it is not known.
        began_ns, first_ns, ended_ns: monotonic times of request, first piece and end; 0: not yet known.
        reply: the text written so far, then the record's. tokens: written so far.
        record: the settled call; None while it is open.
        cut: why it will never be settled; empty for a call that is or may be.
    """

    number: int
    step: int
    purpose: Purpose
    tier: Tier
    model: str
    prompt: Prompt | None = None
    grammar: str = ""
    image_width: int = 0
    image_height: int = 0
    deadline_ms: int = 0
    began_ns: int = 0
    first_ns: int = 0
    ended_ns: int = 0
    reply: str = ""
    tokens: int = 0
    record: CallRecord | None = None
    cut: str = ""

    @classmethod
    def recorded(cls, record: CallRecord, prompt: Prompt | None = None, grammar: str = "") -> Call:
        """Make a call from its record in the run log."""
        call = cls(
            number=record.call,
            step=record.step,
            purpose=record.purpose,
            tier=record.tier,
            model=record.model,
            prompt=prompt,
            grammar=grammar,
        )
        call.settle(record, 0)
        return call

    def settle(self, record: CallRecord, at_ns: int) -> None:
        """Return the ended call with its record."""
        self.record = record
        self.reply, self.tokens = record.reply, record.tokens.output
        self.model = record.model or self.model
        self.ended_ns = at_ns
        self.cut = ""

    @property
    def open(self) -> bool:
        """Return whether an answer may still come."""
        return self.record is None and not self.cut

    @property
    def outcome(self) -> CallOutcome | None:
        return self.record.outcome if self.record is not None else None

    @property
    def sent_picture(self) -> bool:
        asked = self.prompt is not None and any(message.image for message in self.prompt.messages)
        return bool(asked or self.image_width or (self.record is not None and self.record.image_ref))

    def seconds(self, now_ns: int) -> float:
        """Return the seconds it has taken, or took."""
        if self.record is not None:
            return self.record.times.took_ms / 1000
        return max(0.0, ((self.ended_ns or now_ns) - self.began_ns) / NS_PER_S)

    def tokens_per_s(self, now_ns: int) -> float | None:
        """Return the writing speed from the first token on; None where it is not known."""
        if self.record is not None:
            times = self.record.times
            writing_s = (times.took_ms - (times.first_token_ms or 0.0)) / 1000
            known = times.first_token_ms is not None
        else:
            writing_s = ((self.ended_ns or now_ns) - self.first_ns) / NS_PER_S
            known = self.first_ns > 0
        return self.tokens / writing_s if known and self.tokens > 1 and writing_s > 0.01 else None


class Calls:
    """The newest calls of one run, oldest first."""

    def __init__(self) -> None:
        self._calls: OrderedDict[int, Call] = OrderedDict()
        self.forgotten_step = 0
        """Newest step whose calls are not all kept any more; 0 while all are."""

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls.values())

    def __len__(self) -> int:
        return len(self._calls)

    def began(self, record: CallBegan, now_ns: int) -> None:
        """Add a call. A known number replaces its call, because another engine counts from 1 again."""
        self._calls.pop(record.call, None)
        self._keep(
            Call(
                number=record.call,
                step=record.step,
                purpose=record.purpose,
                tier=record.tier,
                model=record.model,
                prompt=record.prompt,
                grammar=record.grammar,
                image_width=record.image_width,
                image_height=record.image_height,
                deadline_ms=record.deadline_ms,
                began_ns=record.at_ns or now_ns,
            )
        )

    def streamed(self, record: CallStreamed, now_ns: int) -> bool:
        """Append a piece of a reply; return False where the call is not open or the piece is late."""
        call = self._calls.get(record.call)
        if call is None or not call.open or record.tokens <= call.tokens:
            return False
        if record.tokens - call.tokens > max(
            1, len(record.text)
        ):  # fewer letters than tokens: pieces were lost
            call.reply += GAP
        call.reply = (call.reply + record.text)[-MOST_REPLY:]
        call.tokens = record.tokens
        call.first_ns = call.first_ns or now_ns
        return True

    def ended(self, record: CallEnded, now_ns: int) -> Call:
        """Settle a call, also one whose beginning was missed."""
        call_record = record.record
        call = self._calls.get(call_record.call)
        if call is None or call.record is not None:
            self._calls.pop(call_record.call, None)
            call = Call.recorded(call_record)
            self._keep(call)
        call.settle(call_record, record.at_ns or now_ns)
        return call

    def cut_off(self, why: str, now_ns: int) -> None:
        """Close every open call: the run or the engine has ended."""
        for call in self._calls.values():
            if call.open:
                call.cut, call.ended_ns = why, now_ns

    # ---- asked by the widgets

    def of_step(self, step: int) -> tuple[Call, ...]:
        """Return the calls made for a step, in the order they were asked."""
        return tuple(call for call in self._calls.values() if call.step == step)

    def steps(self) -> tuple[int, ...]:
        """Return the steps with calls, ascending."""
        return tuple(sorted({call.step for call in self._calls.values()}))

    def newest(self, *, fast: bool = False) -> Call | None:
        """Return the newest strategic call, or the newest of the reactive controller."""
        for call in reversed(self._calls.values()):
            if (call.tier is Tier.FAST) == fast:
                return call
        return None

    def chain(self) -> tuple[Call, ...]:
        """Return all calls that were made for the step of the newest strategic thought."""
        newest = self.newest()
        if newest is None:
            return ()
        return tuple(call for call in self.of_step(newest.step) if call.tier is not Tier.FAST)

    @property
    def waiting(self) -> bool:
        """Return whether any call is open."""
        return any(call.open for call in self._calls.values())

    def _keep(self, call: Call) -> None:
        self._calls[call.number] = call
        while len(self._calls) > MOST_CALLS:
            _, forgotten = self._calls.popitem(last=False)
            self.forgotten_step = max(self.forgotten_step, forgotten.step)


class Thinking:
    """The controllers' thinking: the plan in force, the open thought, calls, late answers.

    Attributes:
        plan: the note of the plan in force. plan_step: last step when it was made.
        asked: the note since which the strategic controller is thinking.
        dropped: the newest plan that came too late, until the next one is in force.
        thoughts, drops: for the lanes.
    """

    def __init__(self) -> None:
        self.thoughts = ThoughtHistory()
        self.drops: deque[DroppedAnswer] = deque(maxlen=MOST_DROPS)
        self.calls = Calls()
        self.plan: ProposalNote | None = None
        self.plan_step = 0
        self.asked: ProposalNote | None = None
        self.dropped: ProposalNote | None = None

    def proposal(self, record: ProposalNote, now_ns: int, step: int) -> None:
        """Note that the strategic controller thinks, has planned or was late, or that its plan ended.

        Args:
            step: the newest step.
        """
        at_ns = record.at_ns or now_ns
        if record.state == "thinking":
            self.asked = record
            self.thoughts.begin(at_ns)
            return
        if record.state == "named":
            if self.plan is not None:
                self.plan = replace(self.plan, proposal=record.proposal)
            return
        self.rest(at_ns)
        if record.state == "planned" and record.proposal is not None:
            self.plan, self.plan_step, self.dropped = record, step, None
        elif record.state == "dropped":
            self.dropped = record
            self._drop(at_ns, Route.STRATEGIC, "a plan")
        elif record.state == "ended":
            self.plan = None

    def ended(self, record: CallEnded, now_ns: int) -> None:
        """Settle a call; a late answer is marked on its controller's lane."""
        call = self.calls.ended(record, now_ns)
        if call.outcome is CallOutcome.DROPPED:
            route = Route.REACTIVE if call.tier is Tier.FAST else Route.STRATEGIC
            self._drop(call.ended_ns, route, f"{call.purpose.value}, call {call.number}")

    def rest(self, at_ns: int) -> None:
        """End the thought that is going on: no plan is awaited any more."""
        self.asked = None
        self.thoughts.end(at_ns)

    def cut_off(self, why: str, at_ns: int) -> None:
        """Close every open call and thought: the run or the engine has ended."""
        self.rest(at_ns)
        self.calls.cut_off(why, at_ns)

    def _drop(self, at_ns: int, route: Route, cause: str) -> None:
        near = any(drop.route is route and abs(at_ns - drop.at_ns) < _ONE_DROP_NS for drop in self.drops)
        if not near:
            self.drops.append(DroppedAnswer(at_ns, route, cause))


def timing_parts(call: Call, now_ns: int = 0) -> tuple[tuple[str, float], ...]:
    """Split a call's time: (queued, loading, reading the prompt, writing), milliseconds each.

    Of an open call only reading and writing are known: the host reports the rest at the end.
    """
    if call.record is None:
        whole = call.seconds(now_ns) * 1000
        reading = (call.first_ns - call.began_ns) / NS_PER_MS if call.first_ns else whole
        parts = (0.0, 0.0, reading, whole - reading)
    else:
        times = call.record.times
        before = times.queued_ms + times.load_ms
        first = times.first_token_ms if times.first_token_ms is not None else times.took_ms
        parts = (times.queued_ms, times.load_ms, first - before, times.took_ms - max(first, before))
    names = ("queued", "loading", "reading", "writing")
    return tuple((name, max(0.0, ms)) for name, ms in zip(names, parts, strict=True))
