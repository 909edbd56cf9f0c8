"""A request on its way through the host: waiting, running, stopped, answered."""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Literal

from pitwall.host.requests.faults import Cancelled, fault_of
from pitwall.link.wake_queue import WakeSignal
from pitwall.models.host_requests import Chat, Completed, HostReply, HostRequest, Priority, ReadText, Streamed

Reply = tuple[HostReply, bytes]


class Outbox:
    """Replies on their way. Any thread may put; one thread takes, woken through `fileno`.

    Pieces of a reply that is being written are gathered until they are taken: a slow reader gets
    fewer and longer ones.
    """

    def __init__(self) -> None:
        self._signal = WakeSignal()
        self._lock = threading.Lock()
        self._ready: deque[Reply] = deque()
        self._pieces: dict[int, tuple[list[str], int]] = {}

    def fileno(self) -> int:
        return self._signal.fileno()

    @property
    def has_pieces(self) -> bool:
        return bool(self._pieces)

    def put(self, reply: HostReply, blob: bytes = b"") -> None:
        """Put a reply; the pieces of the same one go before it."""
        with self._lock:
            if reply.request_id in self._pieces:
                self._ready.append((self._gathered(reply.request_id), b""))
            self._ready.append((reply, blob))
            self._signal.set()

    def put_piece(self, request_id: int, text: str, tokens: int) -> None:
        """Put a piece of a reply; `tokens` so far. Only the first one waiting wakes the reader."""
        with self._lock:
            known = self._pieces.get(request_id)
            if known is None:
                self._pieces[request_id] = ([text], tokens)
                self._signal.set()
            else:
                known[0].append(text)
                self._pieces[request_id] = (known[0], tokens)

    def take(self, *, pieces: bool) -> list[Reply]:
        """Take the ready replies, in order; `pieces`: also the gathered parts of replies being written."""
        with self._lock:
            self._signal.clear()
            replies = list(self._ready)
            self._ready.clear()
            if pieces:
                replies += [(self._gathered(number), b"") for number in list(self._pieces)]
            return replies

    def close(self) -> None:
        """Stop waking the reader."""
        with self._lock:
            self._signal.close()

    def _gathered(self, request_id: int) -> Streamed:
        parts, tokens = self._pieces.pop(request_id)
        return Streamed(request_id=request_id, text="".join(parts), tokens=tokens)


Reason = Literal["cancelled", "deadline"]


class Job:
    """One request. It is answered exactly once, by whoever comes first.

    Attributes:
        began: when it was received, seconds of the monotonic clock. started: when a worker took it.
    """

    def __init__(self, request: HostRequest, blob: bytes, outbox: Outbox) -> None:
        self.request = request
        self.blob = blob
        self.began = time.monotonic()
        self.started: float | None = None
        self.stopped_at: float | None = None
        self._most_ms = request.deadline_ms if isinstance(request, Chat) else float("inf")
        self.deadline = self.began + self._most_ms / 1e3
        self._outbox = outbox
        self._lock = threading.Lock()
        self._reason: Reason | None = None
        self._answered = False
        self._closers: list[Callable[[], None]] = []
        self._text: list[str] = []
        self._tokens = 0

    @property
    def priority(self) -> Priority:
        request = self.request
        if isinstance(request, ReadText):
            return Priority.REACTIVE
        return getattr(request, "priority", Priority.STRATEGIC)

    @property
    def answered(self) -> bool:
        return self._answered

    @property
    def stopped(self) -> Reason | None:
        """Return why the job must end now; None while it may go on."""
        if self._reason is None and self.since_began_ms() >= self._most_ms:
            self.stop("deadline")
        return self._reason

    def stop(self, reason: Reason) -> None:
        """Make the job end as soon as possible. The first reason is kept."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            self.stopped_at = time.monotonic()
            closers, self._closers = self._closers, []
        for close in closers:
            close()

    def on_stop(self, close: Callable[[], None]) -> None:
        """Call `close` when the job is stopped (at once if it is already); it must not raise."""
        with self._lock:
            if self._reason is None:
                self._closers.append(close)
                return
        close()

    def since_began_ms(self) -> float:
        return (time.monotonic() - self.began) * 1e3

    @property
    def queued_ms(self) -> float:
        return ((self.started or time.monotonic()) - self.began) * 1e3

    def grow(self, text: str, tokens: int) -> None:
        """Add a piece of the reply; `tokens` are those written so far."""
        with self._lock:
            if self._answered:
                return
            self._text.append(text)
            self._tokens = tokens
            if text and isinstance(self.request, Chat) and self.request.stream:
                self._outbox.put_piece(self.request.request_id, text, tokens)

    def answer(self, reply: HostReply, blob: bytes = b"") -> None:
        """Answer the request, unless it is answered already."""
        with self._lock:
            if self._answered:
                return
            self._answered = True
            self._outbox.put(reply, blob)

    def answer_stopped(self) -> None:
        """Answer a stopped request with the part of its reply that exists."""
        request = self.request
        reason = self._reason or "cancelled"
        if not isinstance(request, Chat):
            self.answer(fault_of(request.request_id, Cancelled("the request was cancelled.")))
            return
        with self._lock:
            text, tokens = "".join(self._text), self._tokens
        self.answer(
            Completed(
                request_id=request.request_id,
                text=text,
                finish=reason,
                prompt_tokens=0,
                cached_tokens=0,
                output_tokens=tokens,
                queued_ms=self.queued_ms,
                took_ms=self.since_began_ms(),
            )
        )


class JobQueue:
    """Jobs that wait for a worker: by priority, then in the order they came."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Job]] = []
        self._order = count()
        self._changed = threading.Condition()
        self._closed = False

    def add(self, job: Job) -> None:
        with self._changed:
            heapq.heappush(self._heap, (job.priority, next(self._order), job))
            self._changed.notify()

    def take(self) -> Job | None:
        """Wait for the next job that still wants an answer, and start it. None once closed."""
        with self._changed:
            while True:
                while self._heap:
                    job = heapq.heappop(self._heap)[2]
                    if self._start(job):
                        return job
                if self._closed:
                    return None
                self._changed.wait()

    def take_above(self, priority: Priority, fits: Callable[[Job], bool]) -> Job | None:
        """Start and return the first job that fits and is more urgent than `priority`. Never waits."""
        if not self._heap or self._heap[0][0] >= priority:
            return None
        with self._changed:
            for entry in sorted(self._heap):
                if entry[0] >= priority:
                    break
                if fits(entry[2]):
                    self._heap.remove(entry)
                    heapq.heapify(self._heap)
                    if self._start(entry[2]):
                        return entry[2]
            return None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._heap.clear()
            self._changed.notify_all()

    @staticmethod
    def _start(job: Job) -> bool:
        if job.answered:
            return False
        job.started = time.monotonic()
        return True
