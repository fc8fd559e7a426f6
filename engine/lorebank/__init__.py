"""lorebank: retain, recall, reflect over plain Markdown."""

__version__ = "0.1.0"
