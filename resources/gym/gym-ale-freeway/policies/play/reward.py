"""What a decision is worth in Freeway: each crossing, and the way made towards it."""


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
    crossed = next_state["score"] - prev_state["score"]
    before, after = prev_state["chicken_y"], next_state["chicken_y"]
    made = 0.0 if crossed or before is None or after is None else before - after
    return {"crossings": crossed, "way": 0.005 * max(-20.0, min(20.0, made))}
