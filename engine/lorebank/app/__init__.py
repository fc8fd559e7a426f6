"""The composition root: `Bank`, a workspace that can be asked, told and reflected upon.

One file a subject, all standing on `opened`; `bank` puts them together. The methods are thin: what
they do is in the rooms below. Every interface (command line, MCP, Python) calls `Bank` and nothing
below it.
"""

from lorebank.app.bank import Bank

__all__ = ["Bank"]
