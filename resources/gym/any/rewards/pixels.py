"""What a decision is worth: whether points were gained or lost, so that one recipe fits every environment."""


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
    gained = next_state["score"] - prev_state["score"]
    return {"points": 1.0 if gained > 0 else -1.0 if gained < 0 else 0.0}
