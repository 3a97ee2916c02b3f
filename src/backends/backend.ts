import type { SentResult, ToolResult } from "../turn/blocks.js";
import type { TurnEvents, Usage } from "../turn/event.js";
import type { Message, SentTurn, ToolDefinition } from "../turn/turn.js";

/** By which the registry knows it. To all who only pass it on it is a word. */
export type BackendName = string;

export interface Capabilities {
  /**
   * Whether the model is offered the turn's tools, as calls on the wire or in words. Where it is not, the gateway adds no tools of its
   * own and warns of those that the request brings; a backend may also refuse such a turn.
   */
  readonly tools: boolean;
  /** Whether it takes images. Where it does not, the gateway describes them in words. */
  readonly images: boolean;
  /** Whether a turn can be about a folder on this machine. */
  readonly workspaces?: boolean;
}

export interface Model {
  /** What Cursor calls it. */
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly contextTokens?: number;
  /** The same in max mode. */
  readonly maxContextTokens?: number;
  readonly canThink: boolean;
  readonly canSeeImages?: boolean;
  readonly canMax?: boolean;
  /** The name under which it takes parameters, where that is not its id. */
  readonly base?: string;
  /** Absent when Cursor told nothing of them; empty when there are none. */
  readonly parameters?: readonly ModelParameter[];
  readonly variants?: readonly ModelVariant[];
}

/** Something about a model that can be chosen, such as how hard it thinks. */
export interface ModelParameter {
  readonly id: string;
  readonly values: readonly string[];
}

export interface ParameterValue {
  readonly id: string;
  readonly value: string;
}

/** Values for the parameters of a model that Cursor offers together. */
export interface ModelVariant {
  readonly name: string;
  readonly parameters: readonly ParameterValue[];
  readonly isMax: boolean;
  /** What Cursor takes for this model in its mode, max or not, when nothing is said. */
  readonly isDefault: boolean;
  /** What lists that know no parameters call it. */
  readonly slug?: string;
}

/** A model, and all that is asked of it. */
export interface RequestedModel extends Pick<Model, "id" | "contextTokens" | "canSeeImages"> {
  readonly parameters: readonly ParameterValue[];
  readonly isMax: boolean;
}

export type CloseReason = "client-left" | "shutdown" | "superseded" | "lease-expired" | "limit-reached";

/** Content by its SHA-256, kept for one owner. */
export interface BlobStorage {
  get(id: Uint8Array): Uint8Array | undefined;
  /** The caller has made sure that the id is the hash of the data. */
  put(id: Uint8Array, data: Uint8Array): void;
}

export interface ClientCall {
  /** Ours; what the client sees. */
  readonly id: string;
  /** The upstream's own name for it. */
  readonly upstreamId: string;
  readonly name: string;
  /** The arguments as JSON text. */
  readonly input: string;
}

/** A call of this turn that was made before, with the result if the transcript holds one. */
export interface RecordedCall<Result extends ToolResult = ToolResult> extends ClientCall {
  /** Counts up; calls of one round were made at once. */
  readonly round: number;
  /** Whether the upstream is told the result with the history; else it may ask the call again. */
  readonly isSettled: boolean;
  readonly result: Result | undefined;
}

/** Where the upstream can go on, and what has been said since. */
export interface Resumption {
  readonly state: Uint8Array;
  /** What the state does not hold yet. */
  readonly messages: readonly Message[];
}

export interface StartContext {
  /** Of this request, for logs and for the upstream's own trace. */
  readonly requestId: string;
  /** Looked up by the gateway. */
  readonly model: RequestedModel;
  readonly conversationId: string;
  /** What the upstream goes on from. Without it, the messages of the turn are the whole conversation. */
  readonly state: Uint8Array | undefined;
  /** How much there is to read for the model, by a guess. */
  readonly estimatedTokens: number;
  /** The tools that the model may call; it is offered all of the turn's. */
  readonly callable: readonly ToolDefinition[];
  /** Calls that are answered from here if the upstream asks them again: no tool runs twice because of us. */
  readonly record: readonly RecordedCall<SentResult>[];
  readonly blobs: BlobStorage;
  /** How often at most the turn is tried again before its first word, where that is less than usual. */
  readonly maxRetries?: number | undefined;
  newCallId(): string;
}

/** One conversation with one upstream, lasting one or more replies. */
export interface Exchange {
  /** Up to the next pause (client calls are open) or the finish. Failures are thrown as GatewayError. */
  events(): TurnEvents;
  /** Calls that wait for the client, in the order in which they were made. */
  readonly openCalls: readonly ClientCall[];
  /** One open call, in any order; a call that is not open is left alone. */
  answer(result: SentResult): void;
  /** Safe to call at any time, also after the end. */
  close(reason: CloseReason): void;
  /** What this reply has taken until now, and the whole turn: for a reply that is cut short. Estimated where nobody counted. */
  usageSoFar(): { usage: Usage; turn: Usage };
  /** Calls back once, when the upstream is done with it or lost: at once if it is already. */
  onOver(callback: () => void): void;
}

/** What the program behind a backend says of the login that it keeps itself. */
export type OwnLogin = "logged-in" | "logged-out" | "unknown";

export interface Backend {
  readonly name: BackendName;
  readonly can: Capabilities;
  models(signal: AbortSignal): Promise<readonly Model[]>;
  /** For backends whose login is not Curlew's own. */
  login?(): Promise<OwnLogin>;
  /** A few words that name a conversation by its first message, where there is a cheaper way to them than a turn. */
  nameConversation?(userMessage: string, signal: AbortSignal): Promise<string>;
  start(turn: SentTurn, context: StartContext): Exchange;
  close(): void | Promise<void>;
}
