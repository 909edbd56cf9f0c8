"""Cards of jobs: a card can outlive its list."""

from __future__ import annotations

import gc
import weakref

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from pitwall.console.kit.job import JobList, JobOrder


def test_a_list_may_end_while_a_removed_card_waits_for_its_end(screen: str, qapp: QApplication) -> None:
    assert screen and qapp
    jobs = JobList("Jobs")
    jobs.show()
    jobs.add(JobOrder(title="Evaluating", arguments=["runs"])).dismissed.emit()
    assert jobs.cards == []
    ended = weakref.ref(jobs)
    del jobs
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert ended() is None
