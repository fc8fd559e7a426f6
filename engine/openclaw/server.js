// `lorebank mcp` as a child process, spoken to in JSON-RPC lines.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROTOCOL = "2025-06-18";
const SAID_CHARACTERS = 500; // of what the program said last, for the host's log
const ANSWER_MS = 60_000; // a first call may index a large workspace

export class Server {
  #child;
  #ready;
  #waiting = new Map();
  #next = 1;

  constructor(command) {
    this.command = command;
  }

  /** The text of a tool's answer, and the structure beside it. */
  async call(name, args, signal) {
    this.#ready ??= this.#start();
    await this.#ready;
    const result = await this.#request("tools/call", { name, arguments: args }, signal);
    const text = result.content.map((part) => part.text ?? "").join("\n");
    if (result.isError) throw new Error(text);
    return { text, structure: result.structuredContent ?? {} };
  }

  close() {
    this.#child?.kill();
  }

  async #start() {
    const [program, ...args] = this.command;
    const child = spawn(program, args, { stdio: "pipe" });
    this.#child = child;
    let said = "";
    child.stderr.on("data", (data) => (said = `${said}${data}`.slice(-SAID_CHARACTERS)));
    const gone = (problem) => this.#fail(problem);
    child.on("error", (error) => gone(new Error(`lorebank cannot be started: ${error.message}`)));
    child.on("exit", (code) => gone(new Error(`lorebank ended with code ${code}: ${said}`)));
    child.stdin.on("error", gone);
    createInterface({ input: child.stdout }).on("line", (line) => this.#take(line));
    child.unref(); // a one-shot run of the host ends without waiting for its memory
    child.stdin.unref?.();
    child.stdout.unref?.();
    child.stderr.unref?.();
    await this.#request("initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: "openclaw", version: "1" },
    });
    this.#send({ method: "notifications/initialized" });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #request(method, params, signal) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const settle = (act) => (value) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#waiting.delete(id);
        act(value);
      };
      const abort = () => settle(reject)(new Error("aborted"));
      const late = () => settle(reject)(new Error(`lorebank did not answer ${method}`));
      const timer = setTimeout(late, ANSWER_MS);
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      signal?.addEventListener("abort", abort, { once: true });
      this.#send({ id, method, params });
    });
  }

  #take(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // a line that is no message concerns no request
    }
    const asked = this.#waiting.get(message.id);
    if (message.error) asked?.reject(new Error(message.error.message));
    else asked?.resolve(message.result);
  }

  /** Every open request fails; the next call starts the program again. */
  #fail(problem) {
    this.#ready = undefined;
    for (const asked of this.#waiting.values()) asked.reject(problem);
  }
}
