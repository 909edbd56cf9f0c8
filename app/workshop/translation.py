"""Finds the texts of the console that a person reads, and holds a language's catalogue against them.

python -m workshop.translation de            # how much is translated, by room
python -m workshop.translation de --missing  # what is not, as lines for the catalogue
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from pitwall.console.kit.format import REASONS
from pitwall.console.kit.language.catalogue import Catalogue, holes, load_catalogue
from pitwall.console.kit.setting_labels import CHOICE_WORDS, SETTING_LABELS
from pitwall.console.new_game.draft_edits import KIND_WORDS
from pitwall.core.memory_kinds import CONTENT_TYPES, fields_of
from pitwall.core.paths import bundled_games_dir, resources_dir
from pitwall.core.signals import WEIGHED
from pitwall.games.drafting.signs import SIGNS
from pitwall.games.drafting.template_slots import slots, title
from pitwall.games.drafting.templates import TEMPLATES
from pitwall_memory_editor.console.format import article
from workshop.error_texts import error_texts

_PACKAGE = Path(__file__).resolve().parents[1] / "pitwall"
_CONSOLE = _PACKAGE / "console"
_PAGES = {
    "evaluate": "pitwall_bench",
    "evaluation": "pitwall_evaluation",
    "exam": "pitwall_exam",
    "lab": "pitwall_lab",
    "memory": "pitwall_memory_editor",
}
"""Room → the package beside the core whose page it is."""
COMPLETE = (
    "shell",
    "live",
    "runs",
    "run_view",
    "replay",
    "inspector",
    "settings",
    "new_game",
    "models",
    "kit",
    "charts",
    "state",
    "demonstrations",
    "evaluate",
    "evaluation",
    "exam",
    "lab",
    "memory",
    "services",
    "jobs",
    "data",
    "errors",
)
"""Rooms of the console that every language has whole."""
_PACKAGES = (
    "pitwall",
    "pitwall_bench",
    "pitwall_environments",
    "pitwall_evaluation",
    "pitwall_exam",
    "pitwall_exchange",
    "pitwall_lab",
)
_JOBS = (
    "pitwall/store/components.py",
    "pitwall/cli/components/installation.py",
    "pitwall/cli/components/pip_process.py",
    "pitwall/core/model_telemetry.py",
    "pitwall/memory/discovery/write_gate.py",
    "pitwall_bench/playing/model_trial.py",
    "pitwall_lab/cli/arguments.py",
    "pitwall_lab/improvement/loop.py",
    "pitwall_lab/modules/promotion_gate.py",
    "pitwall_night/session.py",
    "pitwall_night/watch/sight.py",
)
"""Whose sentences reach a screen as they are: components, jobs, verdicts, and the page for the phone."""
_SETTINGS = ("core/settings.py", "core/keys.py", "core/signals.py")
_LETTERS = re.compile(r"[A-Za-z]{2}")
_NO_TEXT = re.compile(
    "|".join(
        (
            r"^(mdi6\.|--|https?:|#[0-9A-Fa-f]{3})",
            r"^[\w\-./*{}]+\.(png|jpg|svg|qss|toml|json|log|html|csv|md|gguf|onnx|mp4|pitwall)$",
            r"^(Ctrl|Shift|Alt)\+\S*$|^(Numpad)?\{\}( · (Pitwall|Ctrl\+\{\}))?$",
            r"<\w+[ >]|qlineargradient|px;|%\(|: %s|to %s|\w+: left;",
            r"\\[dS]|^ ?-D[A-Z]|^SELECT |^\(\?|^CSV \(|^Value error|^\n?\w+\.\w+  |^Pitwall \{\}, Python",
            r"^-[TN]\w+|^graph\{|^pitwall\.|^noise\.\{|^lerobot$|^Python, ",
            r"^\d+\.\d Hz$|^0+\.0|^00:|^\{\}(px|_\w+)$|^\w+_\{\}$|^(today )?%H:%M$",
            r"^(Inter|Segoe UI|SF \w+|SF Pro Text|Noto Sans|DejaVu Sans( Mono)?)$",
            r"^(JetBrains Mono|Cascadia Mono|Pitwall|Hz)$",
            r"^[\s·]*\{\}×?\{?\}?[ ·]*(px|MiB|GiB|KiB|ms)$|^\{\}  ·  \{\}",
        )
    )
)
"""Strings that are no text: names of icons, files, keys and fonts, styles, patterns, formats."""
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
Badge Label Chip Button PrimaryButton Column SectionTitle EmptyState KeyValue Notification Field
Option counted Command Figure TourStep PageHead SearchField Series Line setText setToolTip
setWindowTitle set_text show_text set_note set_title set_chip say addTab addItem addAction set_label
""",
    )
)
"""Whose arguments are read by a person also where they are one word in small letters."""
_KINDS = frozenset(
    re.findall(
        r"\w+",
        """
swatch bundle flags segment toggle title heading dim note strong section error primary danger quiet link
tile neutral ok stop human strategic_soft text number flag switch choice radio lines code file
folder list segments chip key dark light left right none
""",
    )
)
"""Words that choose how something looks or is asked, and are never shown."""


