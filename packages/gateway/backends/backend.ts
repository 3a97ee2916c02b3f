import type { SentResult, ToolResult } from "../turn/blocks.js";
import type { GatewayError } from "../turn/error.js";
import type { CheckpointEvent, TurnEvents, Usage } from "../turn/event.js";
import type { Pause } from "../turn/events/channels.js";
import type { Message, SentTurn, ToolDefinition } from "../turn/turn.js";

/** The backend's name in the registry. Rooms that only pass it on see a string. */
export type BackendName = string;

export interface Capabilities {
  /** Whether the model is offered the turn's tools, on the wire or in words. If not, the gateway adds none and warns. */
  readonly tools: boolean;
  /** Whether it takes images, or at least their addresses as text. If not, the gateway describes them in words. */
  readonly images: boolean | "links";
  /** Whether every run gets the system prompt and the tools anew, so that a state may be resumed with different ones. */
  readonly takesNewSettings?: boolean;
  /** Whether Cursor accepts the id of a conversation in which a run has ended with an unanswered call. */
  readonly takesLeftIds?: boolean;
  /** Whether a turn that ends with results starts a run without a user message. Some models then answer nothing. */
  readonly startsWithoutWords?: boolean;
  readonly workspaces?: boolean;
  /** Whether the model may search the web with Cursor's own tool. */
  readonly webSearch?: boolean;
}

export interface Model {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly contextTokens?: number;
  readonly maxContextTokens?: number;
  readonly canThink: boolean;
  readonly canSeeImages?: boolean;
  readonly canMax?: boolean;
  /** The name under which the model takes parameters, if not its id. */
  readonly base?: string;
  /** Missing if unknown; empty if the model has none. */
  readonly parameters?: readonly ModelParameter[];
  readonly variants?: readonly ModelVariant[];
}

export interface ModelParameter {
  readonly id: string;
  readonly values: readonly string[];
}

export interface ParameterValue {
  readonly id: string;
  readonly value: string;
}

export interface ModelVariant {
  readonly name: string;
  readonly parameters: readonly ParameterValue[];
  readonly isMax: boolean;
  /** Whether Cursor uses it for this model and mode, max or not, by default. */
  readonly isDefault: boolean;
  /** The variant's name in lists without parameters. */
  readonly slug?: string;
}

export interface ModelShape {
  readonly id: string;
  readonly parameters: readonly ParameterValue[];
  /** Whether Cursor is told that the id is a variant's name, which stands for the parameters. */
  readonly isVariant?: true;
}

export interface RequestedModel extends ModelShape, Pick<Model, "contextTokens" | "canSeeImages"> {
  /** All equivalent forms of `id` and `parameters`, the likeliest first, if Cursor may want another than these. */
  readonly shapes?: readonly ModelShape[];
  /** Whether it had its tools by name alone in its last turn with tools, if Cursor said that. */
  readonly hasDynamicTools?: boolean;
  readonly isMax: boolean;
}

export type CloseReason = "client-left" | "shutdown" | "stopped" | "superseded" | "lease-expired" | "limit-reached";

export interface BlobStorage {
  get(id: Uint8Array): Uint8Array | undefined;
  /** The caller has checked that the id is the hash of the data, and does not change the data afterwards. */
  put(id: Uint8Array, data: Uint8Array): void;
}

export interface ClientCall {
  /** Our id, which the client sees. */
  readonly id: string;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
}

/** A call made earlier in this turn, with its result if the transcript has one. */
export interface RecordedCall<Result extends ToolResult = ToolResult> extends ClientCall {
  /** Calls of one round were made in parallel. Rounds count up. */
  readonly round: number;
  /** Whether the upstream gets the result with the history. If not, it may ask for the call again. */
  readonly isSettled: boolean;
  readonly result: Result | undefined;
}

/** A state from which the upstream can resume, and the messages since. */
export interface Resumption {
  readonly state: Uint8Array;
  readonly messages: readonly Message[];
}

