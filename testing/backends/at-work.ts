import type { Backend, Exchange, StartContext } from "../../packages/gateway/backends/backend.js";
import { collect } from "../../packages/gateway/turn/collect.js";
import { GatewayError } from "../../packages/gateway/turn/error.js";
import type { TurnEvent, TurnEvents } from "../../packages/gateway/turn/event.js";
import type { SentTurn } from "../../packages/gateway/turn/turn.js";

/** The backend under test, as the cases use it. */
export interface BackendAtWork {
  readonly backend: Backend;
  /** Runs a turn of one user message, or a whole turn. */
  start(turn: string | SentTurn, context?: Partial<StartContext>): Exchange;
  /** The same, but the upstream's bytes are split in the middle of characters. */
  startCut(text: string): Promise<Exchange>;
}

export type BackendCase = (at: BackendAtWork) => Promise<void>;

export async function textOf(exchange: Exchange): Promise<string> {
  return (await collect(exchange.events())).text;
}

export async function flatten(events: TurnEvents): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const batch of events) all.push(...batch);
  return all;
}

export async function untilError(
  events: TurnEvents,
  onEvent: (event: TurnEvent) => void = () => {},
): Promise<{ events: TurnEvent[]; error: GatewayError }> {
  const seen: TurnEvent[] = [];
  try {
    for await (const batch of events) {
      seen.push(...batch);
      batch.forEach(onEvent);
    }
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { events: seen, error: thrown };
    throw thrown;
  }
  throw new Error("the events ended without an error");
}

export function joined(events: readonly TurnEvent[], type: "text" | "thinking"): string {
  return events.map((event) => (event.type === type && "delta" in event ? event.delta : "")).join("");
}