def texts_of(source: str) -> Iterator[str]:
    """Yield the texts of a module's source that a person may read; parts that are filled in stand as {}."""
    tree = ast.parse(source)
    silent = {id(part) for node in ast.walk(tree) for part in _silent(node)}
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        yield from _named_words(node)
        if isinstance(node, ast.Call) and _called(node) == "counted":
            yield from _counted(node)
        elif isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
            if not _NO_TEXT.search(text) and _is_text(text.replace("{}", ""), phrase=True):
                yield text
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_text(node.value):
            yield node.value
        elif isinstance(node, ast.Call) and _called(node) in _WORDS:
            for part in (*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "key")):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    word = part.value
                    small = word.islower() or (_called(node) == "Badge" and word.isupper())
                    if re.fullmatch(r"[^\W\d_]{3,}", word) and small and word not in _KINDS:
                        yield word


def rooms() -> dict[str, tuple[str, ...]]:
    """Return each folder's texts, each once, in the order of its files, engine prompts and logs included."""
    result: dict[str, dict[str, None]] = {}
    for file in sorted(_CONSOLE.rglob("*.py")):
        room = file.relative_to(_CONSOLE).parts[0]
        if "language" not in file.parts:
            result.setdefault(room, {}).update(dict.fromkeys(texts_of(file.read_text(encoding="utf-8"))))
    folders = {room: _PACKAGE.parent / package / "console" for room, package in _PAGES.items()}
    for room, folder in (folders | {"engine": _PACKAGE / "engine"}).items():
        for file in sorted(folder.rglob("*.py")):
            result.setdefault(room, {}).update(dict.fromkeys(texts_of(file.read_text(encoding="utf-8"))))
    for name in _SETTINGS:
        source = (_PACKAGE / name).read_text(encoding="utf-8")
        result["settings"].update(dict.fromkeys(_descriptions(source)))
    for name in _JOBS:
        source = (_PACKAGE.parent / name).read_text(encoding="utf-8")
        result.setdefault("jobs", {}).update(dict.fromkeys(texts_of(source)))
    result["data"] = dict.fromkeys(_data_texts())
    sources = [file for package in _PACKAGES for file in sorted((_PACKAGE.parent / package).rglob("*.py"))]
    for text, files in error_texts(sources).items():
        commands = all("cli" in file.parts and not str(file).endswith(_JOBS) for file in files)
        result.setdefault("errors of commands" if commands else "errors", {})[text] = None
    result["live"].update(dict.fromkeys(_signal_texts()))
    result["memory"].update(dict.fromkeys(_memory_texts()))
    result["settings"].update(dict.fromkeys((*SETTING_LABELS.values(), *CHOICE_WORDS.values())))
    forms = [
        words
        for template in TEMPLATES.values()
        for words in (title(template), *(slot.words for slot in slots(template)))
    ]
    result["new_game"].update(dict.fromkeys((*SIGNS.values(), *KIND_WORDS.values(), *forms)))
    return {room: tuple(texts) for room, texts in result.items()}


def _signal_texts() -> Iterator[str]:
    for signal in WEIGHED.values():
        yield from filter(None, (signal.title, signal.meaning, signal.term, signal.unit_behind))
        yield re.sub(r"{.*?}", "{}", signal.why)
    yield from REASONS.values()


