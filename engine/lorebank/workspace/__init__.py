"""The files of a workspace: locations, which are memory, safe writing.

Does not parse files (`markdown` does), and never follows symbolic links.
"""
