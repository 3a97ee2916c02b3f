import { randomUUID } from "node:crypto";
import type { Gateway, Reply } from "../../../gateway/index.js";
import { collect, type TurnResult } from "../../../turn/collect.js";
import type { Message, ToolDefinition, Turn } from "../../../turn/turn.js";

const TURN_TIMEOUT_MS = 120_000;

/** Whether one claim about Cursor is true today. */
export interface Verdict {
  readonly status: "ok" | "warn" | "fail";
  readonly note: string;
  /** The beginning of the model's answer, for the report. */
  readonly answer?: string;
}

/** A few turns that show whether Cursor still behaves as Curlew expects. */
export interface Probe {
  /** What `run` judges, in this order. */
  readonly claims: readonly { readonly name: string; readonly claim: string }[];
  readonly turns: number;
  run(lab: Lab): AsyncGenerator<Verdict>;
}

const verdict =
  (status: Verdict["status"]) =>
  (note: string, answer?: string): Verdict => ({ status, note, ...(answer !== undefined && { answer }) });

export const passes = verdict("ok");
export const unclear = verdict("warn");
export const broken = verdict("fail");

interface Asked {
  readonly messages: readonly Message[];
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
}

export interface Heard extends TurnResult {
  readonly continuity: Reply["continuity"];
  readonly ms: number;
}

/** Runs turns through the gateway itself, as a client's requests do. */
export class Lab {
  /** Every text that was sent, for a capture: the probes send nothing of the user's. */
  readonly texts = new Set<string>();
  readonly #gateway: Gateway;
  readonly #model: string;

  constructor(gateway: Gateway, model: string) {
    this.#gateway = gateway;
    this.#model = model;
  }

  get parkedRuns(): number {
    return this.#gateway.parkedRuns;
  }

  async ask(asked: Asked): Promise<Heard> {
    const startedMs = performance.now();
    const reply = await this.begin(asked, AbortSignal.timeout(TURN_TIMEOUT_MS));
    const result = await collect(reply.events);
    return { ...result, continuity: reply.continuity, ms: Math.round(performance.now() - startedMs) };
  }

  begin({ messages, system = "", tools = [] }: Asked, signal: AbortSignal): Promise<Reply> {
    for (const text of textsIn([system, tools, messages.filter(({ role }) => role !== "assistant")]))
      this.texts.add(text);
    const turn: Turn = {
      model: this.#model,
      system,
      messages,
      tools,
      toolChoice: { type: "auto" },
      parallelToolCalls: true,
      warnings: [],
    };
    return this.#gateway.run(turn, { requestId: randomUUID(), caller: "doctor", signal });
  }
}

/** The texts and the names of fields anywhere in a value. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* textsIn(inner);
  }
}

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The reply as a client sends it back. */
export function said({ text, calls }: Heard): Message {
  return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] };
}
