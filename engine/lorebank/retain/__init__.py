"""Writing facts down: text work on a log's text, of which what stands there never changes."""
