import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  type ReflectMessage,
  reflect,
} from "@bufbuild/protobuf/reflect";
import { decodeMessage } from "@curlew/gateway/backends/agent/index.js";
import type { CallEnding, CallOpening, CallRecord, Recorder } from "@curlew/gateway/backends/recorder.js";
import {
  AgentClientMessageSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
  OpaqueSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { isRun } from "@curlew/wire/messages/calls.js";

/** Bound on unknown field names: Cursor controls how many there are. */
const MAX_UNKNOWN = 200;

export interface WatchedRun {
  readonly http: "1.1" | "2";
  /** From the run request; empty until it was sent. */
  conversationId: string;
  turnEndedMs?: number;
  endedMs?: number;
  ending?: CallEnding;
}

/** Watches every run of its gateways, and forwards everything to another recorder if there is one. */
export class WireWatch implements Recorder {
  readonly runs: WatchedRun[] = [];
  /** How often each unknown field came, by its message and number. */
  readonly unknown = new Map<string, number>();
  readonly #now: () => number;
  readonly #next: Recorder | undefined;

  constructor(now: () => number, next?: Recorder) {
    this.#now = now;
    this.#next = next;
  }

  open(opening: CallOpening): CallRecord {
    const next = this.#next?.open(opening);
    return isRun(opening.path) ? this.#watch(opening, next) : (next ?? unwatched);
  }

  #watch({ http }: CallOpening, next: CallRecord | undefined): CallRecord {
    const run: WatchedRun = { http, conversationId: "" };
    this.runs.push(run);
    return {
      sent: (message) => {
        if (run.conversationId === "") run.conversationId = conversationIn(message);
        next?.sent(message);
      },
      answered: (status, headers) => next?.answered(status, headers),
      received: (message) => {
        this.#look(message, run);
        next?.received(message);
      },
      ended: (how, details) => {
        run.endedMs ??= this.#now();
        run.ending ??= how;
        next?.ended(how, details);
      },
    };
  }

  #look(bytes: Uint8Array, run: WatchedRun): void {
    let received: AgentServerMessage;
    try {
      received = decodeMessage(bytes, 0, bytes.length);
    } catch {
      return; // the gateway ends the run because of it
    }
    const { message } = received;
    if (message.case === "interactionUpdate" && message.value.message.case === "turnEnded")
      run.turnEndedMs ??= this.#now();
    const isLate = run.turnEndedMs !== undefined && message.case === "interactionUpdate";
    const late = isLate && message.value.message.case === "textDelta" ? ["text_delta after turn_ended"] : [];
    for (const name of [...unknownFields(AgentServerMessageSchema, received), ...late]) {
      const count = this.unknown.get(name) ?? 0;
      if (count > 0 || this.unknown.size < MAX_UNKNOWN) this.unknown.set(name, count + 1);
    }
  }
}

const unwatched: CallRecord = { sent() {}, answered() {}, received() {}, ended() {} };

function conversationIn(message: Uint8Array): string {
  const { message: sent } = fromBinary(AgentClientMessageSchema, message);
  return sent.case === "runRequest" ? (sent.value.conversationId ?? "") : "";
}

const MAX_DEPTH = 50;

/** The fields of a message, and of those inside, that the schema does not have: `InteractionUpdate 25`. */
export function unknownFields<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Iterable<string> {
  return unknownIn(reflect(desc, message), 0);
}

function* unknownIn(message: ReflectMessage, depth: number): Generator<string> {
  if (message.desc.typeName === OpaqueSchema.typeName) return; // its fields are left out of the schema on purpose
  const name = message.desc.typeName.split(".").at(-1) ?? "";
  for (const { no } of message.message.$unknown ?? []) yield `${name} ${no}`;
  if (depth === MAX_DEPTH) return;
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    const value: unknown = message.get(field);
    const values = isReflectList(value) || isReflectMap(value) ? value.values() : [value];
    for (const each of values) if (isReflectMessage(each)) yield* unknownIn(each, depth + 1);
  }
}
