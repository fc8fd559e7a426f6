// lorebank in OpenClaw's memory slot: its tools, the host's search, recall before a turn, and the
// conversation kept after it. The engine decides; this file only speaks both languages.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Server } from "./server.js";

const execute = promisify(execFile);
const TOOLS = JSON.parse(readFileSync(new URL("./tools.json", import.meta.url), "utf8"));
const PACK_TOKENS = 2000;
const MOST_PACKS = 200; // conversations whose boot pack is remembered
const PROMPT_TOKENS = 300; // five short hits: paid for with every prompt
const FLUSH = {
  softThresholdTokens: 4000,
  forceFlushTranscriptBytes: 2 * 1024 * 1024,
  reserveTokensFloor: 20_000,
  systemPrompt:
    "Session nearing compaction. Store durable memories now. You may reply, but usually NO_REPLY is right.",
  prompt:
    "Keep what should still be known next month with the tool retain, one sentence each; reply with NO_REPLY if nothing to store.",
};

export default {
  id: "lorebank",
  name: "lorebank",
  description: "Memory in Markdown: facts, beliefs and citations, shared by the agent and its owner",
  kind: "memory",
  register,
};

function register(api) {
  const settings = { command: ["lorebank"], recall: true, capture: false, ...api.pluginConfig };
  const servers = new Map();

  /** The server of a conversation: others' conversations get one that knows nothing private. */
  function serverFor({ agentId = "main", sessionKey = "", workspaceDir }) {
    const workspace = settings.workspace ?? workspaceDir ?? workspaceOf(api.config, agentId);
    const command = [
      ...settings.command, "mcp", "-w", absolute(workspace),
      "--agent", `openclaw/${agentId}`, "--tools", TOOLS.map((tool) => tool.name).join(","),
    ];
    if (isShared(sessionKey)) command.push("--group");
    if (settings.capture) {
      command.push("--set", 'memory_search.sources=["memory", "sessions"]');
      command.push("--set", "memory_search.experimental.session_memory=true");
      command.push("--set", `memory_search.sessions.paths=${JSON.stringify([captured(agentId)])}`);
    }
    const key = command.join("\0");
    if (!servers.has(key)) servers.set(key, new Server(command));
    return servers.get(key);
  }

  for (const tool of TOOLS) {
    const descriptor = (context) => ({
      ...tool,
      async execute(_id, args, signal) {
        const { text, structure } = await serverFor(context).call(tool.name, args ?? {}, signal);
        return { content: [{ type: "text", text }], details: structure };
      },
    });
    api.registerTool(descriptor, { name: tool.name });
  }

  api.registerMemoryCapability({
    promptBuilder: ({ availableTools, citationsMode }) => promptSection(availableTools, citationsMode),
    flushPlanResolver: ({ nowMs }) => ({ ...FLUSH, relativePath: logOf(nowMs) }),
    deterministicRecallToolName: "memory_search",
    runtime: {
      resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
      async getMemorySearchManager({ cfg, agentId }) {
        const workspace = absolute(settings.workspace ?? workspaceOf(cfg, agentId));
        return { manager: searchManager([...settings.command, "-w", workspace, "--json"]) };
      },
      supportsWorkspaceMemoryReadSources: true,
      async classifyWorkspaceMemoryPaths({ relativePaths }) {
        return relativePaths.map((relativePath) => ({ relativePath, originClass: originOf(relativePath) }));
      },
      async closeAllMemorySearchManagers() {
        for (const server of servers.values()) server.close();
        servers.clear();
      },
    },
  });

  const packs = new Map(); // conversation → what it was told at its start

  /** The boot pack, the same in every turn of a conversation, so that prompt caches hold. */
  function packFor(context) {
    const key = `${context.sessionKey} ${context.sessionId}`;
    if (!packs.has(key)) {
      if (packs.size >= MOST_PACKS) packs.delete(packs.keys().next().value);
      const pack = serverFor(context).call("context", { token_budget: PACK_TOKENS });
      pack.catch(() => packs.delete(key)); // asked for again in the next turn
      packs.set(key, pack);
    }
    return packs.get(key);
  }

  if (settings.recall) api.on("before_prompt_build", async (event, context) => {
    const failed = (problem) => api.logger.warn(`lorebank: ${problem.message}`);
    const pack = await packFor(context).catch(failed);
    const prompt = event.currentUserMessage ?? event.prompt;
    const isQuestion = prompt?.trim() && (context.trigger ?? "user") === "user";
    const asked = { query: prompt, k: 5, token_budget: PROMPT_TOKENS };
    const found = isQuestion && await serverFor(context).call("recall", asked).catch(failed);
    return {
      appendSystemContext: pack?.text,
      prependContext: found?.structure?.level === "strong" ? found.text : undefined,
    };
  }, { timeoutMs: 15_000 }); // the first call of all may read a whole workspace

  if (settings.capture) api.on("agent_end", async (event, context) => {
    if (!event.success || !context.sessionId || isShared(context.sessionKey ?? "")) return;
    await capture(captured(context.agentId ?? "main"), context.sessionId, event.messages);
  });
}

