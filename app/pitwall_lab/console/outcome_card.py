"""The end of a training: that it is finished, what came of it, and what to do next."""

from __future__ import annotations

from PySide6.QtCore import Signal

from pitwall.console.kit.elements import Button, Card, KeyValue, Label, PrimaryButton, row
from pitwall.console.kit.theme import GAP, STEP
from pitwall_lab.console.format import PLACES, ScorePlace, score_words
from pitwall_lab.console.head import why_not_promotable
from pitwall_lab.console.view_model import ModuleViewModel, VersionViewModel
from pitwall_lab.modules.hyper_parameters import TrainingOutcome, training_outcome

_TITLES = {"finished": "✓ The training of {} is finished", "stopped": "■ The training of {} was stopped"}


class OutcomeCard(Card):
    """Shown once the chosen version's training has ended.

    Signals:
        evaluate_wanted(). promote_wanted().
    """

    evaluate_wanted = Signal()
    promote_wanted = Signal()

    def __init__(self) -> None:
        self._title = Label("", "strong")
        self._lines = {name: KeyValue(name) for name in ("Learned from", "Best test while training", "Score")}
        self.evaluate = Button("Evaluate", name="Evaluate the finished version")
        self.promote = PrimaryButton("Let it play", name="Promote the finished version")
        head = row(self._title, None, self.evaluate, self.promote, gap=GAP)
        super().__init__(gap=STEP)
        self.body.addLayout(head)
        for line in self._lines.values():
            self.body.addWidget(line)
        self.evaluate.clicked.connect(lambda *_: self.evaluate_wanted.emit())
        self.promote.clicked.connect(lambda *_: self.promote_wanted.emit())
        self.hide()

    def show_version(self, module: ModuleViewModel | None, version: VersionViewModel | None) -> None:
        """Show what the training of a version came to; hidden while it goes on, or without one."""
        outcome = _outcome(module, version)
        self.setVisible(outcome is not None)
        if outcome is None or module is None or version is None:
            return
        self._title.set_text(_TITLES[outcome.state].format(version.name))
        places: tuple[ScorePlace, ...] = ("twin", "screen")
        scores = [
            f"{score_words(score)} · {PLACES[place]}"
            for place in places
            if (score := version.about.score(place)) is not None
        ]
        texts = (outcome.learned, outcome.best, " · ".join(scores) or "not evaluated yet")
        for line, text in zip(self._lines.values(), texts, strict=True):
            line.set_value(text)
            line.setVisible(bool(text))
        unjudged = bool(module.declared.trials) and not scores
        self.evaluate.setVisible(unjudged)
        self.promote.setVisible(not unjudged and not why_not_promotable(version))


def _outcome(module: ModuleViewModel | None, version: VersionViewModel | None) -> TrainingOutcome | None:
    if module is None or version is None or version.live or version.log is None:
        return None
    trial = next(iter(module.declared.trials), None)
    outcome = training_outcome(version.about, version.log, unit=trial.unit if trial is not None else "")
    return outcome if outcome is not None and outcome.state in _TITLES else None
