"""Writing facts down: a fact line under the retain section of a daily log.

Pure text work on a log's text; the file is written by `app` through `workspace`. Never changes a
byte of what already stands there. May use `index`, `markdown`, `language`, `domain`, `errors`.
"""
