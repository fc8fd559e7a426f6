"""The settings: one class per table, one field per setting with default, rule and description.

A workspace may come from anybody, so it can never set an endpoint, a key, a command, a paid
provider or the text of a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from lorebank.domain.facts import Origin
from lorebank.records import Record
from lorebank.settings.rules import (
    AGENT_ID,
    COMMAND,
    ENDPOINT,
    EXTRA_PATHS,
    FLAG,
    FRACTION,
    HEADINGS,
    INDEX_PATH,
    LOG_PATTERN,
    MODEL,
    MODEL_PATH,
    PATH,
    SECRET,
    TEXTS,
    Rule,
    duration,
    is_location,
    number,
    one_of,
    setting,
    tables,
    user_only,
    user_only_text,
    whole_number,
)

PROVIDERS = ("local", "openai", "gemini", "voyage", "ollama", "llama.cpp", "none")
"""Every embedder that a setting may name."""
_OFFLINE_PROVIDERS = frozenset({"local", "none"})


def _provider(*choices: str) -> Rule:
    return user_only(one_of(*choices), lambda name: name not in _OFFLINE_PROVIDERS)


class LocalSettings(Record):
    """A model on this machine in place of the built-in one."""

    model_path: str = setting("", MODEL_PATH)
    """A folder with an ONNX or static model, a GGUF file, or `hf:owner/repository/file.gguf`;
    empty for the built-in model."""
    model_cache_dir: str = setting("", PATH)
    """Where downloaded GGUF files are kept; empty for llama.cpp's own place."""
    command: str = setting("llama-server", user_only_text("a command", bool))
    """The server of llama.cpp, started where `model_path` is set and none is reached."""


class BatchSettings(Record):
    """Asynchronous jobs for large amounts: cheaper, slower; where the provider has them."""

    enabled: bool = setting(False, user_only(FLAG))
    wait: bool = setting(True, FLAG)
    """Wait for the results; otherwise a later run fetches them."""
    poll_interval_ms: int = setting(2000, whole_number(10, 3_600_000))
    timeout_minutes: float = setting(60.0, number(0.001, 2880))
    concurrency: int = setting(2, whole_number(1, 16))
    """Jobs at a time."""


class RemoteSettings(Record):
    """The endpoint of the chosen provider; wins over `providers.<name>`."""

    base_url: str = setting("", ENDPOINT)
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": user_only(TEXTS)})
    """Added to those of `providers.<name>`, and win where both name one."""
    timeout_seconds: float = setting(60.0, number(0.01, 3600))
    """For one request, from its first byte to its last."""
    attempts: int = setting(5, whole_number(1, 20))
    """Attempts before the provider counts as failed."""
    concurrency: int = setting(2, whole_number(1, 16))
    """Requests at a time."""
    batch: BatchSettings = field(default_factory=BatchSettings)


class CacheSettings(Record):
    """Vectors kept by what was embedded, so that no text is embedded twice."""

    enabled: bool = setting(True, FLAG)
    max_entries: int = setting(50_000, whole_number(0, 100_000_000))
    """The least recently used are dropped beyond it."""
    shared: bool = setting(False, user_only(FLAG))
    """One cache for all workspaces of the user, in place of one in each."""


class EmbedderSettings(Record):
    """What turns text into vectors."""

    provider: str = setting("local", _provider("auto", *PROVIDERS))
    """`auto` takes the first available: a local model file, then a key for OpenAI, Gemini or
    Voyage, then the built-in model."""
    model: str = setting("", MODEL)
    """Empty for the provider's default."""
    dimensions: int = setting(0, user_only(whole_number(0, 16_384)))
    """The length of the vectors, where the model offers several; 0 for its own."""
    fallback: str = setting("none", _provider(*PROVIDERS))
    """Used only while the provider fails."""
    offline: bool = setting(False, user_only(FLAG, lambda offline: not offline))
    """Nothing leaves this machine."""
    local: LocalSettings = field(default_factory=LocalSettings)
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)


class AccountSettings(Record):
    """Address and key of a provider, as primary or as fallback."""

    base_url: str = setting("", ENDPOINT)
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": user_only(TEXTS)})


