import { create, fromBinary, type UnknownField } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationTurnStructureSchema,
  type InteractionUpdate,
  type TurnEndedUpdate,
  TurnEndedUpdateSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { GatewayError } from "../../../turn/error.js";
import type { Usage } from "../../../turn/event.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ReplyWriter } from "../../exchange/index.js";

/** The kind of a message, for the watchdog: `progress` if the model is working, `idle` for heartbeats and counters. */
export type DeltaKind = "progress" | "idle" | "other";

type Words = Pick<ReplyWriter, "say">;

// Field number << 3 | wire type, confirmed by Cursor's own SDK against the simulator (docs/protocol/wire.md, messages).
const INTERACTION_UPDATE = 0x0a; // AgentServerMessage.interaction_update
const TEXT_DELTA = 0x0a; // InteractionUpdate.text_delta
const THINKING_DELTA = 0x22; // InteractionUpdate.thinking_delta
const TOKEN_DELTA = 0x42; // InteractionUpdate.token_delta
const HEARTBEAT = 0x6a; // InteractionUpdate.heartbeat
const TURN_ENDED = 0x72; // InteractionUpdate.turn_ended
const DELTA_TEXT = 0x0a; // TextDeltaUpdate.text and ThinkingDeltaUpdate.text
const [STARTED_AT, STARTED_AT_HIGH] = [0xc8, 0x01]; // InteractionUpdate.message_started_at_ms, a varint
const STARTED_AT_BYTES = 8;

/** Reads text, thinking, token counts and heartbeats straight from the bytes; any other shape is `other`. */
export function decodeDelta(bytes: Buffer, start: number, end: number, words: Words, texts: ChunkTexts): DeltaKind {
  // There are three nested length-delimited fields. Each must fill its parent, but for the time beside the second.
  const update = contentStart(bytes, start, end);
  if (bytes[start] !== INTERACTION_UPDATE || update < 0) return "other";
  const from = afterStartedAt(bytes, update);
  const to = isStartedAt(bytes, end - STARTED_AT_BYTES) ? end - STARTED_AT_BYTES : end;
  const kind = bytes[from];
  const delta = contentStart(bytes, from, to);
  if (delta < 0) return "other";
  if (kind === HEARTBEAT || kind === TOKEN_DELTA) return "idle";
  if (kind !== TEXT_DELTA && kind !== THINKING_DELTA) return "other";

  const text = contentStart(bytes, delta, to);
  if (bytes[delta] !== DELTA_TEXT || text < 0 || text === to) return "other";
  words.say(kind === TEXT_DELTA ? "text" : "thinking", texts.decode(bytes, text, to));
  return "progress";
}

/**
 * Where the content of a length-delimited field begins that goes from `at` to `end`; -1 if it does not, or if its length has more
 * than two bytes, where the generated code costs little.
 */
function contentStart(bytes: Uint8Array, at: number, end: number): number {
  const length = end - at - 2;
  if (length < 0x80) return bytes[at + 1] === length ? at + 2 : -1;
  const isTwoBytes =
    length <= 0x4000 && bytes[at + 1] === (((length - 1) & 0x7f) | 0x80) && bytes[at + 2] === (length - 1) >> 7;
  return isTwoBytes ? at + 3 : -1;
}

function afterStartedAt(bytes: Uint8Array, at: number): number {
  return isStartedAt(bytes, at) ? at + STARTED_AT_BYTES : at;
}

/** Whether `message_started_at_ms` stands here. A time from 1971 to 2109 has six bytes; any other is left to the generated code. */
function isStartedAt(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== STARTED_AT || bytes[at + 1] !== STARTED_AT_HIGH) return false;
  const high = byteAt(bytes, at + 2) & byteAt(bytes, at + 3) & byteAt(bytes, at + 4) & byteAt(bytes, at + 5);
  return (high & byteAt(bytes, at + 6)) > 0x7f && byteAt(bytes, at + 7) < 0x80;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

/** Text comes in pieces of a few bytes. Reading far more at once would block all other requests. */
const MAX_WORDS_BYTES = 1 << 21;

/** Decodes rare messages. @throws GatewayError `upstream_error` for bad bytes, or more text at once than a model writes */
export function decodeMessage(bytes: Uint8Array, start: number, end: number): AgentServerMessage {
  const update = bytes[afterStartedAt(bytes, start + 5)]; // the length before it has four bytes in a message of this size
  const isWords = bytes[start] === INTERACTION_UPDATE && (update === TEXT_DELTA || update === THINKING_DELTA);
  if (isWords && end - start > MAX_WORDS_BYTES) {
    throw new GatewayError("upstream_error", "Cursor sent more text at once than a model can write. Try again.");
  }
  try {
    const message = bytes.subarray(start, end);
    const ended = isTurnEnded(bytes, start, end) ? endWithOtherTypes(message) : undefined;
    return ended ?? fromBinary(AgentServerMessageSchema, message);
  } catch (cause) {
    if (isTurnEnded(bytes, start, end)) return endWithout([]);
    throw new GatewayError("upstream_error", "Cursor sent a message that cannot be read. Try again.", {
      cause,
      isRetryable: true,
    });
  }
}

/**
 * The end of a turn whose usage has other types than the schema says, which generated code would misread. Those fields are unknown
 * ones, as in other protobuf libraries: the answer is complete without them.
 */
function endWithOtherTypes(message: Uint8Array): AgentServerMessage | undefined {
  const reader = new BinaryReader(rawField(rawField(message, INTERACTION_UPDATE >> 3), TURN_ENDED >> 3));
  const unknown: UnknownField[] = [];
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const data = reader.skip(wireType, no);
    const isKnown = TurnEndedUpdateSchema.fields.some(({ number }) => number === no);
    if (isKnown && wireType !== WireType.Varint) unknown.push({ no, wireType, data });
  }
  return unknown.length === 0 ? undefined : endWithout(unknown);
}

