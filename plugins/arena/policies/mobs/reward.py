"""The first reward of arena/mobs: harm done, harm taken, and how the fight ends."""


def reward(
    prev_state,
    next_state,
    action_idx,
    done,
    action_history,
    action_state_changes,
    episode_start_time,
    step_time,
    step,
):
    dealt = 0.03 * max(0.0, (prev_state["foe_health"] or 0.0) - (next_state["foe_health"] or 0.0))
    taken = 0.04 * ((next_state["health"] or 0.0) - (prev_state["health"] or 0.0))
    end = 0.0
    if done:
        end = 5.0 if (next_state["foes"] or 0.0) < 1.0 else -5.0
    return {"dealt": dealt, "taken": taken, "end": end, "time": -0.002}
