"""No display, a dead one, Wayland: each said, with what to do."""

from __future__ import annotations

import sys

import pytest

from pitwall.core.errors import DisplayError
from pitwall.desktops.here import this_desktop


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    if sys.platform == "win32":
        pytest.skip("Windows names no display: its desktop is there")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.mark.usefixtures("no_session")
def test_no_display() -> None:
    with pytest.raises(DisplayError, match="DISPLAY is not set") as caught:
        this_desktop().check()
    assert "xvfb-run" in caught.value.fix
    assert this_desktop().notes() == []


def test_a_display_that_is_not_there(no_session: pytest.MonkeyPatch) -> None:
    no_session.setenv("DISPLAY", ":9876")
    with pytest.raises(DisplayError, match="':9876' cannot be reached") as caught:
        this_desktop().check()
    assert caught.value.fix


@pytest.mark.parametrize(
    ("name", "value"), [("XDG_SESSION_TYPE", "wayland"), ("WAYLAND_DISPLAY", "wayland-0")]
)
def test_wayland_without_x(no_session: pytest.MonkeyPatch, name: str, value: str) -> None:
    no_session.setenv(name, value)
    with pytest.raises(DisplayError, match="Wayland") as caught:
        this_desktop().check()
    assert "X11" in caught.value.fix


@pytest.mark.screen
def test_a_real_x_server_is_fine_even_inside_a_wayland_session(
    screen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    monkeypatch.delenv("XDG_SESSION_TYPE", raising=False)
    this_desktop().check()
    assert this_desktop().notes() == []
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    this_desktop().check()
    assert this_desktop().notes() == [], "Xvfb is no XWayland"
