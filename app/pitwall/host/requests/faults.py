"""Turns the failures of a request into answers."""

from __future__ import annotations

import importlib
import traceback

from pitwall.core.errors import PitwallError, reason_of
from pitwall.models.host_requests import HostFault
from pitwall.store.components import absence, component_of


class Cancelled(PitwallError):
    """The asker dropped the request before there was anything to answer."""


class ModelFailed(PitwallError):
    """A library could not load or run a model whose file passed every check."""


class PromptTooLong(PitwallError):
    """A prompt leaves no room for a reply in the model's context."""


class BadGrammar(PitwallError):
    """A grammar does not parse, or the model has no token that continues it."""


class BadPicture(PitwallError):
    """A picture cannot be decoded, does not fit its size, or is larger than a model may be sent."""


class ModelWithoutVision(PitwallError):
    """A picture was sent to a model that sees none."""


class BadInput(PitwallError):
    """An array or a text does not fit the model's input."""


class EndpointFault(PitwallError):
    """An endpoint could not be reached, or refused, or answered something that is no reply."""


class EmptyReply(EndpointFault):
    """An endpoint ended its reply without a text."""


class ThoughtOnly(EmptyReply):
    """A model behind an endpoint thought until its limit of tokens, and did not reply."""


class WrongKind(PitwallError):
    """This kind of model cannot do the task."""


def fault_of(request_id: int, error: Exception) -> HostFault:
    """Return the answer to a request that failed."""
    kind = type(error).__name__
    what, fix = f"the host failed: {kind}: {reason_of(error)}.", ""
    if isinstance(error, PitwallError):
        what, fix = error.what, error.fix
    elif isinstance(error, ImportError):
        what, fix = f"{error.name or 'a library'} is not installed.", "Run installer/run again."
        if lacking := component_of(error.name or ""):
            importlib.invalidate_caches()  # it may come while this process lives
            what, fix = absence(lacking.key)
    elif isinstance(error, MemoryError):
        what, fix = "the host ran out of memory.", "Unload a model, or choose a smaller context."
    text = "".join(traceback.format_exception(error))
    return HostFault(request_id=request_id, what=what, fix=fix, traceback=text, error=kind)
