"""A chat model behind a command: prompt on stdin, answer on stdout.

`generator.command = ["claude", "-p"]`, `["llm"]`, `["ollama", "run", "llama3.1"]`. It runs without
a shell, in an empty temporary folder, so that a coding agent does not take the workspace for its
project. Its output is checked like any model's answer.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.protocols import Completion, Prompt
from lorebank.providers.registry import Setup

_MAX_ANSWER_BYTES = 2_000_000  # far more than `answer_tokens` allows
_ERROR_CHARACTERS = 300  # how much of a failed program's last output is shown


class CommandGenerator:
    """A `Generator` that runs a program for each request."""

    name = "command"
    endpoint = ""

    def __init__(self, command: Sequence[str], timeout_s: float) -> None:
        self._command = tuple(command)
        self._timeout = timeout_s
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def model(self) -> str:
        """The program with its arguments; verdicts are signed with it."""
        return " ".join((Path(self._command[0]).name, *self._command[1:]))

    def complete(self, prompt: Prompt) -> Completion:
        text = "\n\n".join([prompt.system, *(turn.text for turn in prompt.turns)]) + "\n"
        with tempfile.TemporaryDirectory(prefix="lorebank-") as folder:
            out, err, code = self._run(text.encode("utf-8"), folder)
        if code:
            reason = err.decode("utf-8", "replace").strip()[-_ERROR_CHARACTERS:]
            raise ProviderError(f"{self.model} ended with {code}: {reason}")
        return Completion(out[:_MAX_ANSWER_BYTES].decode("utf-8", "replace"), None)

    def _run(self, text: bytes, folder: str) -> tuple[bytes, bytes, int]:
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                start_new_session=True,
            )
        except OSError as problem:
            raise ProviderError(
                f"generator.command cannot be run: {problem}",
                hint="name a program on your PATH, or its absolute path",
            ) from problem
        self._running = process
        try:
            return *process.communicate(text, timeout=self._timeout), process.returncode
        except subprocess.TimeoutExpired:
            self.cancel()
            process.communicate()
            raise ProviderError(
                f"{self.model} gave no answer within {self._timeout:g} s",
                hint="raise generator.timeout_seconds",
            ) from None
        finally:
            self._running = None

    def cancel(self) -> None:
        """End the program that runs, with all it has started."""
        process = self._running
        if process is None:
            return
        if hasattr(os, "killpg"):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return
        else:
            process.kill()


def load_chat(setup: Setup) -> CommandGenerator:
    """The configured generator. A missing program is only noticed at the first request."""
    settings = setup.generator
    if not settings.command:
        raise ConfigurationError(
            "generator.command is empty",
            hint='generator.command = ["claude", "-p"] in your own settings',
        )
    if setup.embedder.offline:
        raise ProviderError(
            "embedder.offline forbids generator.command: it may send your notes elsewhere",
            hint="set embedder.offline = false to let it run",
        )
    setup.say(f"notes are passed to the program {' '.join(settings.command)}")
    return CommandGenerator(settings.command, settings.timeout_seconds)
