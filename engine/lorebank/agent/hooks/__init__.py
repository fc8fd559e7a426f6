"""Hooks: lorebank put into a host's own settings, and taken out again, byte for byte."""
