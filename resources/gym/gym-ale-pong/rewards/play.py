"""What a decision is worth in Pong: each point, and a little for waiting where the ball will arrive."""


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
    paddle, aim = next_state["paddle_y"], next_state["aim"]
    off = 80.0 if paddle is None or aim is None else min(80.0, abs(aim - paddle))
    return {"points": next_state["score"] - prev_state["score"], "waiting": 0.002 * (1.0 - off / 80.0)}