class ProviderSettings(Record):
    """One account per provider."""

    openai: AccountSettings = field(default_factory=AccountSettings)
    gemini: AccountSettings = field(default_factory=AccountSettings)
    voyage: AccountSettings = field(default_factory=AccountSettings)
    ollama: AccountSettings = field(default_factory=AccountSettings)
    llama_cpp: AccountSettings = field(default_factory=AccountSettings)


GENERATORS = ("none", "openai", "gemini", "ollama", "command")
"""Every generator that a setting may name; `openai` is any server that speaks as OpenAI does,
`command` the program of `generator.command`."""


class GeneratorSettings(Record):
    """A chat model, whose texts are checked against their citations. Off by default."""

    provider: str = setting("none", user_only(one_of(*GENERATORS), lambda name: name != "none"))
    model: str = setting("", MODEL)
    """Empty for the provider's default."""
    base_url: str = setting("", ENDPOINT)
    """Wins over `providers.<name>.base_url`; so do the key and the headers."""
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": user_only(TEXTS)})
    command: tuple[str, ...] = setting((), user_only(HEADINGS))
    """A program and its arguments, run without a shell: prompt on stdin, answer on stdout."""
    judges: bool = setting(False, user_only(FLAG))
    """Whether reflect first lets it judge the pairs of the inbox, within `max_calls`."""
    timeout_seconds: float = setting(120.0, user_only(number(0.01, 3600)))
    """For one request, from its first byte to its last."""
    attempts: int = setting(3, user_only(whole_number(1, 20)))
    """Attempts before a request counts as failed."""
    answer_tokens: int = setting(1500, user_only(whole_number(50, 32_000)))
    """Limit of one answer."""
    summaries: bool = setting(False, user_only(FLAG))
    """Whether reflect also lets it write the summaries of entity pages."""
    max_calls: int = setting(40, user_only(whole_number(0, 100_000)))
    """Calls per run."""
    max_tokens: int = setting(200_000, user_only(whole_number(0, 1_000_000_000)))
    """Tokens per run, prompts and answers; estimated if the provider does not count them."""


def _is_folder_table(folders: Mapping[object, object]) -> bool:
    return all(
        isinstance(folder, str) and folder.strip("/ ") and origin in set(Origin)
        for folder, origin in folders.items()
    )


def _grants_trust(folders: Mapping[str, str]) -> bool:
    """Whether it marks a folder as trusted, which a workspace may not do for itself."""
    return any(Origin(origin).trusted for origin in folders.values())


FOLDERS = user_only(
    Rule(f"a table of folders, each with one of {', '.join(Origin)}", _is_folder_table, dict),
    _grants_trust,
)


class OriginSettings(Record):
    """The origin of files, unless a file or its lines lower it."""

    folders: Mapping[str, str] = field(default_factory=dict, metadata={"rule": FOLDERS})
    """Folder or file → origin, besides the built-in `memory/imported`, `memory/sessions` and
    `memory/untrusted`; the longest match counts."""


class TemporalDecaySettings(Record):
    """Dated notes lose score with age; undated ones do not."""

    enabled: bool = setting(False, FLAG)
    half_life_days: float = setting(30.0, number(0.1, 36500))


class MmrSettings(Record):
    """Maximal marginal relevance: fewer near-duplicates among the hits."""

    enabled: bool = setting(False, FLAG)
    lambda_: float = setting(0.7, FRACTION)
    """1 is pure relevance, 0 the greatest diversity. Written `lambda`."""


class RerankerSettings(Record):
    """A cross-encoder that reorders the best candidates. Off by default."""

    model_path: str = setting("", MODEL_PATH)
    """A folder with `model.onnx` and `tokenizer.json`."""
    candidates: int = setting(50, whole_number(1, 1000))
    """How many of the best it reads."""


class RecallSettings(Record):
    """How answers are ranked and cut."""

    k: int = setting(10, whole_number(1, 10_000))
    vector_weight: float = setting(0.7, FRACTION)
    text_weight: float = setting(0.3, FRACTION)
    candidate_multiplier: int = setting(0, whole_number(0, 100))
    """How many lines each way of looking brings for each hit wanted; 0: 120, or 4 a hit."""
    min_score: float = setting(0.0, FRACTION)
    """Hits with a lower score are left out."""
    auto_sync: bool = setting(True, FLAG)
    remember_uses: bool = setting(True, FLAG)
    """Whether the day a line was last recalled is noted, in `.memory/` only."""
    temporal_decay: TemporalDecaySettings = field(default_factory=TemporalDecaySettings)
    mmr: MmrSettings = field(default_factory=MmrSettings)
    reranker: RerankerSettings = field(default_factory=RerankerSettings)


