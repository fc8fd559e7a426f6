"""Hooks: lorebank put into a host's own settings, and taken out again, byte for byte.

A hook is one command line of lorebank's at an event of the host. Texts come
in, texts go out, and what is not lorebank's stays as it stands.
"""
