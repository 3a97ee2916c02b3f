// state/: the conversation that checkpoints and blobs describe, and what the model reads before it.
import { clone, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  type ConversationStep,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  type UserMessage,
  UserMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { IMAGE_TOKENS, type PromptPiece, tokensOf } from "../../model/tokens.js";
import { decodeEntry, type Entry, encodeEntry, type ToolCall } from "../../model/transcript.js";
import { blobId, blobKey } from "../../server/blob-id.js";
import { type BlobChannel, HistoryLost } from "../channels/blob-channel.js";
import { answeredCalls } from "./answered-steps.js";
import type { Briefing } from "./context.js";

interface Root {
  id: Uint8Array;
  entry: Entry;
  tokens: number;
}

interface Turn {
  userMessage: Uint8Array;
  steps: Uint8Array[];
  requestId: string;
}

/** A conversation from the client's state, and what this run adds. */
export class Conversation {
  /** The names of the client's tools of which the model gets nothing else; undefined if the turn's description does not say. */
  dynamicTools: readonly string[] | undefined;
  readonly #state: ConversationStateStructure;
  readonly #blobs: BlobChannel;
  #roots: Root[] = [];
  #turns: Uint8Array[];
  #turn: Turn | undefined;
  #unsaved: Uint8Array[] = [];

  private constructor(state: ConversationStateStructure, blobs: BlobChannel) {
    this.#state = state;
    this.#blobs = blobs;
    this.#turns = [...state.turns];
  }

  /** Fetches every blob that the state names. If a loss is not an error, the conversation starts empty. */
  static async load(state: ConversationStateStructure, blobs: BlobChannel): Promise<Conversation> {
    try {
      return await Conversation.#fetch(state, blobs);
    } catch (thrown) {
      if (!(thrown instanceof HistoryLost)) throw thrown;
      return new Conversation(create(ConversationStateStructureSchema), blobs);
    }
  }

  static async #fetch(state: ConversationStateStructure, blobs: BlobChannel): Promise<Conversation> {
    const [prompt, turns] = await Promise.all([
      blobs.fetchPrompt(state.rootPromptMessagesJson),
      blobs.fetch(state.turns),
      blobs.fetch(bookkeepingIds(state)),
    ]);
    await blobs.fetch(turns.flatMap(idsInTurn));
    const conversation = new Conversation(state, blobs);
    conversation.#roots = prompt.map(({ json, id }) => toRoot(decodeEntry(json), json, id ?? conversation.#keep(json)));
    return conversation;
  }

  get entries(): Entry[] {
    return this.#roots.map(({ entry }) => entry);
  }

  /** The prompt of the next model call; `head` is the part before the messages. */
  prompt(head: PromptPiece): PromptPiece[] {
    return [head, ...this.#roots.map(({ id, tokens }) => ({ key: blobKey(id), tokens }))];
  }

  /** Puts our own system prompt and context before the messages, and removes those that were there. */
  brief({ system, context }: Briefing): void {
    const messages = this.#roots.filter(({ entry }) => entry.role !== "system" && entry.role !== "context");
    this.#roots = [this.#newRoot({ role: "system", text: system }), this.#newRoot({ role: "context", text: context })];
    this.#roots.push(...messages);
  }

  beginTurn(message: UserMessage, entry: Entry, requestId: string): void {
    this.append(entry);
    this.#turn = { userMessage: this.#keep(toBinary(UserMessageSchema, message)), steps: [], requestId };
  }

  /**
   * Continues the newest turn. A state that a client has built may have none. With `readsSteps`, results count that are only in
   * the steps of the turn, not in the prompt (docs/protocol/wire.md, conversation state).
   */
  async resumeTurn(requestId: string, readsSteps: boolean): Promise<void> {
    const last = this.#turns.pop();
    const [bytes] = last === undefined ? [] : await this.#blobs.fetch([last]);
    const turn = bytes === undefined ? undefined : decodeTurn(bytes);
    if (turn !== undefined) {
      this.#turn = { userMessage: turn.userMessage, steps: [...turn.steps], requestId: turn.requestId ?? requestId };
      if (readsSteps) this.#addAnswers(await this.#blobs.fetch(turn.steps));
      return;
    }
    if (last !== undefined) this.#turns.push(last);
    const newest = this.entries.findLast((entry) => entry.role === "user");
    const message = create(UserMessageSchema, { text: newest?.role === "user" ? newest.text : "" });
    this.#turn = { userMessage: this.#keep(toBinary(UserMessageSchema, message)), steps: [], requestId };
  }

  #addAnswers(steps: readonly Uint8Array[]): void {
    const parts = this.entries.flatMap((entry) => (entry.role === "assistant" ? entry.parts : []));
    const results = this.entries.flatMap((entry) => (entry.role === "tool" ? entry.results : []));
    const made = new Set(parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : [])));
    const answered = new Set(results.map(({ toolCallId }) => toolCallId));
    for (const message of answeredCalls(steps)) {
      const calls = message.flatMap(({ call }) => (made.has(call.toolCallId) ? [] : call));
      const id = calls[0]?.toolCallId;
      if (id !== undefined) this.append({ role: "assistant", id, parts: calls.map(toPart) });
      const found = message.flatMap(({ result }) => (answered.has(result.toolCallId) ? [] : result));
      if (found.length > 0) this.append({ role: "tool", results: found });
    }
  }

  append(entry: Entry): void {
    this.#roots.push(this.#newRoot(entry));
  }

  appendStep(step: ConversationStep): void {
    this.#turn?.steps.push(this.#keep(toBinary(ConversationStepSchema, step)));
  }

  /** Sends the client all blobs that it has not seen, and waits until it has them. */
  async save(): Promise<void> {
    const unsaved = this.#unsaved;
    this.#unsaved = [];
    await this.#blobs.store(unsaved);
  }

  /** Saves all blobs and returns the present state. `pending` are the calls that wait for their results. */
  async checkpoint(
    pending: readonly ToolCall[],
    tokens: { usedTokens: number; maxTokens: number },
  ): Promise<ConversationStateStructure> {
    const state = clone(ConversationStateStructureSchema, this.#state);
    state.turns =
      this.#turn === undefined ? this.#turns : [...this.#turns, this.#keep(encodeTurn(this.#turn, this.dynamicTools))];
    state.rootPromptMessagesJson = this.#roots.map(({ id }) => id);
    state.pendingToolCalls = pending.map(({ toolCallId, toolName, args }) =>
      JSON.stringify({ toolCallId, toolName, args }),
    );
    state.tokenDetails = create(ConversationStateStructureSchema, { tokenDetails: tokens }).tokenDetails;
    await this.save();
    return state;
  }

  #newRoot(entry: Entry): Root {
    const json = encodeEntry(entry);
    return toRoot(entry, json, this.#keep(json));
  }

  #keep(data: Uint8Array): Uint8Array {
    this.#unsaved.push(data);
    return blobId(data);
  }
}

