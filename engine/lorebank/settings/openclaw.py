"""OpenClaw's memory search settings (`agents.defaults.memorySearch`, `models.providers`, `memory`)
taken over; what is not mapped is listed with a reason.

The file is JSON5 (https://spec.json5.org): it is rewritten as JSON line for line, which the
standard library then reads.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Mutable, dig
from lorebank.settings.config import check_value, rules

BLANK = r"(?>[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)"
"""Atomic, against exponential backtracking on many comments."""
_TOKEN = re.compile(
    rf"(?P<blank>{BLANK}++)"
    rf"|(?P<comma>,(?={BLANK}*+[\]}}]))"
    r"""|(?P<text>"(?:[^"\\\n\r]|\\\r\n|\\.)*"|'(?:[^'\\\n\r]|\\\r\n|\\.)*')"""
    r"|(?P<number>[+-]?(?:0[xX][0-9a-fA-F]+"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))(?![\w$])"
    rf"|(?P<name>[^\W\d][\w$]*|\$[\w$]*)(?={BLANK}*+:)",
    re.DOTALL,
)
_NO_ESCAPE = re.compile(r"\\(?:(\\)|([^bfnrtvux0-7'\"\n\r]))")
"""A letter that JSON5, unlike Python, lets stand for itself after a backslash."""
_MESSAGES = {
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a name",
    "Extra data": "the end of the text",
}


def parse_json5(text: str) -> Any:
    """Raises `ValueError` with the line; of duplicate names the last one counts."""

    try:
        return json.loads(_TOKEN.sub(_as_json, text))
    except json.JSONDecodeError as problem:
        what = _MESSAGES.get(problem.msg, problem.msg.removeprefix("Expecting "))
        raise ValueError(f"line {problem.lineno}: expected {what}") from problem
    except RecursionError:
        raise ValueError("line 1: expected less deeply nested lists and tables") from None


def _as_json(found: re.Match[str]) -> str:
    token, lines = found[0], "\n" * found[0].count("\n")
    if found["blank"] or found["comma"]:
        return "" if found["comma"] else lines or " "
    if found["name"]:
        return json.dumps(token)
    try:
        read = literal_eval(_NO_ESCAPE.sub(r"\1\1\2", token) if found["text"] else token)
    except (SyntaxError, ValueError) as problem:
        line = found.string.count("\n", 0, found.start()) + 1
        raise ValueError(f"line {line}: expected a text or number, not {token}") from problem
    if isinstance(read, str):  # join surrogate pairs
        read = read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(read) + lines


_SEARCH = "agents.defaults.memorySearch"
_COMPACTION = "agents.defaults.compaction"
_TARGET_KEYS = {
    f"{_SEARCH}.model": "embedder.model",
    f"{_SEARCH}.outputDimensionality": "embedder.dimensions",
    f"{_SEARCH}.provider": "embedder.provider",
    f"{_SEARCH}.fallback": "embedder.fallback",
    f"{_SEARCH}.remote.nonBatchConcurrency": "embedder.remote.concurrency",
    f"{_SEARCH}.store.path": "index.path",
    f"{_SEARCH}.extraPaths": "workspace.extra_paths",
    f"{_SEARCH}.query.maxResults": "recall.k",
    f"{_SEARCH}.query.minScore": "recall.min_score",
    f"{_SEARCH}.sync.onSearch": "recall.auto_sync",
    f"{_SEARCH}.sync.sessions.deltaMessages": "memory_search.sessions.delta_lines",
    f"{_SEARCH}.enabled": "memory_search.enabled",
    f"{_SEARCH}.sources": "memory_search.sources",
}
_TARGET_TABLES = {
    f"{_SEARCH}.remote.": "embedder.remote.",
    f"{_SEARCH}.local.": "embedder.local.",
    f"{_SEARCH}.cache.": "embedder.cache.",
    f"{_SEARCH}.store.vector.": "vector.",
    f"{_SEARCH}.chunking.": "index.chunk_",
    f"{_SEARCH}.query.hybrid.": "recall.",
    f"{_SEARCH}.experimental.": "memory_search.experimental.",
    f"{_SEARCH}.sync.sessions.": "memory_search.sessions.",
    f"{_COMPACTION}.": "compaction.",
    "memory.qmd.scope.": "memory.scope.",
    "memory.": "memory.",
}
"""Tables whose keys differ in spelling only; the first match counts."""
_UNMAPPED_REASONS = {
    f"{_SEARCH}.query.hybrid.enabled": "words, names, times and meaning are always searched "
    "together",
    f"{_SEARCH}.sync.": "the index follows the files whenever something is asked",
    f"{_SEARCH}.multimodal.": "only Markdown is indexed",
    f"{_SEARCH}.store.driver": "the index is always SQLite",
    "memory.qmd.mcporter.": "qmd is run as a command, never through another server",
    f"{_COMPACTION}.": "the host compacts, not the memory",
}
"""A key or table → why it is not imported."""
_SCOPE_KEYS = {"chatType": "chat_type", "keyPrefix": "key_prefix", "rawKeyPrefix": "raw_key_prefix"}
_ACCOUNTS = {"openai": "openai", "google": "gemini", "voyage": "voyage", "ollama": "ollama"}
_ACCOUNT_KEYS = {"apiKey": "api_key", "baseUrl": "base_url", "headers": "headers"}
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")


