"""The MCP server: `Bank` as tools, resources and prompts, over stdio or HTTP on this machine.

A tool is one call of a `Bank` and its result in two forms, text for a model and the JSON envelope.
No logic of its own, no SQL, no file access. The only room that imports an HTTP server; may use
`tools`, `app`, `config`, `domain`, `errors`.
"""
