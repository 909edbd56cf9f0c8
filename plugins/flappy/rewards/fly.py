"""What flying well is worth: a little for each frame in the air, a pipe, and the crash."""


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
    return {"air": 0.02, "pipes": 0.5 * (next_state["score"] - prev_state["score"])}
