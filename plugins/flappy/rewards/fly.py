"""What flying well is worth: each frame in the air, each pipe; the farther off the gap's line, the less."""

REACH = 150.0


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
    if done:
        return {"crash": -1.0}
    bird, gap = next_state["bird_y"], next_state["gap_bottom"]
    off = REACH
    if bird is not None:
        off = abs(bird - (gap - 45.0 if gap is not None else 240.0))
    return {
        "line": 0.05 * (1.0 - min(off, REACH) / REACH),
        "pipes": 0.2 * (next_state["score"] - prev_state["score"]),
    }
