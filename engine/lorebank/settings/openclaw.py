"""Settings of OpenClaw's memory search, translated from `openclaw.json` into lorebank's own.

Every key of its `agents.defaults.memorySearch`, `models.providers` and `memory` either has a home
here, or is named with the reason why it has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import dataclass
from lorebank.settings import json5
from lorebank.settings.config import check_value

_SEARCH = "agents.defaults.memorySearch"
_HOMES = {
    "model": "embedder.model",
    "outputDimensionality": "embedder.dimensions",
    "remote.baseUrl": "embedder.remote.base_url",
    "remote.apiKey": "embedder.remote.api_key",
    "remote.headers": "embedder.remote.headers",
    "remote.batch.enabled": "embedder.remote.batch.enabled",
    "remote.batch.wait": "embedder.remote.batch.wait",
    "remote.batch.pollIntervalMs": "embedder.remote.batch.poll_interval_ms",
    "remote.batch.timeoutMinutes": "embedder.remote.batch.timeout_minutes",
    "remote.batch.concurrency": "embedder.remote.batch.concurrency",
    "remote.nonBatchConcurrency": "embedder.remote.concurrency",
    "local.modelPath": "embedder.local.model_path",
    "local.modelCacheDir": "embedder.local.model_cache_dir",
    "store.path": "index.path",
    "store.vector.enabled": "vector.enabled",
    "store.vector.extensionPath": "vector.extension_path",
    "chunking.tokens": "index.chunk_tokens",
    "chunking.overlap": "index.chunk_overlap",
    "query.maxResults": "recall.k",
    "query.hybrid.vectorWeight": "recall.vector_weight",
    "query.hybrid.textWeight": "recall.text_weight",
    "query.hybrid.candidateMultiplier": "recall.candidate_multiplier",
    "query.hybrid.mmr.enabled": "recall.mmr.enabled",
    "query.hybrid.mmr.lambda": "recall.mmr.lambda",
    "query.hybrid.temporalDecay.enabled": "recall.temporal_decay.enabled",
    "query.hybrid.temporalDecay.halfLifeDays": "recall.temporal_decay.half_life_days",
    "cache.enabled": "embedder.cache.enabled",
    "cache.maxEntries": "embedder.cache.max_entries",
    "sync.onSearch": "recall.auto_sync",
    "provider": "embedder.provider",
    "fallback": "embedder.fallback",
    "extraPaths": "workspace.extra_paths",
    "enabled": "memory_search.enabled",
    "sources": "memory_search.sources",
    "experimental.sessionMemory": "memory_search.experimental.session_memory",
    "sync.sessions.deltaBytes": "memory_search.sessions.delta_bytes",
    "sync.sessions.deltaMessages": "memory_search.sessions.delta_lines",
}
_COMPACTION = "agents.defaults.compaction"
_COMPACTION_HOMES = {
    "reserveTokensFloor": "compaction.reserve_tokens_floor",
    "memoryFlush.enabled": "compaction.memory_flush.enabled",
    "memoryFlush.softThresholdTokens": "compaction.memory_flush.soft_threshold_tokens",
    "memoryFlush.prompt": "compaction.memory_flush.prompt",
    "memoryFlush.systemPrompt": "compaction.memory_flush.system_prompt",
}
_HOMELESS = {
    "query.minScore": "given with each call: lorebank search --min-score",
    "query.hybrid.enabled": "words, names, times and meaning are always searched together",
    "sync": "the index follows the files whenever something is asked",
    "multimodal": "only Markdown is indexed",
    "store.driver": "the index is always SQLite",
}
_MEMORY_HOMES = {
    "backend": "memory.backend",
    "citations": "memory.citations",
    "qmd.command": "memory.qmd.command",
    "qmd.searchMode": "memory.qmd.search_mode",
    "qmd.includeDefaultMemory": "memory.qmd.include_default_memory",
    "qmd.sessions.enabled": "memory.qmd.sessions.enabled",
    "qmd.sessions.retentionDays": "memory.qmd.sessions.retention_days",
    "qmd.sessions.exportDir": "memory.qmd.sessions.export_dir",
    "qmd.update.interval": "memory.qmd.update.interval",
    "qmd.update.debounceMs": "memory.qmd.update.debounce_ms",
    "qmd.update.onBoot": "memory.qmd.update.on_boot",
    "qmd.update.waitForBootSync": "memory.qmd.update.wait_for_boot_sync",
    "qmd.update.embedInterval": "memory.qmd.update.embed_interval",
    "qmd.update.commandTimeoutMs": "memory.qmd.update.command_timeout_ms",
    "qmd.update.updateTimeoutMs": "memory.qmd.update.update_timeout_ms",
    "qmd.update.embedTimeoutMs": "memory.qmd.update.embed_timeout_ms",
    "qmd.limits.maxResults": "memory.qmd.limits.max_results",
    "qmd.limits.maxSnippetChars": "memory.qmd.limits.max_snippet_chars",
    "qmd.limits.maxInjectedChars": "memory.qmd.limits.max_injected_chars",
    "qmd.limits.timeoutMs": "memory.qmd.limits.timeout_ms",
    "qmd.scope.default": "memory.scope.default",
    "qmd.scope.rules": "memory.scope.rules",
}
_QMD_HOMELESS = {"qmd.mcporter": "qmd is run as a command, never through another server"}
_MATCHED = {"chatType": "chat_type", "keyPrefix": "key_prefix", "rawKeyPrefix": "raw_key_prefix"}
_ACCOUNTS = {"openai": "openai", "google": "gemini", "voyage": "voyage", "ollama": "ollama"}
_ACCOUNT_KEYS = {"apiKey": "api_key", "baseUrl": "base_url", "headers": "headers"}
_TABLES = frozenset({"remote.headers"})
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an OpenClaw configuration says here."""

    settings: Mapping[str, Any]
    """Key → value, each held to its rule."""
    homeless: tuple[tuple[str, str], ...]
    """OpenClaw's key → why it has no home."""


