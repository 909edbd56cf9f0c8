"""A made-up folder of a GameWorld checkout's shape: two pages, their registry entries and their tasks."""

from __future__ import annotations

from pathlib import Path

PAGE = """<!doctype html><title>Coin Taps</title><body style="margin:0;background:#123">
<h1 id="coins" style="color:#fd4;font-size:160px"></h1><script>
let coins = 0, over = false;
addEventListener("keydown", (event) => {
  if (event.key === " " && !over) document.getElementById("coins").textContent = coins += 1;
});
window.gameAPI = {
  init: () => { coins = 0; }, reset: () => { coins = 0; },
  getState: () => ({ gameId: "90_coin-taps", status: "playing", terminal: { isTerminal: false },
    game_state: { score: coins, level: new URLSearchParams(location.search).get("level") },
    metrics: { coins_collected: coins, bonus: 1 } }),
};
</script>
"""
GAME = """
game_id: 90_coin-taps
name: Coin Taps
genre: Arcade
level: 1
role_config:
  - game_role: "You control the tapper."
  - game_rules: "Each tap is a coin."
allowed_keys: [Space, ArrowRight]
allow_clicks: false
semantic_controls:
  - {id: wait, description: Do nothing., binding: {action: wait}}
  - {id: tap, description: Collect a coin., binding: {action: press_key, key: Space}}
  - {id: move_right, description: Walk., binding: {action: press_key, key: ArrowRight, hold_duration: 0.4}}
  - {id: both, binding: {action: press_keys, keys: [space, right]}}
  - {id: draw, description: Draw a line., binding: {action: drag}}
"""
TASK = """
task_config:
  - task_instruction: "Collect 3 coins in this level."
evaluator_config:
  - target_scoring_field: metrics.coins_collected
  - target_score: 3
max_steps: 20
"""
TASKS = """
game_id: 90-coin-taps
tasks:
  - {task_id: 02_many, task_instruction: Collect five coins., target_score: 6, url_suffix: "?level=2",
     target_scoring_fields: [metrics.coins_collected, metrics.bonus], continue_on_fail: false}
  - {task_id: unclear, task_instruction: Have fun.}
"""


def made_up_checkout(root: Path) -> Path:
    """Write the folder, and return it."""
    files = {
        "games/90_coin-taps/index.html": PAGE,
        "games/91_silent/index.html": "<!doctype html><title>Silent</title>",
        "registry/games/90_coin-taps.yaml": GAME,
        "registry/games/92_lost.yaml": "game_rules: There is no page.\n",
        "registry/tasks/90_coin-taps/three_coins.yaml": TASK,
        "registry/tasks/more.yml": TASKS,
        "registry/broken.yaml": "a: [",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