_NAME = r"[a-z0-9][a-z0-9-]{0,63}"
_RESERVED = r"memory-root|sessions|extra-\d+"
"""Names of built-in collections."""
_PATTERN = r"[^\x00-\x1f\\]+"
_TIMEOUT_MS = whole_number(1, 86_400_000)


def _is_collection(row: Mapping[str, Any]) -> bool:
    return (
        is_location(row["path"])
        and bool(re.fullmatch(_NAME, row.get("name", "unnamed")))
        and not re.fullmatch(_RESERVED, row.get("name", "unnamed"))
        and bool(re.fullmatch(_PATTERN, row.get("pattern", "*")))
        and not row.get("pattern", "").startswith(("/", "-", ".."))
    )


def _are_collections(rows: list[object]) -> bool:
    known: list[Mapping[str, Any]] = [row for row in rows if isinstance(row, dict)]
    names = [row["name"] for row in known if "name" in row]
    return all(map(_is_collection, known)) and len(names) == len(set(names))


_COLLECTIONS = user_only(
    tables(
        "a list of tables {path, pattern, name}: path inside the workspace or absolute, name in "
        "small letters, digits and '-', none twice",
        required={"path": str},
        optional={"pattern": str, "name": str},
        accepts=_are_collections,
    )
)


class QmdSessionSettings(Record):
    """Conversations as a separate collection."""

    enabled: bool = setting(False, user_only(FLAG))
    retention_days: int = setting(0, user_only(whole_number(0, 36_500)))
    """Exports of conversations that ended longer ago are removed; 0 keeps all."""
    export_dir: str = setting("", PATH)
    """Folder of the exports; empty for one next to the sidecar's index."""


class QmdUpdateSettings(Record):
    """When the sidecar's index follows the files, and how long each command may take."""

    interval: str = setting("5m", user_only(duration()))
    """Time between two updates; `0` for manual ones only."""
    debounce_ms: int = setting(15_000, user_only(whole_number(0, 86_400_000)))
    """Minimum time between two updates."""
    on_boot: bool = setting(True, user_only(FLAG))
    """Update when a server starts, before the first search."""
    wait_for_boot_sync: bool = setting(False, user_only(FLAG))
    """Search waits for an update that is due; otherwise it runs in the background."""
    embed_interval: str = setting("60m", user_only(duration()))
    """Time between two runs of `qmd embed`, which only the search modes with vectors need."""
    command_timeout_ms: int = setting(30_000, user_only(_TIMEOUT_MS))
    """For managing collections."""
    update_timeout_ms: int = setting(120_000, user_only(_TIMEOUT_MS))
    embed_timeout_ms: int = setting(120_000, user_only(_TIMEOUT_MS))


class QmdLimitSettings(Record):
    """Limits of one search."""

    max_results: int = setting(6, whole_number(1, 1000))
    max_snippet_chars: int = setting(700, whole_number(50, 700))
    max_injected_chars: int = setting(4000, whole_number(50, 1_000_000))
    """All snippets of a search together."""
    timeout_ms: int = setting(4000, user_only(_TIMEOUT_MS))


class QmdSettings(Record):
    """The `qmd` command, used where `memory.backend` is `qmd`."""

    command: str = setting("qmd", user_only(COMMAND))
    """Name or absolute path."""
    search_mode: str = setting("search", user_only(one_of("search", "vsearch", "query")))
    """By words, by meaning, or both reranked; the latter two fetch models at their first use."""
    include_default_memory: bool = setting(True, user_only(FLAG))
    """Search the workspace's own memory, besides `paths`."""
    paths: tuple[Mapping[str, str], ...] = setting((), _COLLECTIONS)
    """Further folders and files, as `{path, pattern, name}`; without a pattern, all Markdown."""
    sessions: QmdSessionSettings = field(default_factory=QmdSessionSettings)
    update: QmdUpdateSettings = field(default_factory=QmdUpdateSettings)
    limits: QmdLimitSettings = field(default_factory=QmdLimitSettings)


