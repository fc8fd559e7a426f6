"""The QMD sidecar: a command of its own that ranks passages in place of the built-in engine. It
only says where to look: what is shown is read from the files. Never answers a recall.
"""
