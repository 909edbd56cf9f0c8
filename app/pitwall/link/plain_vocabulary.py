"""Vocabularies of plain dataclasses, written and read without pydantic: for small processes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pitwall.core.errors import ProtocolError, UnsendableMessage

Reading = Callable[[Any], Any]
"""Makes a value of what JSON holds; raises ValueError or TypeError where it does not fit."""
_TAG = "kind"


class PlainVocabulary:
    """Writes and reads the messages of a union of dataclasses, told apart by their `kind`.

    Fields hold texts, numbers, truth values, literals, enumerations, tuples, and dataclasses of these.
    """

    def __init__(self, union: Any) -> None:
        self._union = union

    def encode(self, message: Any) -> bytes:
        """Return a message as JSON in UTF-8; raises UnsendableMessage where it has no JSON form."""
        try:
            text = json.dumps(dataclasses.asdict(message), ensure_ascii=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise UnsendableMessage(f"a message has no JSON form: {error}.") from error
        try:
            return text.encode()
        except UnicodeEncodeError:  # a text with half of a UTF-16 pair
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()

    def decode(self, body: bytes) -> Any:
        """Return the message of a JSON text; raises ProtocolError where it is none of the vocabulary."""
        try:
            return _reading(self._union)(json.loads(body))
        except (ValueError, TypeError, RecursionError) as error:
            raise ProtocolError(f"no message of this version: {error}.") from error


@cache
def _reading(kind: Any) -> Reading:
    """Return the reading of a type's values."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return lambda value: _among(arguments, value)
    if origin in (Union, UnionType):
        return _union_reading(arguments)
    if origin is tuple:
        return _tuple_reading(arguments)
    if dataclasses.is_dataclass(kind):
        return _record_reading(kind)
    if issubclass(kind, Enum):
        return lambda value: kind(value)
    taken = (int, float) if kind is float else (kind,)
    return lambda value: _of_type(taken, value)


def _among(choices: tuple[Any, ...], value: Any) -> Any:
    if value not in choices:
        raise ValueError(f"{value!r} is none of {choices}")
    return value


def _of_type(taken: tuple[type, ...], value: Any) -> Any:
    if type(value) not in taken:  # a truth value is no whole number
        raise ValueError(f"{value!r} is no {taken[0].__name__}")
    return value


def _tuple_reading(arguments: tuple[Any, ...]) -> Reading:
    item = _reading(arguments[0])
    if arguments[1:] != (...,):
        raise TypeError("tuples of a vocabulary have items of a single type")

    def read(value: Any) -> tuple[Any, ...]:
        return tuple(map(item, _of_type((list,), value)))

    return read


def _union_reading(options: tuple[Any, ...]) -> Reading:
    """Return the reading of a value that may be missing, or of messages told apart by their tag."""
    given = [option for option in options if option is not NoneType]
    if len(given) == 1:
        only = _reading(given[0])
        return lambda value: None if value is None else only(value)
    by_tag = {get_args(get_type_hints(option)[_TAG])[0]: option for option in given}

    def read(value: Any) -> Any:
        tag = _of_type((dict,), value).get(_TAG)
        return _reading(by_tag[_among(tuple(by_tag), tag)])(value)

    return read


def _record_reading(kind: Any) -> Reading:
    hints = get_type_hints(kind)
    fields = {field.name: _reading(hints[field.name]) for field in dataclasses.fields(kind)}

    def read(value: Any) -> Any:
        unknown = _of_type((dict,), value).keys() - fields.keys()
        if unknown:
            raise ValueError(f"no such field: {', '.join(sorted(unknown))}")
        return kind(**{name: fields[name](part) for name, part in value.items()})

    return read
