"""Writes modules and versions for the operator: signs with words, scores with units. No Qt."""

from __future__ import annotations

from typing import Any, Literal

from pitwall.console.kit.format import Badge
from pitwall.core.quantities import counted, duration_text, figure, interval_text, left, number
from pitwall.games.schema.invention import InventedModule
from pitwall.games.schema.modules import Module
from pitwall.gsm.version_record import Score, VersionRecord, VersionStatus
from pitwall.gsm.versions import RULES, SHIPPED
from pitwall_lab.console.view_model import ModuleViewModel, TrainingProgress, VersionViewModel

ScorePlace = Literal["twin", "screen"]
PLACES: dict[ScorePlace, str] = {"twin": "on the twin", "screen": "on the screen"}
NO_SCORE = "not scored"


STANDINGS: dict[VersionStatus, Badge] = {
    VersionStatus.PROPOSED: Badge("◇", "proposed", "reflex"),
    VersionStatus.TRAINING: Badge("◐", "training", "reflex"),
    VersionStatus.TRAINED: Badge("○", "trained"),
    VersionStatus.KEPT: Badge("✓", "kept", "ok"),
    VersionStatus.ROLLED_BACK: Badge("✕", "rolled back"),
    VersionStatus.FAILED: Badge("!", "failed", "stop"),
}
_STAGES = {
    "starting": Badge("…", "starting", "reflex"),
    "running": Badge("◐", "training", "reflex"),
    "paused": Badge("▮▮", "paused", "reflex"),
    "stopped": Badge("■", "stopped"),
    "failed": Badge("!", "failed", "stop"),
    "died": Badge("!", "interrupted", "stop"),
}
_DRIVES = {
    "rules": Badge("○", "rules", "ok"),
    "learned": Badge("●", "learned", "ok"),
    "nothing": Badge("–", "nothing yet"),
}


def module_sign(module: ModuleViewModel) -> Badge:
    """Choose the sign of a module: what drives it, or that it is being trained."""
    training = module.training
    if training is not None:
        paused = training.progress is not None and training.progress.stage == "paused"
        return _STAGES["paused"] if paused else _STAGES["running"]
    if at_rest(module.declared):
        return Badge("–", "at rest")
    if module.drives_by == "nothing" and module.faults:
        return Badge("!", "damaged", "stop")
    return _DRIVES[module.drives_by]


def invented_words(module: Module) -> str:
    """Write "invented by the operator"; empty for a module that its game declares."""
    return f"invented by {module.author}" if isinstance(module, InventedModule) else ""


def at_rest(module: Module) -> str:
    """Return why an invented module is inactive; empty if it is active or not invented."""
    return module.at_rest if isinstance(module, InventedModule) else ""


def module_words(module: ModuleViewModel) -> str:
    """Name what drives a module, and whether it was invented: "rules · invented"."""
    word = module_sign(module).word
    return f"{word} · invented" if invented_words(module.declared) else word


def version_sign(version: VersionViewModel) -> Badge:
    """Choose the sign of a version's progress."""
    if version.progress is not None and version.progress.stage in _STAGES:
        ended = version.about.standing in (VersionStatus.KEPT, VersionStatus.ROLLED_BACK)
        if version.live or not ended:
            return _STAGES[version.progress.stage]
    if version.name == RULES:
        return Badge("○", "rules")
    if version.name == SHIPPED:
        return Badge("○", "shipped")
    return STANDINGS[version.about.standing]


def version_title(about: VersionRecord) -> str:
    """Write a version's title: "v2 · gap centre term"."""
    return f"{about.version} · {about.title}" if about.title else about.version


def half_width(score: Score) -> float:
    """Return half of the 95 % interval."""
    return (score.high - score.low) / 2


