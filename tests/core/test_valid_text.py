"""Text from outside becomes valid Unicode."""

from __future__ import annotations

import pytest

from pitwall.core.bounded_reading import TextPieces, foreign_json, valid_text, valid_values


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("", ""),
        ("plain", "plain"),
        ("Grüße 😀", "Grüße 😀"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d", "a\ufffd"),
        ("\udc00b", "\ufffdb"),
        ("\ud83d\ud83d\ude00", "\ufffd😀"),
        ("name\udcff.txt", "name\ufffd.txt"),
    ],
)
def test_half_a_pair_becomes_a_replacement_and_a_pair_its_character(text: str, valid: str) -> None:
    assert valid_text(text) == valid
    assert valid_values({text: [text, 1, None, (text,)]}) == {valid: [valid, 1, None, [valid]]}


def test_a_pair_split_over_pieces_becomes_its_character() -> None:
    pieces = TextPieces()
    assert [pieces.take(piece) for piece in ("a\ud83d", "\ude00b", "", "\ud83d", "c")] == [
        "a",
        "😀b",
        "",
        "",
        "\ufffdc",
    ]
    assert (pieces.take("d\ud83d"), pieces.rest(), pieces.rest()) == ("d", "\ufffd", "")


def test_foreign_json_may_have_a_bom_halves_and_bytes_that_are_no_utf_8() -> None:
    assert foreign_json(b'\xef\xbb\xbf{"a": "\\ud83d \xff"}') == {"a": "\ufffd \ufffd"}
