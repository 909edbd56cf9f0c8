"""Key names: aliases, chords, and near matches."""

from __future__ import annotations

import pytest

from pitwall.core.keys import KEYS, canonical_key, parse_chord


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("left", "ArrowLeft"),
        ("ARROWLEFT", "ArrowLeft"),
        ("Ctrl", "Control"),
        ("w", "w"),
        ("W", "w"),
        ("KeyW", "w"),
        ("Digit5", "5"),
        (" ", "Space"),
        ("esc", "Escape"),
        ("f12", "F12"),
    ],
)
def test_canonical(name: str, canonical: str) -> None:
    assert canonical_key(name) == canonical


def test_canonical_names_are_their_own() -> None:
    assert all(canonical_key(name) == name for name in KEYS)


def test_unknown_key_names_the_nearest() -> None:
    with pytest.raises(KeyError, match="did you mean 'Escape'"):
        canonical_key("escpe")


def test_chords() -> None:
    assert parse_chord("ctrl+shift+o") == (frozenset({"Control", "Shift"}), "o")
    with pytest.raises(KeyError, match="no modifier"):
        parse_chord("a+b")