const toPart = (call: ToolCall) => ({ type: "tool-call" as const, ...call });

function toRoot(entry: Entry, json: Uint8Array, id: Uint8Array): Root {
  const images = entry.role === "user" ? entry.images.length : 0;
  // An image costs the same whether the entry contains its bytes or not.
  const { byteLength } = images === 0 ? json : encodeEntry(entry);
  return { id, entry, tokens: tokensOf(byteLength) + images * IMAGE_TOKENS };
}

function decodeTurn(bytes: Uint8Array) {
  try {
    const { turn } = fromBinary(ConversationTurnStructureSchema, bytes);
    return turn.case === "agentConversationTurn" ? turn.value : undefined;
  } catch (cause) {
    throw new ConnectError(`parse binary: a turn: ${cause instanceof Error ? cause.message : cause}`, Code.Internal);
  }
}

function encodeTurn({ userMessage, steps, requestId }: Turn, dynamicTools: readonly string[] | undefined): Uint8Array {
  const dynamic = dynamicTools && { dynamicToolCount: dynamicTools.length, dynamicToolNames: [...dynamicTools] };
  const value = { userMessage, steps, requestId, ...dynamic };
  return toBinary(
    ConversationTurnStructureSchema,
    create(ConversationTurnStructureSchema, { turn: { case: "agentConversationTurn", value } }),
  );
}

function idsInTurn(bytes: Uint8Array): Uint8Array[] {
  const turn = decodeTurn(bytes);
  return turn === undefined ? [] : [turn.userMessage, ...turn.steps].filter((id) => id.byteLength > 0);
}

function bookkeepingIds(state: ConversationStateStructure): Uint8Array[] {
  const single = [state.summary, state.plan, state.summaryArchive];
  return [...state.todos, ...state.summaryArchives, ...single].filter(
    (id) => id !== undefined && id.byteLength > 0,
  ) as Uint8Array[];
}
