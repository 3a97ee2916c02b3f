import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../turn/turn.js";
import type { RecordedReply } from "./recorded-reply.js";
import type { ReturningClient } from "./returning-client.js";

/** The recorded replies that a repeated request can join. */
export class RunningReplies {
  readonly #byIdentity = new Map<string, Set<RecordedReply>>();
  readonly #onSocket = new WeakMap<Socket, RecordedReply>();

  /** The reply that a repeated request joins. One whose connection broke comes first: most likely that one is missing. */
  find(client: ReturningClient): RecordedReply | undefined {
    const joinable = [...(this.#byIdentity.get(client.identity) ?? [])].filter((reply) => isRepeated(client, reply));
    return joinable.find(({ isLost }) => isLost) ?? joinable.find(({ hasEnded }) => hasEnded) ?? joinable[0];
  }

  add(reply: RecordedReply): void {
    const { identity } = reply.client;
    const equals = this.#byIdentity.get(identity);
    if (equals === undefined) this.#byIdentity.set(identity, new Set([reply]));
    else equals.add(reply);
  }

  /** Ends deserted replies whose client has continued the conversation in another way. */
  endDeserted(owner: string, messages: readonly Message[]): void {
    for (const replies of this.#byIdentity.values()) {
      for (const reply of replies) {
        if (!reply.waitsForClient || reply.client.owner !== owner) continue;
        if (goesOn(messages, reply.messages)) reply.close();
      }
    }
  }

  /** Notices when a connection that seemed to deliver its reply is reset. Each socket has one listener for all its replies. */
  watch(socket: Socket, reply: RecordedReply): void {
    if (!this.#onSocket.has(socket)) socket.once("error", () => this.#onSocket.get(socket)?.lose());
    this.#onSocket.set(socket, reply);
  }

  delete(reply: RecordedReply): void {
    const { identity } = reply.client;
    const equals = this.#byIdentity.get(identity);
    equals?.delete(reply);
    if (equals?.size === 0) this.#byIdentity.delete(identity);
  }
}

/** Equal content is not enough: two agents may ask the same. An idempotency key, a retry count or a broken connection decides. */
function isRepeated({ key, retries }: ReturningClient, reply: RecordedReply): boolean {
  if (key !== undefined || reply.client.key !== undefined) return key === reply.client.key;
  return reply.isLost || retries > reply.retries;
}

/** Whether these messages continue the others, or replace their last one. */
function goesOn(messages: readonly Message[], others: readonly Message[]): boolean {
  const shared = Math.max(1, others.length - 1);
  if (messages.length <= shared) return false;
  // Identical messages come from another agent and say nothing about this reply.
  if (messages.length === others.length && isDeepStrictEqual(messages.at(-1), others.at(-1))) return false;
  for (let at = shared - 1; at >= 0; at--) if (!isDeepStrictEqual(messages[at], others[at])) return false;
  return true;
}