ACTIONS = ("allow", "deny")
CHAT_TYPES = ("direct", "group", "channel")
MATCHED = ("channel", "chat_type", "key_prefix", "raw_key_prefix")
"""Keys a scope rule may match."""


def _is_scope_rule(rule: Mapping[str, Any]) -> bool:
    match = rule.get("match", {})
    return (
        rule["action"] in ACTIONS
        and match.keys() <= set(MATCHED)
        and all(isinstance(text, str) and text.strip() for text in match.values())
        and match.get("chat_type", CHAT_TYPES[0]) in CHAT_TYPES
    )


_SCOPE = user_only(
    tables(
        'a list of tables {action = "allow" or "deny", match = {channel, chat_type, key_prefix, '
        'raw_key_prefix}}, chat_type "direct", "group" or "channel"',
        required={"action": str},
        optional={"match": dict},
        accepts=lambda rules: all(map(_is_scope_rule, rules)),
    )
)
_DIRECT_ONLY = ({"action": "allow", "match": {"chat_type": "direct"}},)
SOURCES = Rule(
    'a list of "memory" and "sessions"',
    lambda names: bool(names) and all(name in ("memory", "sessions") for name in names),
    list,
)
PROMPT = user_only_text("a text")


class ScopeSettings(Record):
    """In which conversations `memory_search` answers, where the host names the conversation."""

    default: str = setting("deny", user_only(one_of(*ACTIONS)))
    """If no rule matches."""
    rules: tuple[Mapping[str, Any], ...] = setting(_DIRECT_ONLY, _SCOPE)
    """The first that matches decides. A rule without `match` matches every conversation."""


class MemorySettings(Record):
    """Search engine, citations and scope."""

    backend: str = setting(
        "builtin", user_only(one_of("builtin", "qmd"), lambda name: name != "builtin")
    )
    """Who ranks passages for `search`; the built-in engine answers wherever `qmd` fails."""
    citations: str = setting("auto", one_of("auto", "on", "off"))
    """Whether snippets end with `Source: path#line`; `auto`: everywhere but in a group."""
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)


class ExperimentalSettings(Record):
    """Opt-in features."""

    session_memory: bool = setting(False, user_only(FLAG))
    """Whether transcripts are read at all; they are the user's, so a workspace cannot ask."""


class SessionSettings(Record):
    """The transcripts of conversations, where `sources` names them."""

    paths: tuple[str, ...] = setting(("~/.openclaw/agents/{agent_id}/sessions",), EXTRA_PATHS)
    """Folders of `.jsonl` files; `{agent_id}` stands for `index.agent_id`."""
    delta_bytes: int = setting(100_000, whole_number(0, 1_000_000_000))
    """A file that grew by less, and by less than `delta_lines`, waits for `lorebank index`."""
    delta_lines: int = setting(50, whole_number(0, 1_000_000))
    retention_days: int = setting(0, whole_number(0, 36_500))
    """Older turns are not kept in the index; 0 keeps all."""


class MemorySearchSettings(Record):
    """The tools `memory_search` and `memory_get` of the MCP server, and where they look."""

    enabled: bool = setting(True, FLAG)
    """False removes both tools."""
    sources: tuple[str, ...] = setting(("memory",), SOURCES)
    """What is searched: `memory`, the notes, and `sessions`, once `session_memory` allows it."""
    experimental: ExperimentalSettings = field(default_factory=ExperimentalSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)

    @property
    def searches_sessions(self) -> bool:
        """Whether transcripts are indexed and searched."""
        return self.experimental.session_memory and "sessions" in self.sources


class CoreMemorySettings(Record):
    """Size limits of `memory.md`, in estimated tokens."""

    warn_tokens: int = setting(1000, whole_number(50, 1_000_000))
    limit_tokens: int = setting(2000, whole_number(50, 1_000_000))
    """Larger writes are refused."""


class ContextSettings(Record):
    """The boot pack."""

    token_budget: int = setting(2500, whole_number(50, 1_000_000))


