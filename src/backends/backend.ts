import type { ToolResult } from "../turn/blocks.js";
import type { TurnEvents } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";

export type BackendName = "agent" | "cli" | "sdk" | "chat" | "scripted";

export interface Capabilities {
  readonly tools: boolean;
  readonly images: boolean;
  readonly thinking: boolean;
  readonly parking: boolean;
  readonly systemPrompt: boolean;
}

export interface Model {
  /** What Cursor calls it. */
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly contextTokens?: number;
  readonly canThink: boolean;
}

/** Why an exchange is closed before its end. */
export type CloseReason = "client-left" | "shutdown" | "superseded" | "limit-reached";

export interface StartContext {
  /** Of this request, for logs and for the upstream's own trace. */
  readonly requestId: string;
  /** The model as Cursor calls it, looked up by the gateway. */
  readonly model: string;
}

/** One conversation with one upstream, lasting one or more replies. */
export interface Exchange {
  /** Up to the next pause (client calls are open) or the finish. Failures are thrown as GatewayError. */
  events(): TurnEvents;
  /** One open call, in any order. */
  answer(result: ToolResult): void;
  /** Safe to call at any time, also after the end. */
  close(reason: CloseReason): void;
}

export interface Backend {
  readonly name: BackendName;
  readonly can: Capabilities;
  models(signal: AbortSignal): Promise<readonly Model[]>;
  start(turn: Turn, context: StartContext): Exchange;
  /** Lets go of sockets and timers. */
  close(): void;
}
