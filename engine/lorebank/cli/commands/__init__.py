"""One file a command: parse, one call of the Bank, render.

Each command is a function of its name, in the file that `command.COMMANDS` says.
"""
