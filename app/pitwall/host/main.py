"""`pitwall host --channel FD`: answers requests over its channel until the other end is gone.

A request that fails is answered with its traceback; what kills the process (a native library may)
is seen by whoever started it. Models are loaded when they are first asked for.
"""

from __future__ import annotations

import argparse
import logging
import traceback
from functools import cached_property
from typing import TYPE_CHECKING

from pitwall.core.errors import ChannelClosed, PitwallError, ProtocolError
from pitwall.link.channel import CHANNEL_OPTION, Channel, adapter
from pitwall.link.child import inherited
from pitwall.models.requests import HostFault, HostReply, HostRequest, ReadText, TextRead

if TYPE_CHECKING:
    from pitwall.host.ocr import TextRecogniser

_log = logging.getLogger(__name__)


class _Host:
    """Answers requests; loads each model once, when it is first asked for."""

    @cached_property
    def _ocr(self) -> TextRecogniser:
        from pitwall.host.ocr import TextRecogniser

        return TextRecogniser()

    def answer(self, request: HostRequest, blob: bytes) -> TextRead | HostFault:
        """The answer to one request; a failure is an answer too."""
        try:
            if not isinstance(request, ReadText):
                raise PitwallError("this host cannot do that.")
            return self._ocr.read(request, blob)
        except Exception as error:
            what, fix = f"text could not be read: {error}", ""
            if isinstance(error, PitwallError):
                what, fix = error.what, error.fix
            elif isinstance(error, ImportError):
                what, fix = "text recognition is not installed.", "Run installer/run again."
            return HostFault(
                request_id=request.request_id, what=what, fix=fix, traceback=traceback.format_exc()
            )


def main(arguments: list[str]) -> int:
    """Serve until the other end of the channel is gone; returns the exit status."""
    parser = argparse.ArgumentParser(prog="pitwall host", description="Runs models for the engine.")
    parser.add_argument(CHANNEL_OPTION, type=int, required=True, metavar="FD", help="inherited socket")
    options = parser.parse_args(arguments)
    channel: Channel[HostReply, HostRequest] = Channel(
        inherited(options.channel), adapter(HostReply), adapter(HostRequest)
    )
    host = _Host()
    try:
        while True:
            for request, blob in channel.wait(None):
                channel.send(host.answer(request, blob))
    except ChannelClosed:
        return 0
    except ProtocolError as error:
        _log.error("%s", error.what)
        return 1
