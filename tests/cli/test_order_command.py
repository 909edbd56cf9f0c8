"""One model of an order is its command's options, its command line, its form and its JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
import typer
from typer.testing import CliRunner

from pitwall.cli.order_command import order_command
from pitwall.console.kit.form.fields import declared_field
from pitwall.core.errors import PitwallError
from pitwall.link.orders import Order, order_field


class _Order(Order):
    module: str = order_field(..., "The module.", argument=True, metavar="GAME/MODULE")
    seed: int = order_field(0, "Seed of the training.", label="Seed", ge=0, le=9)
    source: str = order_field("", "Version to begin from.", "--from", "--source")
    by: Literal["model", "rules"] = order_field("rules", "Who proposes.")
    run: tuple[int, ...] = order_field((), "Only this run. Repeatable.")
    screen: bool = order_field(False, "Compare on the screen.", "--screen")
    find: bool = order_field(True, "Find things.")
    pixels: bool | None = order_field(None, "Which picture it sees.", "--pixels/--fields")
    share: float = order_field(0.5, "Share of the frames.", gt=0)
    out: Path | None = order_field(None, "Folder to write.")


_SEEN: list[tuple[_Order, bool]] = []


@order_command
def _train(order: _Order, json: bool = False) -> None:
    """Train a module."""
    _SEEN.append((order, json))


def _run(*words: str) -> _Order:
    app = typer.Typer()
    app.command("train")(_train)
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return _SEEN[-1][0]


_FULL = _Order(
    module="flappy/fly",
    seed=3,
    source="v1",
    by="model",
    run=(4, 5),
    screen=True,
    find=False,
    pixels=False,
    share=0.25,
    out=Path("there"),
)


def test_a_command_line_of_an_order_makes_the_same_order_again() -> None:
    assert _run(*_FULL.words()) == _FULL
    assert _run("flappy/fly") == _Order(module="flappy/fly")


def test_parts_with_their_default_are_left_out_of_the_command_line() -> None:
    assert _Order(module="flappy/fly", seed=2).words() == ["flappy/fly", "--seed", "2"]
    assert _FULL.words()[1:] == [
        *("--seed", "3", "--from", "v1", "--by", "model", "--run", "4", "--run", "5"),
        *("--screen", "--no-find", "--fields", "--share", "0.25", "--out", "there"),
    ]


def test_an_option_has_its_names_help_and_bounds_and_other_parameters_stay() -> None:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(_train)
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "110"}).output
    for text in (
        "GAME/MODULE",
        "--from, --source",
        "0<=x<=9",
        "Seed of the training.",
        "--json",
        "model|rules",
    ):
        assert text in shown
    assert "--no-screen" not in shown
    assert CliRunner().invoke(app, ["flappy/fly", "--seed", "10"]).exit_code == 2
    assert _run("flappy/fly", "--json") == _Order(module="flappy/fly")
    assert _SEEN[-1][1] is True


def test_a_value_that_only_the_model_refuses_names_its_option() -> None:
    with pytest.raises(PitwallError, match="--share"):
        _run("flappy/fly", "--share", "0")


def test_an_order_survives_its_json() -> None:
    assert _Order.model_validate_json(_FULL.model_dump_json()) == _FULL


def test_a_form_asks_for_the_label_and_explains_by_the_help() -> None:
    field = declared_field(_Order, "seed")
    assert (field.label, field.help, field.kind) == ("Seed", "Seed of the training.", "number")
    assert (field.least, field.most, field.default) == (0, 9, 0)
