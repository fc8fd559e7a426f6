"""The MCP server: `Bank` as tools, resources and prompts, over stdio or HTTP on this machine.

No logic of its own, no SQL, no file access. The only room that imports an HTTP server.
"""
