"""GameWorld's figures as rows, and how the study's protocol differs from the paper's."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class PaperAgent(BaseModel):
    """A row of GameWorld's tables; None: the table has no such figure.

    Attributes:
        success, progress: overall SR and PG in per cent. genres: (SR, PG) by genre.
        invalid, no_call, outside: IAR, NTC and OOS in per cent; 0.05 stands for "below 0.1".
    """

    model_config = ConfigDict(frozen=True)

    name: str
    table: str
    success: float | None = None
    progress: float
    genres: dict[str, tuple[float, float]] = {}
    step_s: float | None = None
    input_tokens: float | None = None
    invalid: float | None = None
    no_call: float | None = None
    outside: float | None = None


_COLUMNS = ("arcade", "platformer", "puzzle", "runner", "simulation")


def _main(name: str, *figures: float, iar: tuple[float, float, float] | None = None) -> PaperAgent:
    pairs = list(zip(figures[::2], figures[1::2], strict=True))
    invalid, no_call, outside = iar or (None, None, None)
    return PaperAgent(
        name=name,
        table="Table 6",
        success=pairs[-1][0],
        progress=pairs[-1][1],
        genres=dict(zip(_COLUMNS, pairs, strict=False)),
        invalid=invalid,
        no_call=no_call,
        outside=outside,
    )


PEOPLE = (
    _main("novice player", 45.7, 55.5, 60.0, 65.6, 51.4, 63.1, 60.0, 72.0, 60.0, 62.0, 55.3, 64.1),
    _main("expert player", 65.7, 73.9, 85.0, 88.0, 68.6, 77.1, 82.5, 87.8, 85.0, 86.0, 77.1, 82.6),
)
"""Two post-graduate students: one knew neither games nor tasks, one had studied the rules and practised."""
AGENTS = {
    "semantic": (
        _main(
            *(
                "Gemini-3-Flash-Preview",
                5.7,
                26.3,
                25.0,
                41.2,
                25.7,
                54.8,
                32.5,
                55.4,
                10.0,
                21.1,
                21.2,
                41.9,
            ),
            iar=(0.0, 0.0, 0.0),
        ),
        _main(
            *("Qwen3-VL-30B-A3B", 2.9, 20.3, 20.0, 36.5, 2.9, 26.1, 27.5, 51.1, 0.0, 3.5, 12.4, 30.6),
            iar=(2.7, 2.7, 0.05),
        ),
    ),
    "computer-use": (
        _main(
            *("Seed-1.8", 8.6, 31.1, 25.0, 40.3, 25.7, 52.0, 27.5, 50.6, 5.0, 11.0, 20.0, 39.8),
            iar=(0.0, 0.0, 0.0),
        ),
        _main(
            *("UI-TARS-1.5-7B", 5.7, 31.4, 15.0, 24.4, 5.7, 29.9, 27.5, 52.4, 0.0, 3.8, 12.4, 31.1),
            iar=(0.4, 0.05, 0.4),
        ),
    ),
}
"""The best and the smallest agent of each interface."""
REAL_TIME = {
    "semantic": PaperAgent(name="Qwen3-VL-30B-A3B", table="Table 8", success=15.6, progress=32.9, step_s=3.4),
    "computer-use": PaperAgent(
        name="Qwen3-VL-30B-A3B", table="Table 8", success=15.6, progress=33.0, step_s=2.4
    ),
}


def _rounds(progress: float, step_s: float, tokens: float) -> PaperAgent:
    return PaperAgent(
        name="Qwen3-VL-235B-A22B", table="Table 9", progress=progress, step_s=step_s, input_tokens=tokens
    )


ROUNDS = {
    ("semantic", 0): _rounds(30.0, 5.5, 1278),
    ("semantic", 1): _rounds(30.1, 6.8, 2171),
    ("semantic", 2): _rounds(30.6, 8.6, 3052),
    ("computer-use", 0): _rounds(30.3, 7.2, 1891),
    ("computer-use", 1): _rounds(29.0, 10.1, 3771),
    ("computer-use", 2): _rounds(28.7, 12.8, 5627),
}

DIFFERENCES = (
    "Games: the paper plays 34 browser games with 170 tasks; here Pitwall's own games and their true state.",
    "Model: the paper's rows are hosted models; here the named model, through this machine or its endpoint.",
    "Picture: the paper's agents see screenshots alone; a model without vision gets the fields that Pitwall "
    "reads from the pixels, in words.",
    "Rounds: an earlier round holds picture or words, the action and its effect, which the paper does not "
    "tell the model.",
    "Invalid actions: the paper counts a call that cannot be read as no tool call; here it has a column of "
    "its own.",
    "One call of a reply counts, the first; the paper demands exactly one.",
    "Failure modes: the paper's authors judged cases by eye; here rules over the log label each failed run.",
    "Tasks for two are in no table: a paused game can be held for one side alone.",
    "People: two students in the paper; a person's row here is whoever played with --person, in real time.",
)