def read_openclaw(file: Path) -> OpenClawSettings:
    """Raises `ConfigurationError` if the file cannot be read."""
    try:
        document = parse_json5(file.read_text("utf-8-sig"))
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ConfigurationError(f"{file}: is not JSON5: {error}") from error
    if not isinstance(document, dict):
        raise ConfigurationError(f"{file}: expected a table of settings")
    found = OpenClawSettings(document)
    found.read()
    return found


class OpenClawSettings(Mutable):
    """An OpenClaw configuration as settings of lorebank."""

    document: Mapping[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    """Key → validated value."""
    unmapped: list[tuple[str, str]] = field(default_factory=list)
    """OpenClaw's key → why it is not imported."""

    def read(self) -> None:
        search = _at(self.document, _SEARCH)
        if isinstance(search, dict) and "provider" not in search:
            self.settings["embedder.provider"] = "auto"  # OpenClaw's default
        self._read_table(_SEARCH)
        providers = _at(self.document, "models.providers")
        for provider, account in providers.items() if isinstance(providers, dict) else ():
            own = _ACCOUNTS.get(provider)
            for key, value in account.items() if isinstance(account, dict) else ():
                if own and key in _ACCOUNT_KEYS:
                    target = f"providers.{own}.{_ACCOUNT_KEYS[key]}"
                    self._set(f"models.providers.{provider}.{key}", target, _secret(value))
        self._read_table("memory")
        self._read_table(_COMPACTION)
        if _at(self.document, "plugins.slots.memory") == "none":
            self._set("plugins.slots.memory", "memory_search.enabled", False)
        if _at(self.document, "memorySearch") is not None:
            self.unmapped.append(("memorySearch", f"OpenClaw reads {_SEARCH} only"))

    def _read_table(self, table: str) -> None:
        for name, value in _leaves(_at(self.document, table) or {}, table):
            if name == f"{_SEARCH}.extraPaths":
                self._read_paths(name, value)
            elif name == "memory.qmd.paths":
                self._read_qmd_paths(value)
            elif target := _target_key(name):
                self._set(name, target, _TRANSLATIONS.get(name, lambda as_is: as_is)(value))
            else:
                why = (why for key, why in _UNMAPPED_REASONS.items() if f"{name}.".startswith(key))
                self.unmapped.append((name, next(why, "unknown to lorebank")))

    def _read_qmd_paths(self, rows: Any) -> None:
        """Row by row, so that an invalid one does not affect the others."""
        taken: list[dict[str, str]] = []
        for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
            name = f"memory.qmd.paths[{number}]"
            if not isinstance(row, dict) or not isinstance(row.get("path"), str):
                self.unmapped.append((name, "expected a table with a path"))
                continue
            own = {"path": self._resolved_path(row["path"])}
            own |= {key: row[key] for key in ("pattern",) if row.get(key)}
            own |= {"name": _collection_name(row["name"])} if row.get("name") else {}
            self._set(name, "memory.qmd.paths", [*taken, own])
            taken = list(self.settings.get("memory.qmd.paths", ()))
            for key in row.keys() - {"path", "pattern", "name"}:
                self.unmapped.append((f"{name}.{key}", "unknown to lorebank"))

    def _read_paths(self, name: str, values: Any) -> None:
        """Paths inside OpenClaw's workspace stay relative, others become absolute."""
        listed = values if isinstance(values, list) else [values]
        wanted = map(self._resolved_path, listed)
        known = self.settings.get("workspace.extra_paths", ())
        self._set(name, "workspace.extra_paths", list(dict.fromkeys([*known, *wanted])))

    def _resolved_path(self, value: Any) -> str:
        root = Path(str(_at(self.document, "agents.defaults.workspace") or "~/.openclaw/workspace"))
        text = str(value)
        outside = text.startswith("..") or "/../" in text
        return str((root.expanduser() / text).resolve()) if outside else text

    def _set(self, name: str, target: str, value: Any) -> None:
        try:
            self.settings[target] = check_value(target, value)
        except (ConfigurationError, UsageError) as problem:
            self.unmapped.append((name, problem.message))


def _at(table: Any, path: str) -> Any:
    return dig(table, *path.split("."))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The settings of a table by full name; headers and secret references are single values."""
    is_secret = isinstance(value, dict) and {"source", "id"} <= set(value)
    if isinstance(value, dict) and name != f"{_SEARCH}.remote.headers" and not is_secret:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}")
    else:
        yield name, value


def _target_key(name: str) -> str | None:
    if target := _TARGET_KEYS.get(name):
        return target
    for theirs, ours in _TARGET_TABLES.items():
        if name.startswith(theirs):
            target = ours + re.sub(r"[A-Z]", lambda c: f"_{c[0].lower()}", name[len(theirs) :])
            return target if target in rules() else None
    return None


def _secret(value: Any) -> Any:
    """`${NAME}` and `{source: "env", id: "NAME"}` become `env:NAME`."""
    if isinstance(value, dict) and value.get("source") == "env":
        return f"env:{value.get('id')}"
    if isinstance(value, dict) and "source" not in value:
        return {name: _secret(text) for name, text in value.items()}
    if isinstance(value, str) and (found := _VARIABLE.fullmatch(value.strip())):
        return f"env:{found[1]}"
    return value


def _expand_home(value: Any) -> Any:
    if isinstance(value, str) and value.startswith("~"):
        return str(Path(value).expanduser())
    return value


def _duration(value: Any) -> Any:
    """OpenClaw reads a bare number as minutes."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}m"
    text = value.strip().lower() if isinstance(value, str) else value
    return f"{text}m" if isinstance(text, str) and text.replace(".", "", 1).isdigit() else text


def _collection_name(value: Any) -> Any:
    """A valid collection name, normalised as OpenClaw does."""
    if not isinstance(value, str):
        return value
    return re.sub(r"[^a-z0-9-]+", "-", value.lower()).strip("-")[:64] or "collection"


def _scope_rule(rule: Any) -> Any:
    match = rule.get("match") if isinstance(rule, dict) else None
    if not isinstance(match, dict):
        return rule
    return rule | {"match": {_SCOPE_KEYS.get(name, name): text for name, text in match.items()}}


_TRANSLATIONS: dict[str, Callable[[Any], Any]] = {
    f"{_SEARCH}.remote.apiKey": _secret,
    f"{_SEARCH}.remote.headers": _secret,
    f"{_SEARCH}.store.path": lambda path: _expand_home(
        path.replace("{agentId}", "{agent_id}") if isinstance(path, str) else path
    ),
    f"{_SEARCH}.local.modelPath": _expand_home,
    f"{_SEARCH}.local.modelCacheDir": _expand_home,
    "memory.qmd.command": _expand_home,
    "memory.qmd.sessions.exportDir": _expand_home,
    "memory.qmd.update.interval": _duration,
    "memory.qmd.update.embedInterval": _duration,
    "memory.qmd.scope.rules": lambda rules: (
        [_scope_rule(rule) for rule in rules] if isinstance(rules, list) else rules
    ),
}
