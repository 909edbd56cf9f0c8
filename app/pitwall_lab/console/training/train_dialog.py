"""The dialog that orders a training: its source version, reward function and recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from pitwall.console.kit.dialogs import OrderDialog
from pitwall.console.kit.elements import Button, Card, Label, SectionTitle, column, holder, row
from pitwall.console.kit.form.fault_line import keep_room
from pitwall.console.kit.form.fields import Field, declared_field
from pitwall.console.kit.form.form import Form
from pitwall.console.kit.form.inputs import NumberBox
from pitwall.console.kit.language.catalogue import spoken
from pitwall.console.kit.panes import scrolled
from pitwall.core.errors import PitwallError
from pitwall.core.quantities import counted, figure, local_time
from pitwall.games.schema.modules import Recipe
from pitwall.gsm.cloned_space import ClonedSpace
from pitwall.models.container_limits import processors
from pitwall_lab.console.format import version_title
from pitwall_lab.console.training.recipe import EDITOR_PX, MEASURED, recipe_fields, settings
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel
from pitwall_lab.orders import TrainingOrder

_WIDTH, _HEIGHT = 720, 640
_WIDE_PX = 292
_NOISE = "noise of "
"""Prefix of the keys for the noise of fields."""
_SEES = {"": None, "fields": False, "pixels": True}


class TrainDialog(OrderDialog):
    """The train dialog. Signals: ordered(order): a `TrainingOrder`.

    Args:
        version: the version to begin from, if it is learned.
        drafts: version → file of a changed reward function that is not trained yet.
    """

    def __init__(
        self,
        module: ModuleViewModel,
        version: VersionViewModel | None,
        drafts: Mapping[str, Path],
        parent: QWidget | None = None,
    ) -> None:
        title = f"New training of {module.title}"
        note = "It continues when this window is closed."
        super().__init__(title, go="Begin training", note=note, width=_WIDTH, parent=parent)
        self._module, self._drafts = module, dict(drafts)
        self._recipe = Recipe()
        self._scenarios = [scenario.name for scenario in module.game.profile.scenarios]
        self.beginning = _form(_beginning_fields(module))
        self._files: list[Path] = []
        self.recipe = {
            title: _form(self._recipe_fields(title, fields)) for title, fields in recipe_fields().items()
        }
        self.place = _form(_place_fields())
        self._measured = Button("Use it", self.use_measured, name="Take delay and noise as measured")
        self._error = Label("", "error", wrap=True)
        self._error.hide()
        keep_room(self._error)
        self._build()
        if version is not None and version.learned:
            self.beginning.show_values({"source": version.name})
        self._use_source()
        self.beginning.edited.connect(self._beginning_edited)
        for form in self.recipe.values():
            form.edited.connect(lambda _: self._error.hide())
        self.resize(_WIDTH, _HEIGHT)

    # ---- entered values

    @property
    def values(self) -> dict[str, Any]:
        """Return every value of the recipe as entered."""
        numbers: dict[str, Any] = {"scenarios": self.beginning.value("scenarios") if self._scenarios else []}
        noise = {}
        for form in self.recipe.values():
            for key, value in form.values.items():
                if not key.startswith(_NOISE):
                    numbers[key] = value
                elif value > 0:
                    noise[key.removeprefix(_NOISE)] = value
        return {**numbers, "noise": noise}

    def box(self, name: str) -> NumberBox:
        """Return the editor of one number of the recipe."""
        return next(form for form in self.recipe.values() if name in form.fields).number(name)

    @property
    def order(self) -> TrainingOrder | None:
        """Return the training as entered; None, with a message shown, if a value does not fit."""
        faults = [text for form in self.recipe.values() for text in form.faults.values()]
        try:
            changed = settings(self._recipe, self.values)
        except PitwallError as error:
            faults.append(error.what)
        if faults:
            self._error.show_text(faults[0])
            return None
        begun = self.beginning.values
        source, seed = begun["source"], begun["seed"]
        if begun.get("demonstrations"):
            return TrainingOrder(
                source=begun["demonstrations"],
                start_from=source if self._clone(source) else "",
                pixels=_SEES[begun["sees"]],
                seed=seed,
                detach=True,
            )
        if not self._module.tries:
            self._error.show_text("This module has no twin: choose demonstrations to learn from.")
            return None
        place, reward = self.place.values, begun["reward"]
        return TrainingOrder(source=source, reward=reward, seed=seed, changes=changed, detach=True, **place)

    # ---- parts

    def _build(self) -> None:
        file = Button("File…", self._choose_file, name="Take the reward function from a file")
        lines = column(SectionTitle("What is trained", "", file), Card(self.beginning))
        for title, form in self.recipe.items():
            card = Card(form)
            if title == "Screen conditions":
                card.body.addLayout(row(Label(self._measured_words(), "note", wrap=True), self._measured))
            lines.addWidget(SectionTitle(title))
            lines.addWidget(card)
        for widget in (SectionTitle("Where"), Card(self.place)):
            lines.addWidget(widget)
        lines.addStretch(1)
        self.body.addWidget(scrolled(holder(lines), "Settings of the training"))
        self.body.addWidget(self._error)

    def _recipe_fields(self, title: str, fields: list[Field]) -> Iterator[Field]:
        yield from fields
        if title == "Learning":
            yield Field(
                key="algorithm",
                label="Algorithm",
                kind="choice",
                options=(("double_dqn", "Double DQN"), ("ppo", "PPO")),
                help="Double DQN learns from a memory of play, PPO only from the newest play and needs more "
                "of it",
            )
            yield Field(
                key="hidden", label="Hidden layers", kind="list", help="Units of each layer, like 64, 64"
            )
        learned = self._module.declared.learned
        for state in learned.state if title == "Screen conditions" and learned is not None else ():
            if not state.choices:
                yield Field(
                    key=f"{_NOISE}{state.field}",
                    label=f"Noise of {state.field}",
                    kind="number",
                    decimals=2,
                    most=1_000_000,
                    unit=self._module.units.get(state.field, ""),
                    help="Standard deviation of its reading error",
                )

    def _measured_words(self) -> str:
        measured = self._module.measured
        self._measured.setEnabled(measured is not None)
        if measured is None:
            return "Nothing was measured yet: choose Measure delay and noise in the lab's menu"
        delay, frames = figure(measured.reaction_ms.p50, "ms"), counted(measured.frames, "frame")
        return f"On this screen, {local_time(measured.at)}: pixel to key {delay}, the median of {frames}"

    # ---- inside

    def use_measured(self) -> None:
        """Take delay, jitter, late frames and noise from the newest measurement."""
        if self._module.measured is None:
            return
        values = self._module.measured.recipe()
        form = self.recipe["Screen conditions"]
        noise = {f"{_NOISE}{name}": value for name, value in values["noise"].items()}
        wanted = {name: values[name] for name in MEASURED if name in values} | noise
        form.enter({key: value for key, value in wanted.items() if key in form.fields})

    def _clone(self, source: str) -> bool:
        version = self._module.version(source)
        return version is not None and isinstance(version.about.learned, ClonedSpace)

    def _beginning_edited(self, key: str) -> None:
        self._error.hide()
        if key == "source":
            self._use_source()

    def _use_source(self) -> None:
        version = self._module.version(self.beginning.value("source"))
        learned = self._module.declared.learned
        own = learned.training if learned is not None else Recipe()
        self._recipe = version.about.recipe or own if version is not None else own
        self._offer_rewards(version)
        if self._scenarios:
            self.beginning.show_values({"scenarios": list(self._recipe.scenarios)})
        for form in self.recipe.values():
            form.show_values({key: self._value_in_recipe(key) for key in form.fields})
        self.recipe["Learning"].enable("hidden", version is None)
        self.recipe["Learning"].enable("algorithm", version is None)

    def _value_in_recipe(self, key: str) -> Any:
        if key.startswith(_NOISE):
            return self._recipe.noise.get(key.removeprefix(_NOISE), 0.0)
        value = getattr(self._recipe, key)
        return list(value) if key == "hidden" else value

    def _offer_rewards(self, version: VersionViewModel | None) -> None:
        own = f"the one of {version.name}" if version is not None else "the game's own"
        drafts = [(file, f"your change to {name}") for name, file in self._drafts.items()]
        files = [(file, file.name) for file in self._files]
        mine = self._drafts.get(version.name) if version is not None else None
        self.beginning.combo("reward").offer([(None, own), *drafts, *files])
        self.beginning.combo("reward").choose(mine)

    def _choose_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Reward function", "", spoken("Python (*.py);;All files (*)")
        )
        if name:
            self._files.append(Path(name))
            self._offer_rewards(self._module.version(self.beginning.value("source")))
            self.beginning.combo("reward").choose(Path(name))


def _form(fields: Iterator[Field]) -> Form:
    return Form(fields, layout="explained", marks=True)


def _beginning_fields(module: ModuleViewModel) -> Iterator[Field]:
    learned = [version for version in module.versions if version.learned]
    yield declared_field(
        TrainingOrder,
        "source",
        name="The version it begins from",
        kind="choice",
        options=(
            ("", "nothing: a new policy"),
            *((version.name, version_title(version.about)) for version in reversed(learned)),
        ),
        help="Its network continues learning; a new network begins with random weights",
        width=_WIDE_PX,
    )
    yield declared_field(
        TrainingOrder,
        "reward",
        name="The reward function",
        kind="choice",
        help="Rates each decision",
        width=_WIDE_PX,
    )
    if module.demonstrations:
        yield from _cloning_fields(module)
    scenarios = module.game.profile.scenarios
    if scenarios:
        yield Field(
            key="scenarios",
            label="Scenarios",
            kind="flags",
            options=tuple(
                (
                    scenario.name,
                    f"{scenario.name}: {scenario.description}" if scenario.description else scenario.name,
                )
                for scenario in scenarios
            ),
            help="Played in turn; none: the unchanged game",
            width=_WIDE_PX,
        )
    yield declared_field(
        TrainingOrder,
        "seed",
        most=2_000_000_000,
        help="The same seed and values repeat the same training",
        width=EDITOR_PX,
    )


def _cloning_fields(module: ModuleViewModel) -> Iterator[Field]:
    yield Field(
        key="demonstrations",
        label="Demonstrations",
        kind="choice",
        default="" if module.tries else "all",
        options=(
            ("", "none: it learns by trying" if module.tries else "none"),
            ("all", f"all {len(module.demonstrations)} of this game"),
            *((demonstration, demonstration) for demonstration in module.demonstrations),
        ),
        help="Play to clone; the recipe below is ignored, and training takes at most 5 minutes",
        width=_WIDE_PX,
    )
    yield Field(
        key="sees",
        label="Sees",
        kind="choice",
        options=(("", "fields, else pixels"), ("fields", "fields"), ("pixels", "pixels alone")),
        help="What the clone decides from",
        width=_WIDE_PX,
    )


def _place_fields() -> Iterator[Field]:
    cores = processors()
    yield declared_field(
        TrainingOrder,
        "workers",
        most=cores,
        special="in the trainer itself",
        help=f"Extra processes that play · 0 … {cores}",
        width=EDITOR_PX,
    )
    yield declared_field(
        TrainingOrder,
        "ray",
        name="Address of a Ray cluster",
        hint="this machine",
        help="Address of a cluster whose machines play too",
        width=_WIDE_PX,
    )