export interface StartContext {
  readonly requestId: string;
  readonly model: RequestedModel;
  readonly conversationId: string;
  /** The state from which the upstream resumes. Without it, the turn's messages are the whole conversation. */
  readonly state: Uint8Array | undefined;
  readonly estimatedTokens: number;
  /** Our estimate of the part that the model has in its cache, because the turn continues what it read last. */
  readonly cachedTokens?: number;
  /** The tools that the model may call. It is offered all tools of the turn. */
  readonly callable: readonly ToolDefinition[];
  /** Known calls. They are answered from here if the upstream asks for them again, so that no tool runs twice because of us. */
  readonly record: readonly RecordedCall<SentResult>[];
  readonly blobs: BlobStorage;
  /** A lower limit for retries before the first output, where the usual one is too high. */
  readonly maxRetries?: number | undefined;
  newCallId(): string;
  /** Called when an attempt has failed, also when it is repeated. A waiting run keeps this function. */
  onFailedAttempt?: ((error: GatewayError, isRetried: boolean) => void) | undefined;
  /** Called when another shape of the model than the first has worked; with undefined when the first two have not. */
  onShape?: ((worked: ModelShape | undefined, isCertain: boolean) => void) | undefined;
  /** Called at the end of a turn with tools, if Cursor says whether the model had them by name alone. */
  onDynamicTools?: ((isDynamic: boolean) => void) | undefined;
}

/** The user's content that a result can carry besides its tool's output. Words alone are passed apart from the content. */
export type Carriage = "anything" | "words" | "nothing";

export interface Exchange {
  /** The events up to the next pause for client calls, or the finish. Its iterator throws GatewayError for any failure. */
  events(): TurnEvents;
  /** Calls that wait for the client, in the order in which they were made. */
  readonly openCalls: readonly ClientCall[];
  carriage(callId: string): Carriage;
  /** Answers one open call, in any order. A call that is not open is ignored. */
  answer(result: SentResult): void;
  /** May be called at any time, even after the end. */
  close(reason: CloseReason): void;
  /** The usage of this reply and of the whole turn so far, for a reply that is cut short. Estimated where not measured. */
  usageSoFar(): { usage: Usage; turn: Usage };
  /** Calls back once, when the upstream has ended or is lost; at once if that has happened already. */
  onOver(callback: () => void): void;
  /** Calls back with the checkpoints of a pause that come after its reply, the newest at once, until the next reply is read. */
  onLateCheckpoint(callback: (checkpoint: CheckpointEvent) => void): void;
  /** Calls back with warnings for the client, earlier ones at once. A later callback replaces this one. */
  onWarning(callback: (warning: string) => void): void;
  /** Calls back before the gateway's own tools run for it, and runs them unless that throws. A later callback replaces this one. */
  onRound?(callback: (usage: Usage) => void): void;
  /** Calls back after the gateway's own tools have run for it. A later callback replaces this one. */
  onOwnTools?(callback: (pause: Pause) => void): void;
  /** Its upstream traffic since the counts were last reset. */
  readonly meter: UpstreamMeter;
}

/** Counts of upstream traffic. The reader resets them to zero. */
export interface UpstreamMeter {
  runs: number;
  retries: number;
  sentBytes: number;
  receivedBytes: number;
}

/** The login state that the program behind a backend reports. */
export type OwnLogin = "logged-in" | "logged-out" | "unknown";

export interface Backend {
  readonly name: BackendName;
  readonly can: Capabilities;
  models(signal: AbortSignal): Promise<readonly Model[]>;
  login?(): Promise<OwnLogin>;
  /** A short name for a conversation from its first message, where that is cheaper than a turn. */
  nameConversation?(userMessage: string, signal: AbortSignal): Promise<string>;
  start(turn: SentTurn, context: StartContext): Exchange;
  close(): void | Promise<void>;
}
