"""A skill with both actions and a module, or neither, is refused by every way into the memory alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pitwall.cli.main import main
from pitwall.core.memories import ImportMemory, Provenance, PutEntry
from pitwall.core.memory_kinds import SkillMemory
from pitwall.core.paths import DataFolder
from pitwall.memory.prompt.skills import UnusableSkill, as_profile_skill
from pitwall.memory.store import AgentWrite, MemoryStore
from pitwall_memory_editor.game_rules import Rules, check

_OPERATOR = Provenance(author="operator", source="test")
_BOTH = SkillMemory(name="go", when="x > 1", subgoal="away", actions=("left",), module="fly")
_NEITHER = SkillMemory(name="go", when="x > 1", subgoal="away")


@pytest.mark.parametrize(("skill", "which"), [(_BOTH, "given"), (_NEITHER, "missing")])
def test_page_command_import_store_and_agent_say_the_same(
    skill: SkillMemory,
    which: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    sentence = f"ctions and module are both {which}; expected one of them: a skill acts in one way."
    data = DataFolder(tmp_path)

    assert sentence in check(skill, Rules(game_id="cave"))["actions"]

    given = [*(f"actions={text}" for text in skill.actions), f"module={skill.module}"]
    asked = ["memory", "add", "skill", "name=go", "when=x > 1", "subgoal=away", *given, "--game", "cave"]
    monkeypatch.setattr("sys.argv", ["pitwall", *asked, "--data", str(tmp_path)])
    assert main() == 1
    assert sentence in capsys.readouterr().err

    file = tmp_path / "skills.jsonl"
    with MemoryStore.open(data, role="test") as store:
        refused = store.apply([PutEntry(game_id="cave", content=skill)], _OPERATOR)
        assert sentence in refused.what
        whole = SkillMemory(name="go", when="x > 1", subgoal="away", actions=("left",))
        assert store.apply([PutEntry(game_id="cave", content=whole)], _OPERATOR).done
    monkeypatch.setattr("sys.argv", ["pitwall", "memory", "export", str(file), "--data", str(tmp_path)])
    assert main() == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line.get("content", {}).get("kind") == "skill":
            line["content"] |= {"actions": list(skill.actions), "module": skill.module}
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with MemoryStore.open(data, role="test") as store:
        taken = store.apply([ImportMemory(path=str(file), format="jsonl")], _OPERATOR)
        assert sentence in taken.what

        write = AgentWrite(game_id="cave", content=skill, provenance=Provenance(author="agent"))
        assert store.write([write]) == [None]
        assert sentence in caplog.text
    with pytest.raises(UnusableSkill) as caught:
        as_profile_skill(skill)
    assert sentence in caught.value.what
