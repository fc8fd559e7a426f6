"""Where each scheduler keeps a job, what is written there, and which commands make it known. Pure.

cron is not here: its jobs have no file of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import time
from pathlib import Path

from lorebank.records import dataclass
from lorebank.schedule import launchd, systemd, windows
from lorebank.schedule.job import Job, job_name

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Whose schedulers these are."""

    home: Path
    config_home: Path
    """`$XDG_CONFIG_HOME`, `~/.config` without it."""
    user_id: int


@dataclass(frozen=True, slots=True)
class Place:
    """How one scheduler is dealt with; every function takes a job's workspace as well."""

    tool: str
    files: Callable[[Job, Surroundings], Mapping[Path, bytes]]
    paths: Callable[[str, Surroundings], tuple[Path, ...]]
    """The same files by the workspace alone; the last one names the time of day."""
    before_enabling: Callable[[str, Surroundings], tuple[Command, ...]]
    """May fail: they clear away what is there already."""
    enabling: Callable[[str, Surroundings], tuple[Command, ...]]
    disabling: Callable[[str, Surroundings], tuple[Command, ...]]
    """May fail, where nothing was enabled."""
    asking: Callable[[str, Surroundings], Command]
    """Goes well where the job is enabled."""
    read_at: Callable[[str], time | None]
    encoding: str = "utf-8"


def _systemd_paths(workspace: str, around: Surroundings) -> tuple[Path, ...]:
    units = around.config_home / "systemd" / "user"
    name = job_name(workspace)
    return units / f"{name}.service", units / f"{name}.timer"


def _systemd_files(job: Job, around: Surroundings) -> Mapping[Path, bytes]:
    service, timer = _systemd_paths(job.workspace, around)
    return {
        service: systemd.service_unit(job).encode(),
        timer: systemd.timer_unit(job).encode(),
    }


_SYSTEMCTL = ("systemctl", "--user")


def _launchd_paths(workspace: str, around: Surroundings) -> tuple[Path, ...]:
    label = launchd.agent_label(job_name(workspace))
    return (around.home / "Library" / "LaunchAgents" / f"{label}.plist",)


def _launchd_files(job: Job, around: Surroundings) -> Mapping[Path, bytes]:
    log = around.home / "Library" / "Logs" / f"{job.name}.log"
    (path,) = _launchd_paths(job.workspace, around)
    return {path: launchd.agent_plist(job, str(log)).encode()}


def _bootout(workspace: str, around: Surroundings) -> tuple[Command, ...]:
    return (("launchctl", "bootout", _target(workspace, around)),)


def _target(workspace: str, around: Surroundings) -> str:
    return f"gui/{around.user_id}/{launchd.agent_label(job_name(workspace))}"


def _bootstrap(workspace: str, around: Surroundings) -> tuple[Command, ...]:
    (path,) = _launchd_paths(workspace, around)
    return (("launchctl", "bootstrap", f"gui/{around.user_id}", str(path)),)


def _windows_paths(workspace: str, around: Surroundings) -> tuple[Path, ...]:
    return (Path(workspace) / ".memory" / f"{job_name(workspace)}.xml",)


def _windows_files(job: Job, around: Surroundings) -> Mapping[Path, bytes]:
    (path,) = _windows_paths(job.workspace, around)
    return {path: windows.task_xml(job).encode("utf-16")}


def _create_task(workspace: str, around: Surroundings) -> tuple[Command, ...]:
    (path,) = _windows_paths(workspace, around)
    name = windows.task_name(job_name(workspace))
    return (("schtasks", "/Create", "/F", "/TN", name, "/XML", str(path)),)


def _delete_task(workspace: str, around: Surroundings) -> tuple[Command, ...]:
    return (("schtasks", "/Delete", "/F", "/TN", windows.task_name(job_name(workspace))),)


def _nothing(workspace: str, around: Surroundings) -> tuple[Command, ...]:
    return ()


PLACES = {
    "systemd": Place(
        tool="systemctl",
        files=_systemd_files,
        paths=_systemd_paths,
        before_enabling=_nothing,
        enabling=lambda workspace, around: (
            (*_SYSTEMCTL, "daemon-reload"),
            (*_SYSTEMCTL, "enable", "--now", f"{job_name(workspace)}.timer"),
        ),
        disabling=lambda workspace, around: (
            (*_SYSTEMCTL, "disable", "--now", f"{job_name(workspace)}.timer"),
        ),
        asking=lambda workspace, around: (
            (*_SYSTEMCTL, "is-active", f"{job_name(workspace)}.timer")
        ),
        read_at=systemd.read_at,
    ),
    "launchd": Place(
        tool="launchctl",
        files=_launchd_files,
        paths=_launchd_paths,
        before_enabling=_bootout,
        enabling=_bootstrap,
        disabling=_bootout,
        asking=lambda workspace, around: ("launchctl", "print", _target(workspace, around)),
        read_at=launchd.read_at,
    ),
    "windows": Place(
        tool="schtasks",
        files=_windows_files,
        paths=_windows_paths,
        before_enabling=_nothing,
        enabling=_create_task,
        disabling=_delete_task,
        asking=lambda workspace, around: (
            ("schtasks", "/Query", "/TN", windows.task_name(job_name(workspace)))
        ),
        read_at=windows.read_at,
        encoding="utf-16",
    ),
}
