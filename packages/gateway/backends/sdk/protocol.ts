// The messages between the gateway and its child process, as JSON over IPC. `turn` names the turn that a message belongs to.
import type { Usage } from "../../turn/event.js";
import type { ToolDefinition } from "../../turn/turn.js";

export interface SentImage {
  readonly data: string;
  readonly mimeType: string;
}

/** A turn for the SDK: everything but the tools' results, which follow as messages. */
export interface StartMessage {
  readonly type: "start";
  readonly turn: string;
  /** The conversation to resume; missing for a new one. */
  readonly agentId: string | undefined;
  readonly store: string;
  readonly model: { readonly id: string; readonly params: readonly { id: string; value: string }[] };
  /** The system prompt; empty for the SDK's own. */
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

/** The error that the SDK threw, or the reason why it reports a run as failed. */
export interface SdkFailure {
  /** The name of the error's class, or the status of a failed run. */
  readonly name: string;
  readonly message: string;
  readonly code: string;
}

export type SdkUsage = Omit<Usage, "estimated" | "reasoningTokens"> & Partial<Pick<Usage, "reasoningTokens">>;

export type TurnMessage = { readonly turn: string } & (
  | { readonly type: "text" | "thinking"; readonly delta: string }
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly input: string }
  | { readonly type: "usage"; readonly usage: SdkUsage }
  | { readonly type: "models"; readonly models: unknown }
  /** The last message of a turn is one of these. */
  | { readonly type: "end"; readonly agentId: string }
  | { readonly type: "failed"; readonly failure: SdkFailure }
);

export type FromChild =
  | TurnMessage
  | { readonly type: "ready" }
  | { readonly type: "broken"; readonly failure: SdkFailure }
  | { readonly type: "pong" };
