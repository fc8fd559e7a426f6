"""The nightly run: written for the scheduler of each system, and noticed where it was missed."""
