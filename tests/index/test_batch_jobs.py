"""Asynchronous jobs of OpenAI, Gemini and Voyage, with a server that speaks as they do."""

import time
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.settings.tables import Config
from provider_server import Provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BASES = {"openai": "/v1", "gemini": "/v1beta", "voyage": "/v1"}


def environ_for(name: str, server: Provider, **batch: str) -> dict[str, str]:
    settings = {"enabled": "true", "poll_interval_ms": "10"} | batch
    return {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": name,
        f"LOREBANK_PROVIDERS__{name.upper()}__BASE_URL": server.url + BASES[name],
        f"LOREBANK_PROVIDERS__{name.upper()}__API_KEY": server.key,
        **{f"LOREBANK_EMBEDDER__REMOTE__BATCH__{k.upper()}": v for k, v in settings.items()},
    }


def ordinary(server: Provider) -> list[str]:
    """The paths of requests that embed at once."""
    ends = ("/embeddings", ":batchEmbedContents")
    return [request.path for request in server.requests if request.path.endswith(ends)]


def test_f33_batch_is_off_by_default(root: Path, server: Provider) -> None:
    assert Config().embedder.remote.batch.enabled is False
    environ = environ_for("openai", server, enabled="false")
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
    assert server.jobs == {}


@pytest.mark.parametrize("name", BASES)
def test_f36_a_job_embeds_all_and_is_joined_by_custom_id_in_any_order(
    name: str, root: Path, server: Provider
) -> None:
    plain = root
    server.polls_until_done = 3
    with Bank.open(plain, environ=environ_for(name, server)) as bank:
        report = bank.sync()
        assert (report.pending, len(server.jobs)) == (0, 1)
        assert report.embedded == len(next(iter(server.jobs.values()))["texts"]) > 20
        assert ordinary(server) == []
        found = [hit.source for hit in bank.search("Baileys crash relay")]
    (plain / ".memory" / "embeddings.sqlite").unlink()
    (plain / ".memory" / "index.sqlite").unlink()
    with Bank.open(plain, environ=environ_for(name, server, enabled="false")) as bank:
        bank.sync()
        assert [hit.source for hit in bank.search("Baileys crash relay")] == found


@pytest.mark.parametrize("name", BASES)
def test_half_a_job_that_failed_is_handed_in_again_and_then_asked_for_at_once(
    name: str, root: Path, server: Provider
) -> None:
    with Bank.open(root, environ=environ_for(name, server, enabled="false")) as bank:
        bank.sync()
    texts = list(dict.fromkeys(server.embedded))
    (root / ".memory" / "embeddings.sqlite").unlink()
    (root / ".memory" / "index.sqlite").unlink()
    server.requests.clear()
    server.job_fails = set(texts[::2])
    server.job_forgets = {texts[1]}
    said: list[str] = []
    with Bank.open(root, environ=environ_for(name, server), say=said.append) as bank:
        report = bank.sync()
        assert (report.embedded, report.pending) == (len(texts), 0)
    [cost] = [line for line in said if "came out of no job" in line]
    assert cost.startswith(f"{len(texts[::2]) + 1} texts") and cost.endswith(" tokens")
    sizes = [len(job["texts"]) for job in server.jobs.values()]
    assert sizes == [len(texts), len(texts[::2]) + 1]
    assert len(ordinary(server)) == 1


@pytest.mark.parametrize("name", BASES)
def test_f34_a_job_outlives_its_process(name: str, root: Path, server: Provider) -> None:
    server.polls_until_done = 10_000
    with Bank.open(root, environ=environ_for(name, server, wait="false")) as bank:
        report = bank.sync()
        assert report.embedded == 0 and report.pending > 20
        assert "texts are in jobs of" in bank.status().embedder["reason"]
        assert bank.recall("how did we stop the Baileys crash").hits
    (root / ".memory" / "index.sqlite").unlink()
    server.polls_until_done = 1
    with Bank.open(root, environ=environ_for(name, server)) as bank:
        again = bank.sync()
        assert (again.embedded > 20, again.pending) == (True, 0)
        assert bank.status().embedder["reason"] == ""
    assert len(server.jobs) == 1
    assert ordinary(server) == []


def test_f34_waiting_ends_with_the_time_allowed(root: Path, server: Provider) -> None:
    server.polls_until_done = 10_000
    environ = environ_for("openai", server, timeout_minutes="0.005", poll_interval_ms="50")
    started = time.monotonic()
    with Bank.open(root, environ=environ) as bank:
        assert bank.sync().pending > 20
    assert time.monotonic() - started < 4
    polls = [r for r in server.requests if r.path.startswith("/v1/batches/")]
    assert 3 <= len(polls) <= 8


def test_f35_two_jobs_at_a_time(
    root: Path, server: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lorebank.providers.protocols import Limits
    from lorebank.providers.remote import RemoteEmbedder

    assert Config().embedder.remote.batch.concurrency == 2
    monkeypatch.setattr(RemoteEmbedder, "batch_limits", Limits(items=6))
    server.polls_until_done = 3
    with Bank.open(root, environ=environ_for("openai", server)) as bank:
        assert bank.sync().pending == 0
    assert len(server.jobs) > 4
    under_way = most = 0
    for request in server.requests:
        under_way += request.path == "/v1/batches"
        under_way -= request.path.endswith("/content")
        most = max(most, under_way)
    assert most == 2


@pytest.mark.parametrize("status", ["failed", "expired", "cancelled"])
@pytest.mark.parametrize("name", BASES)
def test_a_job_that_comes_to_nothing_is_tried_once_more_and_then_done_without(
    name: str, status: str, root: Path, server: Provider
) -> None:
    server.job_status = status
    with Bank.open(root, environ=environ_for(name, server)) as bank:
        assert bank.sync().pending == 0
    assert len(server.jobs) == 2
    assert ordinary(server) != []


def test_a_job_the_provider_has_forgotten_is_handed_in_again(root: Path, server: Provider) -> None:
    server.polls_until_done = 10_000
    with Bank.open(root, environ=environ_for("openai", server, wait="false")) as bank:
        bank.sync()
    server.jobs.clear()
    server.polls_until_done = 1
    with Bank.open(root, environ=environ_for("openai", server)) as bank:
        assert bank.sync().pending == 0
    assert len(server.jobs) == 1


def test_f37_a_large_backfill_is_one_job_and_few_requests(root: Path, server: Provider) -> None:
    with Bank.open(root, environ=environ_for("openai", server)) as bank:
        bank.sync()
    assert [request.path.split("/")[2] for request in server.requests] == [
        "files",
        "batches",
        "batches",
        "files",
    ]


def test_a_recall_never_hands_in_a_job(root: Path, server: Provider) -> None:
    with Bank.open(root, environ=environ_for("openai", server)) as bank:
        bank.sync()
        (root / "memory" / "2026-01-05.md").write_text("## Retain\n- W @Ada: Keeps bees.\n")
        bank.recall("who keeps an animal")
        assert bank.status().counts["pending"] == 0
    assert len(server.jobs) == 1


@pytest.mark.parametrize("name", BASES)
def test_an_address_that_takes_no_jobs_is_asked_at_once(
    name: str, root: Path, server: Provider
) -> None:
    server.takes_jobs = False
    with Bank.open(root, environ=environ_for(name, server)) as bank:
        report = bank.sync()
        assert (report.embedded > 20, report.pending) == (True, 0)
        assert bank.status().embedder["reason"] == ""
