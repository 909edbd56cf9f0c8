"""`pitwall host --channel FD`: answers requests over its channel until the other end is gone.

The main thread owns the channel: it reads, sorts, watches deadlines and sends; lanes do the work. A failed
request is answered with its traceback. A crash of the process (a native library can cause one) is noticed by
the process that started it. Models are loaded on first use.
"""

from __future__ import annotations

import argparse
import logging
import os
import select
import time
from collections.abc import Sequence
from pathlib import Path

from pitwall.core.errors import ChannelClosed, ProtocolError, UnsendableMessage
from pitwall.core.paths import DataFolder
from pitwall.host.requests.faults import fault_of
from pitwall.host.requests.job import Job, Outbox
from pitwall.host.scheduler import Scheduler
from pitwall.link.channel import CHANNEL_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.vocabulary import Vocabulary
from pitwall.models.host_requests import Cancel, HostReply, HostRequest

_log = logging.getLogger(__name__)

_PIECES_EVERY_S = 0.02
"""Pieces of a reply that come sooner after one another go out together."""
_GRACE_S = 0.3
"""Time after which a stopped request is answered even if its worker is silent (it loads a model)."""
_ENDING_S = 0.5
_LONGEST_SLEEP_S = 60.0


class Host:
    """Takes requests from a channel, and sends the lanes' replies."""

    def __init__(self, channel: Channel[HostReply, HostRequest], models_dir: Path | None = None) -> None:
        self._channel = channel
        self._outbox = Outbox()
        self._lanes = Scheduler(self._outbox, models_dir)
        self._jobs: dict[int, Job] = {}
        self._pieces_at = 0.0

    def serve(self) -> None:
        """Answer until the other end is gone.

        Raises:
            ChannelClosed, ProtocolError: as of `Channel.receive`.
        """
        while True:
            channel = self._channel.fileno()
            writers = [channel] if self._channel.wants_write else []
            _, writable, _ = select.select([channel, self._outbox.fileno()], writers, [], self._idle_s())
            if writable:
                self._channel.flush()
            for request, blob in self._channel.receive():
                self._take(request, blob)
            self._watch()
            self._send()

    def close(self) -> bool:
        """Stop everything; whether every worker ended."""
        for job in self._jobs.values():
            job.stop("cancelled")
        return self._lanes.close(_ENDING_S)

    def _idle_s(self) -> float:
        now = time.monotonic()
        due = now + _LONGEST_SLEEP_S
        if self._outbox.has_pieces and not self._channel.wants_write:
            due = self._pieces_at + _PIECES_EVERY_S
        for job in self._jobs.values():
            due = min(due, job.deadline if job.stopped_at is None else job.stopped_at + _GRACE_S)
        return max(0.0, due - now)

    def _take(self, request: HostRequest, blob: bytes) -> None:
        if isinstance(request, Cancel):
            if (known := self._jobs.get(request.request_id)) is not None:
                known.stop("cancelled")
            return
        job = Job(request, blob, self._outbox)
        self._jobs[request.request_id] = job
        self._lanes.add(job)

    def _watch(self) -> None:
        """Answer requests that were stopped while they waited, or whose worker cannot answer any more."""
        now = time.monotonic()
        for job in list(self._jobs.values()):
            if job.stopped is None or job.stopped_at is None:
                continue
            if job.started is None or now >= job.stopped_at + _GRACE_S:
                job.answer_stopped()
        self._jobs = {number: job for number, job in self._jobs.items() if not job.answered}

    def _send(self) -> None:
        """Send queued replies. A slow reader gets the pieces of a reply later, and merged."""
        now = time.monotonic()
        pieces = not self._channel.wants_write and now >= self._pieces_at + _PIECES_EVERY_S
        if pieces and self._outbox.has_pieces:
            self._pieces_at = now
        for reply, blob in self._outbox.take(pieces=pieces):
            try:
                self._channel.send(reply, blob)
            except UnsendableMessage as error:
                self._channel.send(fault_of(reply.request_id, error))


def main(arguments: Sequence[str]) -> int:
    """Serve until the other end of the channel is gone; returns the exit status."""
    parser = argparse.ArgumentParser(prog="pitwall host", description="Runs models for the engine.")
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument(CHANNEL_OPTION, type=int, metavar="FD", help="inherited socket")
    task.add_argument(
        "--probe", type=Path, metavar="FILE", help="load a GGUF file, evaluate a few tokens, and end"
    )
    parser.add_argument("--projector", type=Path, metavar="FILE", help="probe this with it instead")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="data folder, where verdicts are kept")
    options = parser.parse_args(arguments)
    if options.probe is not None:
        from pitwall.host.backends.gguf.load_probe import evaluate_once

        return evaluate_once(options.probe, options.projector)
    models_dir = None if options.data is None else DataFolder(options.data).models
    channel: Channel[HostReply, HostRequest] = Channel(
        inherited(options.channel), Vocabulary(HostReply), Vocabulary(HostRequest)
    )
    host = Host(channel, models_dir)
    status = 0
    try:
        host.serve()
    except ChannelClosed:
        pass
    except ProtocolError as error:
        _log.error("%s", error.what)
        status = 1
    if not host.close():
        os._exit(status)  # a library computes on: the interpreter must not be taken down under it
    return status
