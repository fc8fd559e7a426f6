"""Prompts for chat models, and the checks their answers must pass.

Each sentence of a model must cite lines that contain its words, or is dropped. Values in, values
out. May use beliefs (to compare words), providers, language and domain.
"""
