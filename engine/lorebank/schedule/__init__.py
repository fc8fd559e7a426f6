"""The nightly run: job definitions for each system's scheduler, and missed runs."""