def score_words(score: Score | None, *, unit: bool = True) -> str:
    """Write a score: "151 ± 12 pipes"; for a score without a unit, how many runs were won."""
    if score is None:
        return NO_SCORE
    if not score.unit:
        return f"{score.wins} of {score.runs} won"
    text = f"{number(score.mean)} ± {number(half_width(score))}"
    return f"{text} {score.unit}" if unit else text


def score_sentence(score: Score) -> str:
    """Describe one evaluation completely."""
    delay = f", delay {figure(score.delay_ms, 'ms')}" if score.delay_ms is not None else ""
    mean = f"mean {number(score.mean)} {score.unit}".rstrip()
    return (
        f"{score.trial} {PLACES[score.where]}: {mean} (95 %: {number(score.low)} … {number(score.high)}), "
        f"{score.wins} of {counted(score.runs, 'run')} won "
        f"({interval_text(score.win_low, score.win_high)}){delay}"
    )


def progress_words(progress: TrainingProgress) -> tuple[str, str]:
    """Write a training's progress: "212,400 of 300,000 steps" and "6:12 min left"."""
    done = f"{progress.step:,} of {progress.steps:,} steps" if progress.steps else f"{progress.step:,} steps"
    if progress.stage == "paused":
        return done, "paused"
    if progress.stage == "starting":
        return done, "starting …"
    if progress.wish != "run":
        return done, "pausing …" if progress.wish == "pause" else "stopping …"
    return done, left(progress.left_s) if progress.left_s is not None else ""


def trouble(version: VersionViewModel) -> tuple[str, str]:
    """Describe the fault of a version's training and its remedy; both empty without a fault."""
    progress = version.progress
    if progress is None or progress.stage not in ("died", "failed"):
        return "", ""
    why = progress.why or version.about.note
    if progress.stage == "failed":
        return f"The training of {version.name} failed: {why or 'it did not say why.'}", _AGAIN
    at = f" at step {progress.step:,}" if progress.step else ""
    return f"The training of {version.name} was interrupted{at}: its process is gone.", _AGAIN


_AGAIN = "Resume resumes from its last checkpoint."


def origin(about: VersionRecord) -> str:
    """Write in one line who made a version, from what, and how it was trained."""
    makers = {"project": "the project", "operator": "you", "model": "a model", "rules": "the rules"}
    parts = [f"by {makers[about.by]}"]
    if about.parent and about.version not in (RULES, SHIPPED):
        parts.append(f"from {about.parent}")
    if about.steps:
        parts.append(f"{about.steps:,} steps")
    if about.wall_s:
        parts.append(f"trained {duration_text(about.wall_s)}")
    if about.rate is not None:
        parts.append(about.rate.words)
    elif about.kind == "policy":
        parts.append(f"seed {about.seed}")
    return " · ".join(parts)


def rules_text(module: Module | None) -> str:
    """Write rules as lines, so that a changed threshold differs in one line."""
    if module is None:
        return ""
    lines = [f"ends when {module.ends}"]
    for place, rule in enumerate(module.rules, 1):
        lines.append(f"{place}  {rule.when}")
        lines.append(f"   → {rule.action}, cooldown {rule.cooldown_ms} ms")
    return "\n".join(lines) + "\n"


def improvement_sentence(answer: Any) -> str:
    """Describe the end of an improve loop: its last attempt and the verdict."""
    attempts = answer.get("attempts") if isinstance(answer, dict) else None
    if not attempts:
        return answer_sentence(answer)
    last = attempts[-1]
    return f"{last['version']} is {last['standing']}. {last.get('note') or ''} {answer_sentence(answer)}"


def answer_sentence(answer: Any) -> str:
    """Return the sentence of a command's answer; "Done." if it has none."""
    if isinstance(answer, dict):
        for name in ("sentence", "text", "said"):
            if isinstance(answer.get(name), str) and answer[name]:
                return str(answer[name])
        sentences = answer.get("sentences")
        if isinstance(sentences, list) and sentences:
            return " ".join(str(sentence) for sentence in sentences)
    return "Done."
