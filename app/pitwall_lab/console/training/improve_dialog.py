"""The dialog that orders an improve loop: who proposes, how many iterations, where versions are compared."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.form.fields import Option, declared_field
from pitwall.console.kit.form.form import Form
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel
from pitwall_lab.orders import MOST_ITERATIONS, ImproveOrder
from pitwall_lab.trials.default_trial import has_twin


class ImproveDialog(OrderDialog):
    """The improve dialog. Signals: ordered(order): an `ImproveOrder`.

    Args:
        model: the evolution tier's model; empty for none. draft: whether the operator wrote a change.
    """

    def __init__(
        self,
        module: ModuleViewModel,
        version: VersionViewModel | None,
        *,
        model: str,
        draft: bool,
        parent: QWidget | None = None,
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
        began = (version.about.loop or version.name) if version is not None else module.driving
        done = sum(tried.about.loop == began for tried in module.versions)
        worse = f"More than {MOST_ITERATIONS} make a module worse."
        self.form = Form(
            [
                declared_field(
                    ImproveOrder,
                    "by",
                    label="",
                    name="Who proposes",
                    kind="radio",
                    options=_proposers(model, draft),
                    default="operator" if draft else "model" if model else "rules",
                ),
                declared_field(
                    ImproveOrder,
                    "iterations",
                    help=f"{done} of {MOST_ITERATIONS} are done. {worse}" if done else worse,
                ),
                declared_field(
                    ImproveOrder,
                    "screen",
                    kind="flag",
                    help="The game is played in real time, on a virtual screen of its own",
                )
                if has_twin(module.declared)
                else declared_field(
                    ImproveOrder,
                    "screen_runs",
                    help="It has no twin, so both versions are played in real time, on a virtual screen",
                ),
                declared_field(
                    ImproveOrder,
                    "only_propose",
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
