"""What flying well is worth: each pipe, and each frame in the air, less where the gap is far."""

NEAR, FAR = 40.0, 160.0


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
    off = FAR
    if bird is not None:
        off = abs(bird - (gap - 50.0 if gap is not None else 240.0))
    return {
        "line": 0.03 * min(1.0, max(0.0, (FAR - off) / (FAR - NEAR))),
        "pipes": 0.3 * (next_state["score"] - prev_state["score"]),
    }
