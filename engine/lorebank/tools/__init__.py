"""What an agent may call: each tool once, for MCP or a framework; knows nothing of protocols."""
