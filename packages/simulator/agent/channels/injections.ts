import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { InjectContextAction } from "@curlew/wire/gen/agent_v1_pb.js";
import type { SimulatorOptions } from "../../server/options.js";
import { unknownField, updateBytes, type Voice, wrapField } from "../transport/voice.js";

/** `InteractionUpdate.context_injection_state`: 1 is the id of the injection, 2 its state (docs/protocol/live-behaviour.md). */
const INJECTION_STATE = 23;
const injectionFields = { id: 1, state: 2 };
/** Each state is an empty message in a field of its own. */
const states = { queued: 1, delivered: 2, queuedForNextTurn: 3, rejected: 5 };

interface InjectionsDeps {
  voice: Voice;
  steering(): SimulatorOptions["steering"];
}

/** Text that a client injects during a run. The model reads it before its next call. */
export class Injections {
  readonly #deps: InjectionsDeps;
  #queued: { id: string; text: string }[] = [];

  constructor(deps: InjectionsDeps) {
    this.#deps = deps;
  }

  receive({ injectionId: id, payload }: InjectContextAction): void {
    const steering = this.#deps.steering();
    if (steering === "ignored") return;
    const text = payload.case === "userContext" ? (payload.value.userMessage?.text ?? "") : "";
    const isTaken = steering === "delivered" && text !== "";
    if (isTaken) this.#queued.push({ id, text });
    // A run that has ended needs no acknowledgement.
    this.#report(id, isTaken ? "queued" : "rejected").catch(() => {});
  }

  /** Takes the queued texts for the next model call. */
  async deliver(): Promise<string[]> {
    return this.#empty("delivered");
  }

  /** Called at the end of the turn: tells the client to send the rest with its next message. */
  async close(): Promise<void> {
    await this.#empty("queuedForNextTurn");
  }

  async #empty(state: keyof typeof states): Promise<string[]> {
    const queued = this.#queued;
    this.#queued = [];
    for (const { id } of queued) await this.#report(id, state);
    return queued.map(({ text }) => text);
  }

  #report(id: string, state: keyof typeof states): Promise<void> {
    const named = new BinaryWriter().tag(injectionFields.id, WireType.LengthDelimited).string(id).finish();
    const stated = wrapField(injectionFields.state, unknownField(states[state]));
    return this.#deps.voice.sendBytes(updateBytes(INJECTION_STATE, Buffer.concat([named, stated])));
  }
}
