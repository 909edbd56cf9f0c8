"""A shadow agent: it decides beside a person who plays, sends nothing, and is compared with the person.

The agent is a whole player, with its controllers, its timing and its holds. Only the broker is missing: the
agent gets a receipt for every press, and sees what the person's presses bring.
"""

from __future__ import annotations

from dataclasses import replace

from pitwall.core.actions import InputEvent, SentEvent
from pitwall.core.clock import NS_PER_S, now_ns
from pitwall.core.injection import PersonActed, Receipt
from pitwall.core.observations import GameStatus
from pitwall.core.telemetry import CallBegan, CallEnded, CallStreamed, ShadowNote
from pitwall.engine.decision.controllers import ControllerResources
from pitwall.engine.loop.player import Player
from pitwall.engine.recording.demonstration_recorder import RecentFrames
from pitwall.engine.recording.operator_reports import RunOutlets, ignore
from pitwall.engine.session.game_session import GameSession
from pitwall.engine.session.moments import StepReference
from pitwall.gsm.agreement import PressComparison

_REPORT_EVERY_NS = NS_PER_S // 2
_PICTURES_S = 2.0
_SHOWN = (CallBegan, CallStreamed, CallEnded)


class Shadow:
    """Plays one run beside a person without sending anything.

    Args:
        resources: as for the same agent when it plays; nothing is recorded or learned from it here.

    Raises:
        PitwallError: the chosen agent cannot play this game.
    """

    def __init__(self, session: GameSession, resources: ControllerResources, out: RunOutlets) -> None:
        self._session = session
        self._out = out
        self._comparison = PressComparison()
        self._frames = RecentFrames(seconds=_PICTURES_S)
        self._reference = StepReference()
        self._batch = 0
        self._receipts: list[Receipt] = []
        self._reported_ns = self._reported_until_ns = 0
        shown = resources.tell
        self._player = Player(
            session,
            session.settings.with_value("control", "protocol", "real-time"),  # it never holds the game still
            replace(
                resources,
                record=ignore,
                on_recall=ignore,
                tell=lambda record, lossy: shown(record, lossy) if isinstance(record, _SHOWN) else None,
                dry=True,
            ),
            RunOutlets(),  # nobody acts: there are no steps, events or lessons
            inject=self._press,
        )

    @property
    def held(self) -> tuple[str, ...]:
        """Return the keys that the agent would hold now."""
        return self._comparison.agent.held

    def turn(self, *, fresh: bool) -> None:
        """Let the agent decide on what is seen, and compare; only in play, not in a menu."""
        if self._session.status is not GameStatus.PLAYING:
            self.rest()
            return
        seen = self._session.seen
        if fresh and seen is not None:
            self._frames.add(seen)
        before = self._session.exchange_reference(self._reference)
        try:
            self._player.turn(fresh=fresh)
        finally:
            self._reference = self._session.exchange_reference(before)
        self._answer()
        now = now_ns()
        self._comparison.advance(now)
        if now - self._reported_ns >= _REPORT_EVERY_NS:
            self._report(now)

    def rest(self) -> None:
        """Release everything and compare nothing while nobody plays. Harmless twice."""
        self._player.rest()
        self._answer()
        self._comparison.rest(now_ns())

    def next_due_ns(self) -> int | None:
        """Return when the agent has something to do without a new frame."""
        return self._player.next_due_ns()

    def person_acted(self, deed: PersonActed) -> None:
        """Take a press of the person, at its own time."""
        self._comparison.press(self._comparison.person, deed.event, deed.at_ns, size=self._size)

    def close(self) -> None:
        """End the agent, and report the agreement of the whole run."""
        self.rest()
        self._player.close()
        self._report(now_ns())
        self._out.on_event("note", f"The agent beside you {self._comparison.agreement().text()}")

    @property
    def _size(self) -> tuple[int, int]:
        seen = self._session.seen
        return (seen.frame.width, seen.frame.height) if seen is not None else (1, 1)

    def _press(self, events: tuple[InputEvent, ...], observed_ns: int) -> int:  # noqa: ARG002
        """Note a press in the broker's place; the receipt comes at the end of the turn."""
        now = now_ns()
        for event in events:
            self._comparison.press(self._comparison.agent, event, now, size=self._size)
        self._batch += 1
        sent = tuple(SentEvent(event=event, sent_ns=now) for event in events)
        self._receipts.append(Receipt(batch=self._batch, events=sent))
        return self._batch

    def _answer(self) -> None:
        receipts, self._receipts = self._receipts, []
        for receipt in receipts:
            self._player.receipt(receipt)

    def _report(self, now: int) -> None:
        comparison = self._comparison
        moments = comparison.moments_since(self._reported_until_ns, self._frames.jpeg_at)
        self._reported_ns = now
        self._reported_until_ns = moments[-1].until_ns if moments else self._reported_until_ns
        self._out.tell(
            ShadowNote(
                at_ns=now,
                agreement=comparison.agreement(),
                person=comparison.person.held,
                agent=comparison.agent.held,
                presses=(*comparison.person.shown, *comparison.agent.shown),
                moments=moments,
            )
        )
