import { Code, ConnectError } from "@connectrpc/connect";
import type { KvClientMessage } from "@curlew/wire/gen/agent_v1_pb.js";
import { blobId, blobKey } from "../../server/blob-id.js";
import type { SimulatorOptions } from "../../server/options.js";
import type { Stats } from "../../server/stats.js";
import type { Voice } from "../transport/voice.js";
import type { BlobMemory } from "./blob-memory.js";
import type { Patience } from "./patience.js";
import { Questions } from "./questions.js";

interface BlobChannelDeps {
  voice: Voice;
  stats(): Stats;
  patience: Patience;
  signal: AbortSignal;
  conversation: string;
  /** Undefined when every blob is to be requested again. */
  memory: BlobMemory | undefined;
  /** Whether blobs that the client already has are stored again, by id alone. */
  isReferring: boolean;
  onMissing: SimulatorOptions["missingBlob"];
  /** Whether an id must be the SHA-256 of its blob. */
  isStrict: boolean;
}

/** A message of the model's prompt: its JSON, and its id unless it came without one. */
export interface PromptMessage {
  json: Uint8Array;
  id: Uint8Array | undefined;
}

/** The client lacks a blob; the run continues without the history that names it. */
export class HistoryLost extends Error {}

/** The client stores the blobs: the server fetches them from it, sends new ones, and waits for every answer. */
export class BlobChannel {
  readonly #deps: BlobChannelDeps;
  readonly #questions: Questions<KvClientMessage["message"]>;
  readonly #held = new Map<string, Uint8Array>();
  readonly #clientHas = new Set<string>();
  #nextId = 0;

  constructor(deps: BlobChannelDeps) {
    this.#deps = deps;
    this.#questions = new Questions(deps.patience, deps.signal);
  }

  receive({ id, message }: KvClientMessage): void {
    this.#questions.settle(id, message);
  }

  /** Keeps a blob that came with the run request, or as part of it. */
  hold(id: Uint8Array, data: Uint8Array): void {
    if (!Buffer.from(id).equals(blobId(data))) {
      this.#deps.stats().blobsUnhashed += 1;
      if (this.#deps.isStrict) {
        throw new ConnectError(`Blob ${blobKey(id)} does not have the SHA-256 of its id`, Code.Internal);
      }
    }
    const key = blobKey(id);
    this.#held.set(key, data);
    this.#clientHas.add(key);
    this.#deps.memory?.put(this.#deps.conversation, key, data);
  }

  /** Requests the missing blobs, all at once. */
  async fetch(ids: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const answers: Promise<void>[] = [];
    for (const id of ids) {
      const key = blobKey(id);
      this.#clientHas.add(key);
      if (this.#held.has(key)) continue;
      const remembered = this.#deps.memory?.get(this.#deps.conversation, key);
      if (remembered !== undefined) this.#held.set(key, remembered);
      else answers.push(this.#get(id));
    }
    await Promise.all(answers);
    return ids.map((id) => this.#read(id));
  }

  /** The same for messages of the prompt. Some clients put the JSON itself where its id belongs (docs/protocol/wire.md, blobs). */
  async fetchPrompt(ids: readonly Uint8Array[]): Promise<PromptMessage[]> {
    const isInline = (id: Uint8Array) => !this.#deps.isStrict && isJsonObject(id);
    const stored = await this.fetch(ids.filter((id) => !isInline(id)));
    return ids.map((id) => (isInline(id) ? { json: id, id: undefined } : { json: stored.shift() ?? id, id }));
  }

  /** Sends the client the blobs that it lacks, and resolves when it has stored them all. */
  async store(blobs: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const ids = blobs.map(blobId);
    const answers: Promise<void>[] = [];
    for (const [index, data] of blobs.entries()) {
      const id = ids[index];
      if (id === undefined) continue;
      const key = blobKey(id);
      this.#held.set(key, data);
      this.#deps.memory?.put(this.#deps.conversation, key, data);
      const isKnown = this.#clientHas.has(key);
      if (isKnown && !this.#deps.isReferring) continue;
      this.#clientHas.add(key);
      answers.push(this.#set(id, isKnown ? new Uint8Array() : data));
    }
    await Promise.all(answers);
    return ids;
  }

  #read(id: Uint8Array): Uint8Array {
    const data = this.#held.get(blobKey(id));
    if (data === undefined) throw new ConnectError("Blob not found", Code.Internal);
    return data;
  }

  async #get(blobId: Uint8Array): Promise<void> {
    const id = this.#nextId++;
    this.#deps.stats().blobsRequested += 1;
    const answer = this.#questions.wait(id, `get_blob ${id}`, "now");
    await this.#deps.voice.send({
      case: "kvServerMessage",
      value: { id, message: { case: "getBlobArgs", value: { blobId } } },
    });
    const message = await answer;
    if (message.case !== "getBlobResult") throw wrongKind(id, "get_blob_result", message.case);
    const { blobData } = message.value;
    if (blobData === undefined) throw missing(this.#deps.onMissing);
    this.#deps.stats().blobBytesIn += blobData.byteLength;
    this.hold(blobId, blobData);
  }

  async #set(blobId: Uint8Array, blobData: Uint8Array): Promise<void> {
    const id = this.#nextId++;
    this.#deps.stats().blobsSet += 1;
    const answer = this.#questions.wait(id, `set_blob ${id}`, "now");
    await this.#deps.voice.send({
      case: "kvServerMessage",
      value: { id, message: { case: "setBlobArgs", value: { blobId, blobData } } },
    });
    const message = await answer;
    if (message.case !== "setBlobResult") throw wrongKind(id, "set_blob_result", message.case);
    const { error } = message.value;
    if (error !== undefined) throw new ConnectError(`Blob not stored: ${error.message}`, Code.Internal);
  }
}

/** Some of Cursor's servers say what is missing, others only that something went wrong (docs/protocol/live-behaviour.md). */
function missing(reaction: SimulatorOptions["missingBlob"]): Error {
  switch (reaction) {
    case "named":
      return new ConnectError("Blob not found", Code.Internal);
    case "internal":
      return new ConnectError("Error", Code.Internal);
    case "failed-precondition":
      return new ConnectError("Error", Code.FailedPrecondition);
    case "blank":
      return new HistoryLost();
  }
}

function isJsonObject(bytes: Uint8Array): boolean {
  if (bytes[0] !== "{".charCodeAt(0)) return false;
  try {
    JSON.parse(Buffer.from(bytes).toString());
    return true;
  } catch {
    return false;
  }
}

function wrongKind(id: number, needed: string, given: string | undefined): ConnectError {
  return new ConnectError(`KV message ${id} needs ${needed}, but got ${given ?? "nothing"}.`, Code.InvalidArgument);
}
