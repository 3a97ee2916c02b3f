import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type ExecClientMessage, ExecClientMessageSchema, type ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import { trimEndOf } from "../../../turn/trim-end-of.js";
import type { ClientAnswer } from "./client-answer.js";
import type { Role, Slot } from "./equivalents.js";
import type { Json } from "./json-schema.js";

/** What comes with each request of the server's, by the request's name. */
export type ArgsByCase = { [Asked in ExecServerMessage["message"] as Asked["case"] & string]: Asked["value"] & object };

export type ExecResult = ExecClientMessage["message"];
export type ExecResultInit = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;
/** Names of the results that can hold such an outcome. */
export type ResultTaking<Outcome, Init = ExecResultInit> = Init extends { case: infer Case; value: infer Taken }
  ? { result: Outcome } extends Taken
    ? Case
    : never
  : never;

/** What Cursor's server asked for, ready to be said to a tool of the client. */
export interface NativeRequest {
  readonly role: Role;
  /** Ways to say it, best first; each tool is tried with all of them before the next. None when nothing is asked. */
  readonly inputs: readonly WantedInput[];
  /** `said` is what the chosen tool could be told. */
  toResults(answer: ClientAnswer, said: ReadonlySet<string>): readonly ExecResult[];
}

/** By what the server asks; undefined when it asks nothing that a tool could be told. */
export type NativeRequests = {
  readonly [Case in keyof ArgsByCase]?: (args: ArgsByCase[Case]) => NativeRequest | undefined;
};

type OutcomeOf<Case> =
  Extract<ExecResultInit, { case: Case }> extends { value: { result?: infer Outcome } } ? Outcome : never;

export function withOutcome<Case extends ExecResultInit["case"]>(name: Case, result: OutcomeOf<Case>): ExecResultInit {
  return { case: name, value: { result } } as ExecResultInit;
}

/** The whole answer where that is one result with one outcome. */
export function answerWith<Case extends ExecResultInit["case"]>(
  name: Case,
  result: OutcomeOf<Case>,
): readonly ExecResult[] {
  return [execResult(withOutcome(name, result))];
}

export function execResult(message: ExecResultInit): ExecResult {
  return create(ExecClientMessageSchema, { message }).message;
}

/** A word that the tool's schema must list; the first that it does is taken. */
export interface OneOf {
  readonly oneOf: readonly string[];
}

export type SlotValues = Readonly<Partial<Record<Slot, Json | OneOf | undefined>>>;

/** What is to be said to a tool, in no client's words. */
export interface WantedInput {
  /** Without these the call would do something else: a tool that cannot take them does not qualify. */
  readonly must: SlotValues;
  /** Said where the tool has a parameter for it. */
  readonly may?: SlotValues;
  /** Said only where the tool insists. */
  readonly ifRequired?: SlotValues;
  /** What one call is to do several times, e.g. replacements. */
  readonly each?: readonly SlotValues[];
  /** For parameters that want a sentence. */
  readonly purpose: string;
}

export function isOneOf(fact: Json | OneOf): fact is OneOf {
  return typeof fact === "object" && fact !== null && "oneOf" in fact;
}

/** On the wire 0 stands for "not given" as often as absence does. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** What Cursor is told to be the workspace, since the client's real folders are not ours to tell. */
export const NEUTRAL_FOLDER = "/workspace";

/** True for the folder in which the client works anyway. */
export function isNeutralFolder(path: string | undefined): boolean {
  const trimmed = (path ?? "").trim();
  return trimmed === "" || [".", NEUTRAL_FOLDER].includes(trimEndOf(trimmed, "/"));
}
