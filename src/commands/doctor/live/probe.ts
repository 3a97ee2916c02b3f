import { randomUUID } from "node:crypto";
import type { Gateway, Reply } from "../../../gateway/index.js";
import { collect, type TurnResult } from "../../../turn/collect.js";
import type { Message, ToolDefinition, Turn } from "../../../turn/turn.js";

const TURN_TIMEOUT_MS = 120_000;

/** Whether something that Curlew builds on is so today. */
export interface Verdict {
  readonly status: "ok" | "warn" | "fail";
  readonly note: string;
  /** The beginning of what the model said, for the report. */
  readonly answer?: string;
}

/** A few turns that show whether some facts of the protocol hold. */
export interface Probe {
  /** In the order in which `run` judges them. */
  readonly facts: readonly { readonly name: string; readonly fact: string }[];
  readonly turns: number;
  run(lab: Lab): AsyncGenerator<Verdict>;
}

const verdict =
  (status: Verdict["status"]) =>
  (note: string, answer?: string): Verdict => ({ status, note, ...(answer !== undefined && { answer }) });

export const holds = verdict("ok");
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

/** Where probes talk to the model: the gateway itself, as a client's requests reach it. */
export class Lab {
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

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The reply as a client gives it back. */
export function said({ text, calls }: Heard): Message {
  return { role: "assistant", content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] };
}
