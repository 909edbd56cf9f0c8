"""The engine's process: opens its channel, runs the loop, reports why it failed."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import cv2

from pitwall.core.errors import ChannelClosed, unexpected
from pitwall.core.paths import DataFolder
from pitwall.core.telemetry import Fault
from pitwall.engine.loop.run import Engine
from pitwall.link.channel import CHANNEL_OPTION, STOP_LINE_OPTION, Channel
from pitwall.link.child_process import inherited
from pitwall.link.engine_session import COMMANDS, TELEMETRY
from pitwall.link.prompt_waking import wake_promptly

_SWITCH_INTERVAL_S = 0.0005


def main(arguments: Sequence[str]) -> int:
    """Run one engine until a command ends it or its operator is gone."""
    parser = argparse.ArgumentParser(prog="pitwall engine")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(CHANNEL_OPTION, type=int, required=True)
    parser.add_argument(STOP_LINE_OPTION, type=int, required=True)
    options = parser.parse_args(arguments)
    logging.basicConfig(format="%(asctime)s engine %(levelname)s %(name)s: %(message)s", level="INFO")
    logging.getLogger("alembic").setLevel("WARNING")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the operator's command handles Ctrl+C
    sys.setswitchinterval(_SWITCH_INTERVAL_S)  # the recorder's thread must not delay a frame
    cv2.setNumThreads(1)  # the pictures are small: threads cost more than they save on a busy machine
    wake_promptly()
    channel = Channel(inherited(options.channel), TELEMETRY, COMMANDS)
    engine = Engine(channel, inherited(options.stop_line), DataFolder(options.data))
    signal.signal(signal.SIGTERM, lambda *_: engine.quit())
    crashed = False
    try:
        engine.run()
    except ChannelClosed:
        return 0
    except Exception as error:
        crashed = True
        known = unexpected("the engine", error, "Restart it; its log says more.")
        logging.getLogger(__name__).exception("the engine failed")
        try:
            channel.send(
                Fault(
                    what=known.what,
                    fix=known.fix,
                    traceback=traceback.format_exc(),
                    error=type(error).__name__,
                )
            )
        except ChannelClosed:
            return 1
        return 1
    finally:
        engine.shut(crashed=crashed)
        channel.close()
    return 0
