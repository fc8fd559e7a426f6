"""What a language model is asked to write or judge, and the checks its answers must pass: each of
its sentences cites lines that hold its words, or is dropped.
"""
