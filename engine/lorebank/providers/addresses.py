"""Addresses of servers: which of them are this machine, and may be asked offline."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from lorebank.errors import Offline


def is_loopback(url: str) -> bool:
    """Whether what is sent there stays on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """`api.openai.com`, `127.0.0.1:8080`: an address as a person reads it."""
    return urlsplit(url).netloc or url


def refuse_offline(provider: str, url: str) -> None:
    """Raise `Offline` for an address of another machine; none is a model in this process."""
    if url and not is_loopback(url):
        raise Offline(
            f"{provider} is at {host_of(url)}, and nothing may leave this machine (offline)",
            hint="go without --offline and embedder.offline, or set embedder.provider = local",
        )