function isShared(sessionKey) {
  return /:(group|channel):/.test(`:${sessionKey}:`);
}

function workspaceOf(config, agentId) {
  const agents = config?.agents;
  const listed = agents?.list?.find?.((agent) => agent.id === agentId) ?? agents?.entries?.[agentId];
  return listed?.workspace ?? agents?.defaults?.workspace ?? join(homedir(), ".openclaw", "workspace");
}

/** Only the owner writes the core memory unmarked; logs are written by agents as well. */
function originOf(path) {
  if (/^memory\.md$/i.test(path)) return "owner";
  return /^(memory|bank)\/(?!imported\/)/.test(path) ? "agent" : "untrusted";
}

function absolute(path) {
  return resolve(path.replace(/^~(?=\/|$)/, homedir()));
}

function captured(agentId) {
  return join(homedir(), ".openclaw", "lorebank", agentId);
}

function logOf(nowMs) {
  const now = new Date(nowMs ?? Date.now());
  const two = (number) => String(number).padStart(2, "0");
  return `memory/${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.md`;
}

function promptSection(tools, citations) {
  if (!tools.has("recall") && !tools.has("memory_search")) return [];
  return [
    "## Memory",
    "Before answering about people, preferences, decisions, dates or earlier work, call recall;" +
      " read more around a hit with memory_get. Say so where memory has nothing.",
    "When something lasting is said, call retain with one sentence that stands alone, with names.",
    ...(citations === "off" ? [] : ["Cite a fact by its path and line, as recall shows it."]),
    "",
  ];
}

/** What the host's own commands and features search with; `start` runs lorebank for JSON. */
function searchManager(start) {
  const [program, ...before] = start;
  const run = async (args, signal) =>
    JSON.parse((await execute(program, [...before, ...args], { signal, maxBuffer: 1 << 26 })).stdout);
  return {
    async search(query, { maxResults = 10, minScore = 0, sessionKey = "", signal } = {}) {
      if (isShared(sessionKey)) return []; // the tools answer there, by what others may read
      const found = await run(["search", "-k", maxResults, "--min-score", minScore, "--", query], signal);
      return found.hits.map(({ path, start_line, end_line, score, snippet, source }) => ({
        path, startLine: start_line, endLine: end_line, score, snippet, citation: source,
        source: path.startsWith("sessions/") ? "sessions" : "memory",
      }));
    },
    async readFile({ relPath, from = 1, lines }) {
      const until = lines ? `-L${from + lines - 1}` : "";
      const place = from > 1 || lines ? `${relPath}#L${from}${until}` : relPath;
      const { text } = await run(["get", place]);
      return { status: "ok", path: relPath, text };
    },
    status: () => ({ backend: "builtin", provider: "lorebank", custom: { command: start } }),
    probeEmbeddingAvailability: async () => ({ ok: true }),
    probeVectorAvailability: async () => true,
  };
}

/** Append what was said since the last turn, one JSON line a message, as transcripts are read. */
async function capture(folder, sessionId, messages) {
  const file = join(folder, `${sessionId.replace(/[^\w-]/g, "_")}.jsonl`);
  const known = await readFile(file, "utf8").then((text) => text.split("\n").length - 1, () => 0);
  const said = messages.filter(({ role }) => role === "user" || role === "assistant");
  const lines = said.slice(known).map((message) =>
    JSON.stringify({ type: "message", timestamp: new Date().toISOString(), message }));
  if (!lines.length) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await appendFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
}
