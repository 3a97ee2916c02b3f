import { setImmediate as nextRound } from "node:timers/promises";
import { type ImageNote, noteImage } from "../../model/image-note.js";
import type { AssistantPart, Entry } from "../../model/transcript.js";
import { sleep } from "../../server/clock.js";
import type { McpHub } from "../mcp/hub.js";
import { failureText, ModelFailure, playTurn, type Stage } from "../model/play.js";
import { readPrompt } from "../model/read-prompt.js";
import { readPermissions } from "../permissions.js";
import type { Workspace } from "../workspace.js";
import type { World } from "../world.js";
import { answerAsk } from "./asks.js";
import { objectsOf, type Params, type Peer, RpcError, textOf } from "./peer.js";
import type { Settings } from "./settings.js";

interface SessionDeps {
  readonly id: string;
  readonly world: World;
  readonly peer: Peer;
  readonly workspace: Workspace;
  readonly hub: McpHub;
  readonly settings: Settings;
  readonly isForced: boolean;
  readonly entries: readonly Entry[];
  store(entries: readonly Entry[]): void;
}

/** The number of deltas that go out before input is read again. */
const DELTAS_PER_ROUND = 64;

/** One conversation over ACP. */
export class Session {
  readonly #deps: SessionDeps;
  readonly #entries: Entry[];
  readonly #allowedAlways = new Set<string>();
  #running: AbortController | undefined;
  #deltas = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#entries = [...deps.entries];
  }

  get settings(): Settings {
    return this.#deps.settings;
  }

  update(update: object): void {
    this.#deps.peer.notify("session/update", { sessionId: this.#deps.id, update });
  }

  /** Replays the conversation, as `session/load` does. */
  replay(): void {
    for (const update of this.#entries.flatMap(replayed)) this.update(update);
  }

  async prompt(params: Params): Promise<object> {
    if (this.#running !== undefined) throw new RpcError(-32600, "A prompt is already running in this session");
    const running = new AbortController();
    this.#running = running;
    const { world, peer, id, store } = this.#deps;
    const { entries, given, textTools } = readPrompt(promptText(params));
    this.#entries.push(...entries.slice(0, -1), withImages(entries.at(-1), params));
    try {
      for (const method of world.scenario.acpExtensions) await peer.request(method, { sessionId: id });
      const tools = [...this.#deps.hub.tools, ...textTools];
      let stopReason = "end_turn";
      const refused = () => {
        stopReason = "refusal";
      };
      const stage = { ...this.#stage(running.signal), refused };
      await playTurn(this.#entries, { tools, given, isFallback: false }, stage);
      return { stopReason };
    } catch (thrown) {
      if (running.signal.aborted) return this.#cancelled();
      if (!(thrown instanceof ModelFailure)) throw thrown;
      if (world.scenario.acpErrors === "rpc") throw new RpcError(-32603, failureText(thrown));
      this.#chunk("agent_message_chunk", `\n\nError: ${failureText(thrown)}`);
      return { stopReason: "end_turn" };
    } finally {
      this.#running = undefined;
      store(this.#entries);
    }
  }

  cancel(): void {
    this.#running?.abort(new Error("cancelled"));
  }

  async close(): Promise<void> {
    this.cancel();
    await this.#deps.hub.close();
  }

  #cancelled(): object {
    if (this.#deps.world.scenario.lateUpdates) {
      void nextRound().then(() => this.#chunk("agent_message_chunk", "late words"));
    }
    return { stopReason: "cancelled" };
  }

  #chunk(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    this.update(chunk(sessionUpdate, text));
  }

  #stage(signal: AbortSignal): Stage {
    const { world } = this.#deps;
    const pause = (ms: number) => sleep(ms, world.clock, signal);
    const speak = async (kind: "agent_message_chunk" | "agent_thought_chunk", delta: string) => {
      signal.throwIfAborted();
      this.#chunk(kind, delta);
      this.#deltas += 1;
      if (this.#deltas % DELTAS_PER_ROUND === 0) await nextRound();
      await pause(world.scenario.deltaMs);
    };
    return {
      think: (delta) => speak("agent_thought_chunk", delta),
      thinkingDone: () => {},
      say: (delta) => speak("agent_message_chunk", delta),
      askAll: async (asks, onAnswer) => {
        await Promise.all(
          asks.map(async (open) => {
            if (open.ask.type === "call") await pause(open.ask.afterMs);
            onAnswer(open, await answerAsk(open, this.#rules(signal), signal));
          }),
        );
        signal.throwIfAborted();
      },
      sleep: pause,
      newCallId: () => `call_${world.newId()}`,
      crash: world.crash,
    };
  }

  #rules(signal: AbortSignal): Parameters<typeof answerAsk>[1] {
    const { world, peer, id, hub, workspace, settings, isForced } = this.#deps;
    const cancelled = new Promise<undefined>((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    return {
      hub,
      permissions: readPermissions(workspace),
      isForced,
      isReadOnly: settings.isReadOnly,
      mcpTitles: world.scenario.mcpTitles,
      allowedAlways: this.#allowedAlways,
      update: (update) => this.update(update),
      request: (method, params) => Promise.race([peer.request(method, { sessionId: id, ...params }), cancelled]),
    };
  }
}

function promptText(params: Params): string {
  return objectsOf(params, "prompt")
    .map((block) => textOf(block, "text"))
    .join("");
}

function withImages(entry: Entry | undefined, params: Params): Entry {
  const images = objectsOf(params, "prompt").flatMap((block): ImageNote[] => {
    if (block.type !== "image") return [];
    return [noteImage(textOf(block, "mimeType"), Buffer.from(textOf(block, "data"), "base64"))];
  });
  return entry?.role === "user" ? { ...entry, images } : (entry ?? { role: "user", text: "", images });
}

/** The updates that replay an entry of a conversation. */
function replayed(entry: Entry): object[] {
  switch (entry.role) {
    case "user":
      return [chunk("user_message_chunk", entry.text)];
    case "assistant":
      return entry.parts.map(replayedPart);
    case "tool":
      return entry.results.map(({ toolCallId }) => {
        return { sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: { success: true } };
      });
    default:
      return [];
  }
}

function replayedPart(part: AssistantPart): object {
  if (part.type === "text") return chunk("agent_message_chunk", part.text);
  if (part.type === "reasoning") return chunk("agent_thought_chunk", part.text);
  const { toolCallId, toolName: title, args: rawInput } = part;
  return { sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "pending", rawInput };
}

function chunk(sessionUpdate: string, text: string): object {
  return { sessionUpdate, content: { type: "text", text } };
}
