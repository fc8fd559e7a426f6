"""The MCP server: `Bank` as tools, resources and prompts, over stdio or HTTP on this machine.

A tool is one call of a `Bank` and its result in two forms, text for a model and the JSON envelope.
No logic of its own, no SQL, no file access. The only room that imports `mcp` and what comes with
it; may use `app`, `config`, `domain`, `errors`.
"""
