"""What an agent may call: each tool once, served over MCP or handed to a framework as a function.

May use `app`, `agent` and what lies below; knows nothing of protocols.
"""
