"""The files of a workspace: where they are, which are memory, how they are written.

Never reads what a file says (`markdown` does), never follows a symbolic link.
"""
