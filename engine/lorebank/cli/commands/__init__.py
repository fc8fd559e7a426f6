"""One file a command: parse, one call of the Bank, render.

Each holds `command`, found by file name from `root.COMMANDS`. Options that several commands share
stand in `cli.command`.
"""
