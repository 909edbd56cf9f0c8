"""Roles by static branches, each importing its own room and no other; the rest are commands (`cli.main`)."""

from __future__ import annotations

import sys


def main() -> int:
    """Entry of `pitwall` and `python -m pitwall`; returns the exit status."""
    role, arguments = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if role == "engine":
        from pitwall.engine.main import main as engine_main

        return engine_main(arguments)
    if role == "broker":
        from pitwall.broker.main import main as broker_main

        return broker_main(arguments)
    if role == "host":
        from pitwall.host.main import main as host_main

        return host_main(arguments)
    if role == "memory-keeper":
        from pitwall.memory.keeper import main as keeper_main

        return keeper_main(arguments)
    if role == "trial-seat":
        from pitwall.evaluation.seat import main as seat_main

        return seat_main(arguments)
    if role == "truth-keeper":
        from pitwall.evaluation.truth_keeper import main as truth_main

        return truth_main(arguments)
    if role == "browser-game":
        from pitwall.evaluation.browser.main import main as browser_main

        return browser_main(arguments)
    if role == "task-seat":
        from pitwall.evaluation.task_seat import main as task_seat_main

        return task_seat_main(arguments)
    if role == "game-eyes":
        from pitwall.engine.drafting.main import main as eyes_main

        return eyes_main(arguments)
    from pitwall.cli.main import main as cli_main

    return cli_main()


if __name__ == "__main__":
    sys.exit(main())
