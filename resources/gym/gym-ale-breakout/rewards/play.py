"""What a decision is worth in Breakout: each hit, less for a lost ball or one not served; a little for waiting."""


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
    paddle, aim = next_state["paddle_x"], next_state["aim"]
    off = 80.0 if paddle is None or aim is None else min(80.0, abs(aim - paddle))
    return {
        "hits": 1.0 if gained > 0 else 0.0,
        "lost": min(0.0, next_state["lives"] - prev_state["lives"]),
        "waiting": 0.01 * (1.0 - off / 80.0),
        "idle": -0.05 if next_state["serving"] else 0.0,
    }