class MemoryFlushSettings(Record):
    """The reminder to store lasting facts before a host compacts its conversation."""

    enabled: bool = setting(True, FLAG)
    soft_threshold_tokens: int = setting(4000, whole_number(0, 10_000_000))
    prompt: str = setting("", PROMPT)
    """Replaces the built-in text; `{log}` is the path of today's log."""
    system_prompt: str = setting("", PROMPT)


class CompactionSettings(Record):
    """Compaction by the host."""

    reserve_tokens_floor: int = setting(20000, whole_number(0, 10_000_000))
    """Tokens of the context window that the host keeps free."""
    memory_flush: MemoryFlushSettings = field(default_factory=MemoryFlushSettings)


class WorkspaceSettings(Record):
    """Which files are memory."""

    log_pattern: str = setting("memory/{YYYY}-{MM}-{DD}.md", LOG_PATTERN)
    extra_paths: tuple[str, ...] = setting((), EXTRA_PATHS)
    """Further Markdown files and folders; absolute ones only from the user's file."""
    exclude: tuple[str, ...] = setting((), EXTRA_PATHS)
    """Folders and files that are never read, such as templates."""


class RetainSettings(Record):
    """How retain sections are recognised."""

    headings: tuple[str, ...] = setting((), HEADINGS)
    """First words of a heading that open a retain section, besides the built-in ones."""


class MentionSettings(Record):
    """Which names count as mentions without `@`."""

    in_prose: bool = setting(True, FLAG)
    """Whether known names are found in running text, as weaker mentions."""
    exclude: tuple[str, ...] = setting((), HEADINGS)
    """Names that are common words here: found only with `@`."""


class IndexSettings(Record):
    """How files are cut into chunks, both in estimated tokens, and where the index is kept."""

    chunk_tokens: int = setting(400, whole_number(50, 8000))
    chunk_overlap: int = setting(80, whole_number(0, 4000))
    path: str = setting("", INDEX_PATH)
    """Where the index is kept in place of `.memory/index.sqlite`; `{workspace}` stands for a name
    of the workspace's own, `{agent_id}` for the agent's."""
    agent_id: str = setting("main", AGENT_ID)
    """The current agent, if each has its own index."""


class VectorSettings(Record):
    """The vector extension of SQLite; without it an exact scan gives the same answers."""

    enabled: bool = setting(True, FLAG)
    extension_path: str = setting("", PATH)
    """A shared library to load in place of the packaged one; only from the user's file."""


class ReflectSettings(Record):
    """Beliefs and limits of the nightly run."""

    prior: float = setting(0.6, number(0.01, 0.99))
    """The confidence of an opinion whose writer gave none."""
    fade_half_life_days: float = setting(0.0, number(0, 36500))
    """Days without evidence after which an opinion is shown halfway to `prior`; 0: never. The
    stored confidence does not change."""
    catch_up: str = setting("say", one_of("say", "run", "off"))
    """What the next command does about a missed night: report it, run it, or nothing."""
    core_token_budget: int = setting(1500, whole_number(50, 100_000))
    """How large the core memory may grow by proposals, in estimated tokens."""
    max_vanish: float = setting(0.25, FRACTION)
    """The share of a page's entries that may go in one run without `--force`; one always may."""
    infer: bool = setting(False, FLAG)
    """Whether every run, the nightly one included, suggests retain lines from prose: `--infer`."""
    run_git_programs: bool = setting(False, user_only(FLAG))
    """Whether `--commit` runs the repository's own hooks, filters and signer."""


class Config(Record):
    """All settings of one run, complete and valid."""

    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    retain: RetainSettings = field(default_factory=RetainSettings)
    mentions: MentionSettings = field(default_factory=MentionSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    origin: OriginSettings = field(default_factory=OriginSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    generator: GeneratorSettings = field(default_factory=GeneratorSettings)
    providers: ProviderSettings = field(default_factory=ProviderSettings)
    vector: VectorSettings = field(default_factory=VectorSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    reflect: ReflectSettings = field(default_factory=ReflectSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    memory_search: MemorySearchSettings = field(default_factory=MemorySearchSettings)
    core_memory: CoreMemorySettings = field(default_factory=CoreMemorySettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    origins: Mapping[str, str] = field(default_factory=dict)
    """Key → the file or variable that set it; defaults are absent."""
