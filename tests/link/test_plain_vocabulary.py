"""Messages of plain dataclasses: all of them arrive, in pydantic's form, and damage is refused."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pitwall.core import injection
from pitwall.core.errors import ProtocolError, UnsendableMessage
from pitwall.core.input_settings import BrokerSettings, HotkeySettings
from pitwall.link.plain_vocabulary import PlainVocabulary

_MESSAGES = [*get_args(injection.ToBroker), *get_args(injection.FromBroker)]
_UNIONS: Any = {
    kind: union for union in (injection.ToBroker, injection.FromBroker) for kind in get_args(union)
}
_LIMITS = st.builds(
    injection.InputLimits,
    **{name: st.integers(*bounds) for name, bounds in injection.HARD_LIMITS.items()},
)
st.register_type_strategy(injection.InputLimits, _LIMITS)


@pytest.mark.parametrize("kind", _MESSAGES)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_each_message_arrives_as_pydantic_would_write_and_read_it(kind: Any, data: st.DataObject) -> None:
    message = data.draw(st.from_type(kind))
    vocabulary, theirs = PlainVocabulary(_UNIONS[kind]), TypeAdapter(kind)
    body = vocabulary.encode(message)
    assert vocabulary.decode(body) == message
    assert theirs.validate_json(body) == message
    assert vocabulary.decode(theirs.dump_json(message)) == message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"kind": ["rearm"]}',
        b'{"kind": "rearm", "seen": "3"}',
        b'{"kind": "rearm", "seen": true}',
        b'{"kind": "rearm", "later": 1}',
        b'{"kind": "inject", "batch": 1}',
        b'{"kind": "inject", "batch": 1, "events": {}}',
        b'{"kind": "inject", "batch": 1, "events": [{"kind": "jump"}]}',
        b'{"kind": "latch", "cause": "boredom"}',
        b'{"kind": "heartbeat", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_damage_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        PlainVocabulary(injection.ToBroker).decode(body)


@pytest.mark.parametrize("name", injection.HARD_LIMITS)
def test_no_order_passes_the_hard_limits(name: str) -> None:
    vocabulary = PlainVocabulary(injection.ToBroker)
    order = injection.Configure(limits=injection.InputLimits(), hotkeys=injection.HotkeyChords())
    for beyond in (injection.HARD_LIMITS[name][0] - 1, injection.HARD_LIMITS[name][1] + 1):
        body = json.loads(vocabulary.encode(order))
        body["limits"][name] = beyond
        with pytest.raises(ProtocolError, match=name):
            vocabulary.decode(json.dumps(body).encode())


def test_half_a_pair_becomes_a_sign_and_a_value_without_a_form_is_refused() -> None:
    vocabulary = PlainVocabulary(injection.FromBroker)
    read = vocabulary.decode(vocabulary.encode(injection.BrokerFault(what="a \ud83d\ude00 b \ud83d")))
    assert read == injection.BrokerFault(what="a 😀 b \ufffd")
    with pytest.raises(UnsendableMessage):
        vocabulary.encode(injection.BrokerFault(what=b"bytes"))  # type: ignore[arg-type]


def test_settings_and_brokers_agree_on_defaults() -> None:
    assert BrokerSettings().as_limits() == injection.InputLimits()
    assert HotkeySettings().as_chords() == injection.HotkeyChords()
