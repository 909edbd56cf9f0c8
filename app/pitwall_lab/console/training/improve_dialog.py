"""The dialog that orders an improve loop: who proposes, how many iterations, where versions are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.fields import Field, Option
from pitwall.console.kit.form.form import Form
from pitwall_lab.console.view_model import ITERATIONS, ModuleViewModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveOrder:
    """Attributes:
    by: who proposes. iterations: at most so many. screen: compare on the screen too.
    only_propose: stop at the first checked proposal, which then waits for the operator.
    """

    by: Literal["model", "operator", "rules"]
    iterations: int = ITERATIONS
    screen: bool = False
    only_propose: bool = False

    @property
    def arguments(self) -> list[str]:
        """The options of `pitwall gsm improve`."""
        words = ["--by", self.by, "--iterations", str(self.iterations)]
        words += ["--screen"] if self.screen else []
        return words + (["--only-propose"] if self.only_propose else [])


class ImproveDialog(OrderDialog):
    """The improve dialog. Signals: ordered(order): an `ImproveOrder`.

    Args:
        model: the evolution tier's model; empty for none. draft: whether the operator wrote a change.
    """

    def __init__(
        self, module: ModuleViewModel, *, model: str, draft: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(
            f"Improve {module.title}",
            "Each iteration analyses the last version, changes one thing, checks and trains the result, "
            "and compares both on held-out seeds. A version that is not better is rolled back.",
            go="Begin",
            name="Begin to improve",
            width=520,
            parent=parent,
        )
        done = max((version.about.iteration for version in module.versions), default=0)
        worse = f"More than {ITERATIONS} make a module worse."
        by = "operator" if draft else "model" if model else "rules"
        proposers = _proposers(model, draft)
        self.form = Form(
            [
                Field(key="by", label="", name="Who proposes", kind="radio", options=proposers, default=by),
                Field(
                    key="iterations",
                    label="Iterations at most",
                    kind="number",
                    default=ITERATIONS,
                    least=1,
                    most=ITERATIONS,
                    help=f"{done} of {ITERATIONS} are done. {worse}" if done else worse,
                ),
                Field(
                    key="screen",
                    label="Compare on the screen as well",
                    kind="flag",
                    help="The game is played in real time, on a virtual screen of its own",
                ),
                Field(
                    key="only_propose",
                    label="Show me the proposal before it is trained",
                    kind="flag",
                    help="It then appears among the versions, to accept or to reject",
                ),
            ],
            layout="above",
        )
        self.body.addWidget(self.form)

    @property
    def order(self) -> ImproveOrder:
        """Return the loop as entered in the dialog."""
        return ImproveOrder(**self.form.values)


def _proposers(model: str, draft: bool) -> tuple[Option, ...]:
    no_model = "" if model else "The evolution tier has no model: choose one on the Models page."
    no_draft = "" if draft else "Edit the reward or the rules first."
    return (
        Option("model", "A model proposes", f"{model}, of the evolution tier", no_model),
        Option("operator", "Your change", "The change that you wrote in the editor", no_draft),
        Option("rules", "Fixed rules propose", "From the analysis alone; needs no model"),
    )
