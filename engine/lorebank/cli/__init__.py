"""The command line: one file a subject, each parse → one Bank call → render.

Owns the words and colours a person sees, the exit codes, and everything printed: data on stdout,
notes and problems on stderr. Never reads or writes a workspace itself. May use every room below;
a command's module and `app` are imported only when that command runs.
"""

import sys


def main() -> int:
    """Run the `lorebank` command with the arguments of this process; returns its exit code."""
    from lorebank.cli.root import run

    return run(sys.argv[1:])
