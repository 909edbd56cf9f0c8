"""A person's play is kept from the moment when the screen says so, on a busy machine too."""

from __future__ import annotations

import os
import signal

import pytest

from pitwall.core.injection import PersonActed
from workshop.fixtures.broker_rig import BrokerRig

pytestmark = pytest.mark.screen


def test_a_broker_that_got_no_time_is_known_to_hear_nobody_yet(rig: BrokerRig) -> None:
    rig.arm(keys=("a", "d"), person=True)
    rig.link.disarm()
    os.kill(rig.link.pid, signal.SIGSTOP)
    try:
        rig.link.rearm()
        rig.pump_for(0.2)
        assert rig.link.kept_waiting(person=True)
    finally:
        os.kill(rig.link.pid, signal.SIGCONT)
    rig.until(lambda: not rig.link.kept_waiting(person=True))
    rig.hands.key("a", down=True)
    rig.hands.key("a", down=False)
    rig.until(lambda: len(rig.all_said(PersonActed)) == 2)