def _data_texts() -> Iterator[str]:
    """Yield the texts that come with Pitwall as data: suites, units of games, the phone's page."""
    for suite in sorted((resources_dir() / "suites").glob("*.yaml")):
        yield from re.findall(r"^description: (.*)$", suite.read_text(encoding="utf-8"), re.MULTILINE)
    for manifest in sorted(bundled_games_dir().glob("*/plugin.toml")):
        units = re.findall(r'^unit = "(\w{3,}(?: \w+)*)"', manifest.read_text(encoding="utf-8"), re.MULTILINE)
        yield from (f"{{}} {unit}" for unit in units)
    page = (resources_dir() / "watch" / "index.html").read_text(encoding="utf-8")
    yield from re.findall(r"\{\{(.*?)\}\}", page)


def _memory_texts() -> Iterator[str]:
    """Yield the texts that the declarations of the memory's kinds give to tables and forms."""
    for kind, model in CONTENT_TYPES.items():
        noun = model.facts.noun
        an = f"{article(noun)} {noun}"
        yield from (model.facts.title, model.facts.purpose, f"Add {an}", f"Added {an}.", f"new {noun}")
        for field in fields_of(kind).values():
            about = field.about
            headings = [about.cell.heading] if about.cell is not None else []
            yield from filter(None, (about.label, about.hint, about.help, *headings))


def faults_of(catalogue: Catalogue) -> list[str]:
    """Return a sentence for each translation whose placeholders are others than its text's."""
    return [
        f"{text!r} → {output!r}: placeholders differ"
        for text, output in catalogue.texts.items()
        if sorted(holes(output)) != sorted(holes(text))
    ]


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts that nobody reads: docstrings, bare strings, f-string parts, keys, names."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield from node.values
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                yield part.format_spec
                yield from ast.walk(part.format_spec)
    elif isinstance(node, ast.Call) and _called(node) in (
        "setObjectName",
        "setProperty",
        "property",
        "getLogger",
    ):
        yield from node.args
    elif isinstance(node, ast.Raise):
        yield from ast.walk(node)


def _named_words(node: ast.AST) -> Iterator[str]:
    """Yield the words in small letters that a table of names gives: `REASONS: dict[Reason, str] = {…}`."""
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Dict):
        return
    if re.fullmatch(r"(dict|Mapping)\[[A-Z]\w+, str\]", ast.unparse(node.annotation)):
        words = [str(part.value) for part in node.value.values if isinstance(part, ast.Constant)]
        yield from (word for word in words if re.fullmatch(r"[a-z]{3,}", word))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _counted(node: ast.Call) -> Iterator[str]:
    words = [str(part.value) for part in node.args[1:] if isinstance(part, ast.Constant) and part.value]
    if words:
        item = words[0]
        yield f"{{}} {item}"
        yield f"{{}} {words[1] if len(words) > 1 else f'{item}s'}"


def _is_text(text: str, *, phrase: bool = False) -> bool:
    if not _LETTERS.search(text) or _NO_TEXT.search(text):
        return False
    if " " in text.strip() or phrase:
        return True
    return bool(re.match(r"^[^\w]*[A-Z][a-z]+[^\w]*$", text))


def _descriptions(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings") and ast.get_docstring(node):
            yield str(ast.get_docstring(node))
        if isinstance(node, ast.Call) and _called(node) in ("Field", "bounded_number"):
            for part in (
                *node.args,
                *(keyword.value for keyword in node.keywords if keyword.arg == "description"),
            ):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                    yield part.value


def main() -> int:
    """Say how much of the console a language has."""
    catalogue = load_catalogue(sys.argv[1])
    done = total = 0
    for room, texts in rooms().items():
        missing = [text for text in texts if text not in catalogue.texts]
        done, total = done + len(texts) - len(missing), total + len(texts)
        if "--missing" in sys.argv:
            print(f"# {room}", *(f'{_quoted(text)} = ""' for text in missing), sep="\n")  # noqa: T201
        else:
            print(f"{room:16s} {len(texts) - len(missing):5d} of {len(texts):5d}")  # noqa: T201
    print(f"# all: {done} of {total} texts, {100 * done / max(1, total):.0f} %")  # noqa: T201
    return 0


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
