"""What a decision is worth in Boxing: each blow that lands, less each that is taken."""


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
    return {"blows": next_state["score"] - prev_state["score"]}
