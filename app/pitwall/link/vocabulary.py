"""Vocabularies of channels whose messages hold pydantic's models: pydantic writes and validates them."""

from __future__ import annotations

import contextlib
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from pitwall.core.bounded_reading import valid_values
from pitwall.core.errors import ProtocolError, UnsendableMessage
from pitwall.core.validation import first_fault

_CONFIG = ConfigDict(defer_build=True, ser_json_inf_nan="constants")


class Vocabulary:
    """Writes and reads the messages of a union (core.commands.Command, core.telemetry.Telemetry, …)."""

    def __init__(self, union: Any) -> None:
        self._adapter: TypeAdapter[Any] = TypeAdapter(union, config=_CONFIG)

    def encode(self, message: Any) -> bytes:
        """Return a message as JSON in UTF-8; raises UnsendableMessage where it has no JSON form."""
        with contextlib.suppress(PydanticSerializationError):
            return self._adapter.dump_json(message)
        try:  # a text with half of a UTF-16 pair
            values = valid_values(self._adapter.dump_python(message, mode="json"))
            return to_json(values, inf_nan_mode="constants")
        except PydanticSerializationError as error:
            raise UnsendableMessage(f"a message has no JSON form: {error}.") from error

    def decode(self, body: bytes) -> Any:
        """Return the message of a JSON text; raises ProtocolError where it is none of the vocabulary."""
        try:
            return self._adapter.validate_json(body)
        except ValidationError as error:
            raise ProtocolError(f"no message of this version: {': '.join(first_fault(error))}.") from error
