"""What a language model is asked to write or judge, and the checks its answers must pass.

A model is a guest: each of its sentences cites lines that hold its words, or is dropped. Values in,
values out. May use beliefs (to compare words), providers, language and domain.
"""
