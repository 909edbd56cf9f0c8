"""The figures of SPIKE's paper, and how the study's protocol differs from the paper's."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class PaperRow(BaseModel):
    """A row of the paper's tables; None: the table has no such figure.

    Attributes:
        success: Lite-100 SR in per cent. budgeted: the same under the call budget.
        tokens_k: thousand tokens a task. step_s: seconds a step. ratio: recovery over stuck rate.
        strategic_step: strategic calls a step.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    table: str
    success: float
    budgeted: float | None = None
    tokens_k: float | None = None
    step_s: float | None = None
    ratio: float | None = None
    strategic_step: float | None = None


_MAIN, _TRIGGER, _PARTS = "Table 2", "Table 4", "Table 5"


def _main(name: str, *figures: float) -> PaperRow:
    success, budgeted, tokens_k, step_s, ratio = figures
    return PaperRow(
        name=name,
        table=_MAIN,
        success=success,
        budgeted=budgeted,
        tokens_k=tokens_k,
        step_s=step_s,
        ratio=ratio,
    )


def _trigger(name: str, *figures: float) -> PaperRow:
    success, budgeted, tokens_k, strategic_step = figures
    return PaperRow(
        name=name,
        table=_TRIGGER,
        success=success,
        budgeted=budgeted,
        tokens_k=tokens_k,
        strategic_step=strategic_step,
    )


def _part(name: str, *figures: float) -> PaperRow:
    success, tokens_k, step_s, ratio = figures
    return PaperRow(name=name, table=_PARTS, success=success, tokens_k=tokens_k, step_s=step_s, ratio=ratio)


PAPER: dict[str, PaperRow] = {
    "spike": _main("SPIKE (Qwen3.5-397B)", 18.0, 21.6, 168.1, 43.5, 2.75).model_copy(
        update={"strategic_step": 2.273}
    ),
    "react": _main("ReAct-like", 6.7, 9.6, 102.6, 24.5, 1.61),
    "reflexion": _main("Reflexion-like", 8.7, 10.4, 178.5, 35.9, 2.02),
    "voyager": _main("Voyager-like", 7.3, 8.1, 238.3, 56.5, 1.73),
    "cradle": _main("CRADLE", 13.0, 10.7, 372.5, 73.5, 2.49),
    "stardojo": _main("StarDojo", 12.3, 12.3, 295.9, 48.7, 2.37),
    "earlier": _trigger("More strategic", 17.0, 20.4, 163.3, 2.355),
    "later": _trigger("More reactive", 15.4, 19.4, 172.5, 2.189),
    "no-refresh": _trigger("No periodic refresh", 11.6, 13.8, 173.8, 2.024),
    "strategic-global": _part("Single Strategic Controller + Global Memory", 12.7, 286.8, 57.8, 2.18),
    "strategic": _part("Single Strategic Controller + Hierarchical Memory", 16.3, 305.4, 61.1, 2.32),
    "reactive-global": _part("Single Reactive Controller + Global Memory", 6.7, 116.8, 28.8, 1.84),
    "reactive": _part("Single Reactive Controller + Hierarchical Memory", 10.3, 135.4, 33.1, 2.05),
    "global": _part("Dual Controller + Global Memory", 12.3, 154.5, 39.8, 1.98),
    "no-trigger": _part("w/o Event Trigger", 15.7, 198.5, 39.4, 2.01),
    "no-override": _part("w/o reactive override", 15.7, 184.7, 49.4, 1.97),
    "no-bank": _part("w/o SA-MB", 15.0, 160.3, 42.1, 2.10),
    "no-graph": _part("w/o SA-KG", 14.3, 158.9, 40.8, 1.96),
}
"""SPIKE's tables, StarDojo Lite-100: means of three repeated runs."""

DIFFERENCES = (
    "Games: the paper plays StarDojo's Lite-100, 100 tasks; here Pitwall's games and their true state.",
    "Model: the paper's rows are Qwen3.5-397B on two eight-GPU nodes; here the named model on this machine.",
    "State: the paper's agents read screenshots; here fields read from the pixels, and the picture where the "
    "model sees.",
    "Time: the game stands still between actions, but for cradle-unpaused; the paper does not say.",
    "Seconds a step hold the action's own length and the machine's load.",
    "Memory begins empty in each run, in every cell.",
    "Skills written by hand (layer L5) and the games' modules are off in every cell.",
    "Without a plan or an action of the model the agent waits. Such a step is not counted as stuck; the "
    "paper counts an empty action.",
    "Thresholds: the paper's defaults in every game, in the place of the games' own calibration.",
    "A model that only chooses among options, such as the shipped one, reads one fused memory in both tiers.",
    "Enforced evidence, earned control and hints that act without a call are off: the paper has none.",
    "A model that writes no free text, such as the shipped one, is asked for plans and actions alone.",
    "Baselines are built from their papers' descriptions and write one action a call; a Voyager-like skill "
    "is a sequence of actions, no program.",
    "Trigger variants: the paper's refresh intervals and visual thresholds; their stall thresholds, 3 and 6, "
    "are chosen here.",
    "Success: by the tasks' steps alone; the difficulty's budget of calls silences nobody.",
    "Budgeted SR: 120, 200 or 600 calls by the task's difficulty in the place of its steps; a quick study, "
    "or one with --steps, counts the successes within these calls instead.",
)
