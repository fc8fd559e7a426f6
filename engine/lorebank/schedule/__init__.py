"""The nightly run: written for the scheduler of each system, and noticed where it was missed.

Owns the texts of systemd, cron, launchd and the Windows Task Scheduler (pure), the
one module that hands them to the system (`install`), and the record of runs in `.memory/`. Never
reflects itself. May use workspace, config, domain and errors.
"""
