"""The two ways of `bench host` to ask one model: through the host process, and the library by itself."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from pitwall.core.errors import PitwallError
from pitwall.core.prompts import Prompt
from pitwall.models.host_client import HostClient
from pitwall.models.host_requests import Complete, Completed, Streamed
from pitwall.models.spec import ModelSpec

BATCH = 512
"""Tokens evaluated at once: the host's value (host.slot), also given to the library."""
_SLOT = "bench"
_DEADLINE_MS = 600_000
_LAST_WORDS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A request's figures, in milliseconds as the asker waited.

    Attributes:
        first_ms: until the first piece of the reply.
        cached_tokens: the prompt's tokens that were not evaluated again.
    """

    prompt_tokens: int
    cached_tokens: int
    output_tokens: int
    first_ms: float
    took_ms: float
    text: str

    @property
    def prompt_per_s(self) -> float:
        """Return the evaluated prompt tokens per second."""
        return (self.prompt_tokens - self.cached_tokens) * 1e3 / self.first_ms

    @property
    def written_per_s(self) -> float | None:
        """Return the tokens after the first, per second; None if there are none."""
        later_ms = self.took_ms - self.first_ms
        if self.output_tokens < 2 or later_ms <= 0:
            return None
        return (self.output_tokens - 1) * 1e3 / later_ms


class HostSide:
    """Asks through the real host process, as the engine does."""

    def __init__(self, client: HostClient, spec: ModelSpec) -> None:
        self._client = client
        self._spec = spec

    def ask(self, prompt: Prompt, *, grammar: str, most_tokens: int) -> Reply:
        """Ask for a reply and wait for it piece by piece."""
        request = Complete(
            request_id=self._client.number(),
            model=self._spec,
            messages=prompt.messages,
            slot=_SLOT,
            grammar=grammar,
            max_tokens=most_tokens,
            deadline_ms=_DEADLINE_MS,
        )
        began, first_s = time.perf_counter(), 0.0
        done: Completed | None = None
        for reply in self._client.ask(request):
            if isinstance(reply, Streamed | Completed) and not first_s:
                first_s = time.perf_counter() - began
            if isinstance(reply, Completed):
                done = reply
        took_s = time.perf_counter() - began
        if done is None or done.finish in ("deadline", "cancelled"):
            raise PitwallError("the host did not finish the benchmark's reply.", "Try a smaller model.")
        return Reply(
            prompt_tokens=done.prompt_tokens,
            cached_tokens=done.cached_tokens,
            output_tokens=done.output_tokens,
            first_ms=first_s * 1e3,
            took_ms=took_s * 1e3,
            text=done.text,
        )


def uses_flash(spec: ModelSpec, device: str) -> bool:
    """Return whether the host gives a model flash attention on the device that it runs on."""
    return device != "CPU" if spec.flash_attention == "auto" else spec.flash_attention == "on"


class LibrarySide:
    """llama-cpp-python by itself, in a process of its own (`bare_llama`).

    Args:
        threads: as the host uses. flash: with flash attention (`uses_flash`).

    Raises:
        PitwallError: the library cannot load the model, or dies of it.
    """

    def __init__(self, spec: ModelSpec, *, threads: int, flash: bool) -> None:
        command = [sys.executable, "-m", "workshop.benchmarks.peers.bare_llama", "--model", spec.path]
        command += ["--context", str(spec.context), "--batch", str(BATCH), "--threads", str(threads)]
        command += ["--gpu-layers", str(spec.gpu_layers), *(["--flash"] if flash else [])]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            self._line()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Return the id of the library's process."""
        return self._process.pid

    def ask(self, prompt: Prompt, *, grammar: str, most_tokens: int) -> Reply:
        """Ask for a reply, timed in the library's process."""
        stdin = self._process.stdin
        assert stdin is not None
        messages = [{"role": message.role, "content": message.text} for message in prompt.messages]
        asked = {"messages": messages, "grammar": grammar, "max_tokens": most_tokens}
        try:
            stdin.write(json.dumps(asked) + "\n")
            stdin.flush()
        except OSError:
            pass  # it is gone: its last words come with the answer
        return Reply(**self._line())

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _line(self) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        line = stdout.readline()
        if not line:
            words = self._process.communicate()[1][-_LAST_WORDS:].strip()
            code = self._process.returncode
            raise PitwallError(f"llama-cpp-python, called directly, ended with {code}: {words}")
        answer: dict[str, Any] = json.loads(line)
        return answer
