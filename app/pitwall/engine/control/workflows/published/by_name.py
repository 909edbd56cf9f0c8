"""The published baselines by the names that `control.workflow` has for them."""

from __future__ import annotations

from typing import Protocol

from pitwall.engine.control.planner import PlanRequest
from pitwall.engine.control.workflows.published.cradle import CradleWorkflow
from pitwall.engine.control.workflows.published.react import ReActWorkflow
from pitwall.engine.control.workflows.published.reflexion import ReflexionWorkflow
from pitwall.engine.control.workflows.published.stardojo import StarDojoWorkflow
from pitwall.engine.control.workflows.published.transcript import TranscriptWorkflow
from pitwall.engine.control.workflows.published.voyager import VoyagerWorkflow
from pitwall.engine.control.workflows.workflow import WorkflowContext, WorkflowSteps
from pitwall.engine.control.workflows.workflow_result import WorkflowResult


class Workflow(Protocol):
    """Runs one form of the strategic workflow, and keeps what it remembers between plans."""

    def think(self, request: PlanRequest, context: WorkflowContext) -> WorkflowSteps[WorkflowResult]: ...

    def not_taken(self) -> None: ...


def published_workflows() -> dict[str, Workflow]:
    """Make one of each, without any memory yet."""
    return {
        "react": ReActWorkflow(),
        "transcript": TranscriptWorkflow(),
        "reflexion": ReflexionWorkflow(),
        "stardojo": StarDojoWorkflow(),
        "voyager": VoyagerWorkflow(),
        "cradle": CradleWorkflow(),
    }
