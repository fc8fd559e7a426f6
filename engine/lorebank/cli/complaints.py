"""Every exception as a `LorebankError`, and an error as the lines a person reads."""

from __future__ import annotations

import re

import click

from lorebank.cli.render.look import Look
from lorebank.errors import LorebankError, UsageError

_SENTENCE_START = re.compile(r"\A[A-Z](?=[a-z ])")


def as_lorebank_error(problem: Exception) -> LorebankError:
    """The error to report: our own as they are, click's and the system's translated."""
    if isinstance(problem, LorebankError):
        return problem
    if isinstance(problem, click.UsageError):
        return _usage(problem)
    if isinstance(problem, click.ClickException):
        return LorebankError(_as_clause(problem.format_message()))
    if isinstance(problem, OSError):
        return _system(problem)
    return LorebankError(
        f"internal error, {type(problem).__name__}: {problem}".rstrip(": "),
        hint="this is a bug in lorebank; --verbose shows where it happened",
    )


def error_lines(error: LorebankError, look: Look) -> list[str]:
    """`error: what, where`, a line for each further one, and, where there is one, `hint: what to
    do`."""
    first, *further = error.message.split("\n")
    lines = [f"{look.bad('error:')} {look.clean_line(first)}"]
    lines += [f"       {look.clean_line(line)}" for line in further]
    if error.hint:
        lines.append(f"{look.dim('hint:')} {look.clean_line(error.hint)}")
    return lines


def _usage(problem: click.UsageError) -> UsageError:
    return UsageError(_as_clause(_what(problem)), hint=_usage_hint(problem))


def _what(problem: click.UsageError) -> str:
    if isinstance(problem, click.NoSuchOption):
        return f"no option {problem.option_name}"
    return problem.format_message()


def _usage_hint(problem: click.UsageError) -> str:
    name = problem.ctx.command_path if problem.ctx else "lorebank"
    if isinstance(problem, click.NoSuchOption):
        near = _nearest_option(problem)
        if near:
            return f"did you mean {near}?"
        return f"put -- before text that begins with a dash; {name} --help lists the options"
    return f"{name} --help shows how to call it"


def _nearest_option(problem: click.NoSuchOption) -> str | None:
    if problem.ctx is None or not problem.option_name.startswith("--"):
        return None
    options = [
        option
        for parameter in problem.ctx.command.get_params(problem.ctx)
        for option in parameter.opts
        if option.startswith("--")
    ]
    import difflib

    near = difflib.get_close_matches(problem.option_name, options, n=1, cutoff=0.65)
    return near[0] if near else None


def _system(problem: OSError) -> LorebankError:
    reason = (problem.strerror or str(problem) or type(problem).__name__).lower()
    return LorebankError(f"{problem.filename}: {reason}" if problem.filename else reason)


def _as_clause(message: str) -> str:
    """A click sentence in the form of our own messages: no capital, no full stop."""
    lowered = _SENTENCE_START.sub(lambda first: first.group().lower(), message.strip())
    return lowered.removesuffix(".")