function endWithout(unreadable: UnknownField[]): AgentServerMessage {
  const value = create(TurnEndedUpdateSchema);
  value.$unknown = unreadable;
  const update = { message: { case: "turnEnded" as const, value } };
  return create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value: update } });
}

function isTurnEnded(bytes: Uint8Array, start: number, end: number): boolean {
  const update = bytes[start] === INTERACTION_UPDATE ? contentStart(bytes, start, end) : -1;
  return update > 0 && bytes[afterStartedAt(bytes, update)] === TURN_ENDED;
}

/** Does the same as `decodeDelta` for a message that the generated code has decoded. */
export function decodeUpdate(update: InteractionUpdate, words: Words): DeltaKind {
  switch (update.message.case) {
    case "textDelta": {
      const { text, isServerNotice } = update.message.value;
      if (isServerNotice || text === "") return "idle";
      words.say("text", text);
      return "progress";
    }
    case "thinkingDelta": {
      if (update.message.value.text === "") return "idle";
      words.say("thinking", update.message.value.text);
      return "progress";
    }
    case "tokenDelta":
    case "heartbeat":
      return "idle";
    default:
      return "other"; // unknown updates are normal: the server is newer than we are
  }
}

const CHECKPOINT_FIELD = 3; // AgentServerMessage.conversation_checkpoint_update (docs/protocol/wire.md, messages)

export type CheckpointSummary = ReturnType<typeof readCheckpoint>;

export function readCheckpoint(state: ConversationStateStructure, message: Uint8Array) {
  return {
    // The bytes exactly as they came: the server must get back the fields that we do not know, too.
    state: rawField(message, CHECKPOINT_FIELD),
    /** Tool calls whose results the model waits for. Each entry contains the id of its call. */
    pendingCalls: state.pendingToolCalls,
    /** How much of the model's context is in use; 0 if unknown. */
    contextTokens: state.tokenDetails?.usedTokens ?? 0,
    /** The id of the blob that describes the newest turn. */
    newestTurn: state.turns.at(-1),
  };
}

/** Far more than a turn needs, which is a list of ids and names. */
const MAX_TURN_BYTES = 1 << 18;

/** Whether the model had these tools by name alone in a turn, by the turn's blob; undefined if it does not say. */
export function hadDynamicTools(turn: Uint8Array, tools: readonly ToolDefinition[]): boolean | undefined {
  if (turn.length > MAX_TURN_BYTES) return undefined;
  try {
    const { case: kind, value } = fromBinary(ConversationTurnStructureSchema, turn).turn;
    if (kind !== "agentConversationTurn") return undefined;
    const { dynamicToolCount: count, dynamicToolNames: names } = value;
    if (names.length === 0) return count === undefined ? undefined : count > 0;
    // Cursor's own tools may be among them. It may write the provider before a name.
    return names.some((name) => tools.some((tool) => name.endsWith(tool.name))) || undefined;
  } catch {
    return undefined; // the turn is complete without it
  }
}

/** The tokens that Cursor counted at a checkpoint; 0 if it did not. */
export function countedTokens(state: Uint8Array): number {
  try {
    return fromBinary(ConversationStateStructureSchema, state).tokenDetails?.usedTokens ?? 0;
  } catch {
    return 0; // it decides nothing but the words for a failure
  }
}

function rawField(message: Uint8Array, field: number): Uint8Array {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === WireType.LengthDelimited) return Uint8Array.from(reader.bytes());
    reader.skip(wireType, number);
  }
  return new Uint8Array();
}

/** The tokens of the turn as Cursor counted them; undefined if it did not. */
export function measuredUsage(ended: TurnEndedUpdate): Usage | undefined {
  if (ended.inputTokens === undefined && ended.outputTokens === undefined) return undefined;
  return {
    // It counts cache reads too, as far as is known (docs/protocol/live-behaviour.md).
    inputTokens: Number(ended.inputTokens ?? 0n),
    outputTokens: Number(ended.outputTokens ?? 0n),
    cacheReadTokens: Number(ended.cacheReadTokens ?? 0n),
    cacheWriteTokens: Number(ended.cacheWriteTokens ?? 0n),
    reasoningTokens: Number(ended.reasoningTokens ?? 0n),
    estimated: false,
  };
}

/** V8 copies a substring of up to this length. A longer one would keep the copy of the whole chunk in memory. */
const MAX_CUT_BYTES = 12;
/** Larger chunks hold something else than many short texts. */
const MAX_COPIED_BYTES = 64 * 1024;

/** Node takes about 100 ns for each text. From the second of a chunk on, short ASCII texts are cut out of one copy in a third of that time. */
export class ChunkTexts {
  #chunk: Buffer | undefined;
  #copy = "";

  decode(bytes: Buffer, start: number, end: number): string {
    if (bytes !== this.#chunk) {
      this.#chunk = bytes;
      this.#copy = "";
      return bytes.toString("utf8", start, end);
    }
    const isCut = end - start <= MAX_CUT_BYTES && bytes.length <= MAX_COPIED_BYTES && isAscii(bytes, start, end);
    if (!isCut) return bytes.toString("utf8", start, end);
    if (this.#copy === "") this.#copy = bytes.toString("latin1");
    return this.#copy.slice(start, end);
  }

  /** Releases the chunk: a waiting run must not keep it in memory, and its buffer may be reused. */
  release(): void {
    this.#chunk = undefined;
    this.#copy = "";
  }
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > 0x7f) return false;
  return true;
}
