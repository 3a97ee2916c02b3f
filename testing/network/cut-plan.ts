import { fromBinary } from "@bufbuild/protobuf";
import { END } from "../../packages/simulator/server/envelope.js";
import { AgentServerMessageSchema } from "../../packages/wire/gen/agent_v1_pb.js";
import type { Cut, CutKind } from "./cutting-relay.js";

/** Counts the server's messages over all runs, and says at which of them a stream breaks off. */
export class CutPlan {
  envelopes: string[] = [];
  hasCut = false;
  readonly runs = new Set<{ cut(kind: CutKind): void }>();
  #planned: Cut | undefined;

  plan(cut?: Cut): void {
    this.envelopes = [];
    this.hasCut = false;
    this.#planned = cut;
  }

  cutNow(kind: CutKind): void {
    this.hasCut = true;
    for (const run of this.runs) run.cut(kind);
  }

  /** Returns the cut at this envelope, once. */
  count(payload: Buffer, flags: number): CutKind | undefined {
    const name = (flags & END) === 0 ? nameMessage(payload) : "end";
    if (name === "heartbeat") return undefined;
    this.envelopes.push(name);
    if (this.hasCut || this.envelopes.length !== this.#planned?.envelope) return undefined;
    this.hasCut = true;
    return this.#planned.kind;
  }
}

/** The name of a server message in reports: `textDelta`, `exec mcpArgs`, `conversationCheckpointUpdate`, ... */
function nameMessage(payload: Uint8Array): string {
  const { message } = fromBinary(AgentServerMessageSchema, payload);
  switch (message.case) {
    case "interactionUpdate":
      return message.value.message.case ?? "unknown update";
    case "execServerMessage":
      return `exec ${message.value.message.case ?? "unknown"}`;
    case "kvServerMessage":
      return `kv ${message.value.message.case ?? "unknown"}`;
    default:
      return message.case ?? "unknown";
  }
}