def read_openclaw(file: Path) -> Imported:
    """Read an `openclaw.json`, which is JSON5.

    Raises `ConfigurationError` where the file cannot be read or is no table.
    """
    try:
        text = file.read_text("utf-8-sig")
        document = json5.loads(text)
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ConfigurationError(f"{file}: is not JSON5: {error}") from error
    if not isinstance(document, dict):
        raise ConfigurationError(f"{file}: expected a table of settings")
    return _Reading(document).read()


@dataclass(slots=True)
class _Reading:
    document: Mapping[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    homeless: list[tuple[str, str]] = field(default_factory=list)

    def read(self) -> Imported:
        self._search()
        self._accounts()
        self._memory()
        self._compaction()
        if _at(self.document, "plugins.slots.memory") == "none":
            self._take("plugins.slots.memory", "memory_search.enabled", False)
        if _at(self.document, "memorySearch") is not None:
            self._without_home("memorySearch", f"OpenClaw reads {_SEARCH} only")
        return Imported(self.settings, tuple(self.homeless))

    def _search(self) -> None:
        search = _at(self.document, _SEARCH)
        if not isinstance(search, dict):
            return
        if "provider" not in search:
            self.settings["embedder.provider"] = "auto"  # as OpenClaw does where none is named
        for key, value in _leaves(search, _TABLES):
            name = f"{_SEARCH}.{key}"
            home = _HOMES.get(key)
            if home is None:
                self._without_home(name, _why(key, _HOMELESS))
            elif key == "extraPaths":
                self._paths(name, value)
            else:
                self._take(name, home, _translated(key, value))

    def _accounts(self) -> None:
        providers = _at(self.document, "models.providers")
        for provider, account in providers.items() if isinstance(providers, dict) else ():
            own = _ACCOUNTS.get(provider)
            for key, value in account.items() if isinstance(account, dict) else ():
                if own and key in _ACCOUNT_KEYS:
                    home = f"providers.{own}.{_ACCOUNT_KEYS[key]}"
                    self._take(f"models.providers.{provider}.{key}", home, _secret(value))

    def _memory(self) -> None:
        memory = _at(self.document, "memory")
        for key, value in _leaves(memory, frozenset()) if isinstance(memory, dict) else ():
            name = f"memory.{key}"
            if key == "qmd.paths":
                self._qmd_paths(value)
            elif home := _MEMORY_HOMES.get(key):
                self._take(name, home, _translated(key, value))
            else:
                self._without_home(name, _why(key, _QMD_HOMELESS))

    def _compaction(self) -> None:
        settings = _at(self.document, _COMPACTION)
        for key, value in _leaves(settings, frozenset()) if isinstance(settings, dict) else ():
            name = f"{_COMPACTION}.{key}"
            if home := _COMPACTION_HOMES.get(key):
                self._take(name, home, value)
            else:
                self._without_home(name, "the host compacts, not the memory")

    def _qmd_paths(self, rows: Any) -> None:
        """Each row by itself: one that cannot be taken over keeps no other from it."""
        taken: list[dict[str, str]] = []
        for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
            name = f"memory.qmd.paths[{number}]"
            if not isinstance(row, dict) or not isinstance(row.get("path"), str):
                self._without_home(name, "expected a table with a path")
                continue
            own = {"path": self._placed(row["path"])}
            own |= {key: row[key] for key in ("pattern",) if row.get(key)}
            own |= {"name": _collection_name(row["name"])} if row.get("name") else {}
            self._take(name, "memory.qmd.paths", [*taken, own])
            taken = list(self.settings.get("memory.qmd.paths", ()))
            for key in row.keys() - {"path", "pattern", "name"}:
                self._without_home(f"{name}.{key}", "unknown to lorebank")

    def _paths(self, name: str, values: Any) -> None:
        """Paths relative to OpenClaw's workspace; those inside stay relative, others not."""
        wanted = [
            self._placed(value) for value in (values if isinstance(values, list) else [values])
        ]
        known = self.settings.get("workspace.extra_paths", ())
        self._take(name, "workspace.extra_paths", list(dict.fromkeys([*known, *wanted])))

    def _placed(self, value: Any) -> str:
        root = Path(str(_at(self.document, "agents.defaults.workspace") or "~/.openclaw/workspace"))
        text = str(value)
        outside = text.startswith("..") or "/../" in text
        return str((root.expanduser() / text).resolve()) if outside else text

    def _take(self, name: str, home: str, value: Any) -> None:
        try:
            self.settings[home] = check_value(home, value)
        except (ConfigurationError, UsageError) as problem:
            self._without_home(name, problem.message)

    def _without_home(self, name: str, why: str) -> None:
        self.homeless.append((name, why))


def _at(table: Any, path: str) -> Any:
    for name in path.split("."):
        table = table.get(name) if isinstance(table, dict) else None
    return table


def _leaves(
    table: Mapping[str, Any], whole: frozenset[str], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        key = prefix + name
        is_secret = isinstance(value, dict) and {"source", "id"} <= set(value)
        if isinstance(value, dict) and key not in whole and not is_secret:
            yield from _leaves(value, whole, f"{key}.")
        else:
            yield key, value


def _why(key: str, reasons: Mapping[str, str]) -> str:
    parts = key.split(".")
    for depth in range(len(parts), 0, -1):
        if reason := reasons.get(".".join(parts[:depth])):
            return reason
    return "unknown to lorebank"


def _translated(key: str, value: Any) -> Any:
    change = _TRANSLATIONS.get(key)
    return change(value) if change else value


def _secret(value: Any) -> Any:
    """`${NAME}` and `{source: "env", id: "NAME"}` are `env:NAME` here."""
    if isinstance(value, dict) and value.get("source") == "env":
        return f"env:{value.get('id')}"
    if isinstance(value, dict) and "source" not in value:
        return {name: _secret(text) for name, text in value.items()}
    if isinstance(value, str) and (found := _VARIABLE.fullmatch(value.strip())):
        return f"env:{found[1]}"
    return value


def _store_path(value: Any) -> Any:
    """The path of one index an agent."""
    if not isinstance(value, str):
        return value
    path = value.replace("{agentId}", "{agent_id}")
    return str(Path(path).expanduser()) if path.startswith("~") else path


def _at_home(value: Any) -> Any:
    """A path with the home folder filled in."""
    if isinstance(value, str) and value.startswith("~"):
        return str(Path(value).expanduser())
    return value


def _duration(value: Any) -> Any:
    """A bare number is minutes there."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}m"
    text = value.strip().lower() if isinstance(value, str) else value
    return f"{text}m" if isinstance(text, str) and text.replace(".", "", 1).isdigit() else text


def _collection_name(value: Any) -> Any:
    """A name as a collection may have it, made as OpenClaw does."""
    if not isinstance(value, str):
        return value
    return re.sub(r"[^a-z0-9-]+", "-", value.lower()).strip("-")[:64] or "collection"


def _scope_rules(rules: Any) -> Any:
    if not isinstance(rules, list):
        return rules
    return [_scope_rule(rule) for rule in rules]


def _scope_rule(rule: Any) -> Any:
    match = rule.get("match") if isinstance(rule, dict) else None
    if not isinstance(match, dict):
        return rule
    return rule | {"match": {_MATCHED.get(name, name): text for name, text in match.items()}}


_TRANSLATIONS: dict[str, Callable[[Any], Any]] = {
    "remote.apiKey": _secret,
    "remote.headers": _secret,
    "store.path": _store_path,
    "local.modelPath": _at_home,
    "local.modelCacheDir": _at_home,
    "qmd.command": _at_home,
    "qmd.sessions.exportDir": _at_home,
    "qmd.update.interval": _duration,
    "qmd.update.embedInterval": _duration,
    "qmd.scope.rules": _scope_rules,
}
