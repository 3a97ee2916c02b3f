// What the gateway and its child process say to each other, as JSON over IPC. `turn` names whose it is.
import type { Usage } from "../../turn/event.js";
import type { ToolDefinition } from "../../turn/turn.js";

export interface SentImage {
  readonly data: string;
  readonly mimeType: string;
}

/** A turn for the SDK: everything but the calls of the tools, which come back as messages. */
export interface StartMessage {
  readonly type: "start";
  readonly turn: string;
  /** Of the conversation that goes on; a new one without it. */
  readonly agentId: string | undefined;
  /** The folder in which the SDK keeps the conversation. */
  readonly store: string;
  readonly model: { readonly id: string; readonly params: readonly { id: string; value: string }[] };
  /** Empty: the SDK's own. */
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly message: { readonly text: string; readonly images: readonly SentImage[] };
}

export interface CallResult {
  readonly content: readonly ({ type: "text"; text: string } | ({ type: "image" } & SentImage))[];
  readonly isError: boolean;
}

export type ToChild =
  | StartMessage
  | { readonly type: "answer"; readonly turn: string; readonly call: string; readonly result: CallResult }
  | { readonly type: "cancel"; readonly turn: string }
  | { readonly type: "models"; readonly turn: string }
  | { readonly type: "ping" };

/** What the SDK threw, or why it says that a run failed. */
export interface SdkFailure {
  /** Of the error's class; of a run that ended badly, its status. */
  readonly name: string;
  readonly message: string;
  readonly code: string;
}

export type SdkUsage = Omit<Usage, "estimated" | "reasoningTokens"> & Partial<Pick<Usage, "reasoningTokens">>;

/** About one turn, or the one question for models. */
export type TurnMessage = { readonly turn: string } & (
  | { readonly type: "text" | "thinking"; readonly delta: string }
  /** A tool of the client's; it waits for its answer. */
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly input: string }
  | { readonly type: "usage"; readonly usage: SdkUsage }
  | { readonly type: "models"; readonly models: unknown }
  /** The last of a turn is one of these. */
  | { readonly type: "end"; readonly agentId: string }
  | { readonly type: "failed"; readonly failure: SdkFailure }
);

export type FromChild =
  | TurnMessage
  | { readonly type: "ready" }
  /** The SDK cannot even be loaded. */
  | { readonly type: "broken"; readonly failure: SdkFailure }
  | { readonly type: "pong" };
