"""`pitwall watch` refuses to open a play to a network without the operator's own token and certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.pitwall_night.watch.served_page import TOKEN, certificate

from pitwall.core.errors import PitwallError
from pitwall_night.watch.cli import TOKEN_VARIABLE, watch


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"address": "0.0.0.0"}, "needs a token and a certificate"),
        ({"address": "0.0.0.0", "token_file": "token"}, "needs a token and a certificate"),
        ({"address": "0.0.0.0", "certificate": "certificate.pem", "key": "key.pem"}, "needs a token"),
        ({"token_file": "short"}, "at least 16"),
        ({"token_file": "missing"}, "cannot be read"),
        ({"certificate": "token"}, "cannot be used"),
        ({"certificate": "certificate.pem", "key": "short"}, "cannot be used"),
        ({"address": "my-machine"}, "no IP address"),
    ],
)
def test_what_is_not_safe_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], words: str
) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    certificate(tmp_path)
    (tmp_path / "token").write_text(TOKEN)
    (tmp_path / "short").write_text("secret")
    files = {name: tmp_path / value for name, value in given.items() if name != "address"}
    with pytest.raises(PitwallError) as refused:
        watch(serve=True, data=tmp_path / "data", **given | files)
    assert words in refused.value.what
    assert TOKEN not in str(refused.value) and "secret" not in str(refused.value)


def test_without_a_play_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watch(data=tmp_path)
    assert "Nothing is played at the moment." in capsys.readouterr().out
