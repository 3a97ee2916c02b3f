import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type ExecClientMessage, ExecClientMessageSchema, type ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import type { ClientAnswer } from "./client-answer.js";
import type { Role } from "./equivalents.js";
import type { Wish } from "./wish.js";

/** What comes with each request of the server's, by the request's name. */
export type ArgsByCase = { [Asked in ExecServerMessage["message"] as Asked["case"] & string]: Asked["value"] & object };

export type ExecResult = ExecClientMessage["message"];
export type ExecResultInit = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;
/** Names of the results that can hold such an outcome. */
export type ResultTaking<Outcome> = CaseTaking<ExecResultInit, { result: Outcome }>;
type CaseTaking<Init, Value> = Init extends { case: infer Case; value: infer Taken }
  ? Value extends Taken
    ? Case
    : never
  : never;

/** What Cursor's server asked for, ready to be said to a tool of the client. */
export interface NativeRequest {
  readonly role: Role;
  /** Ways to say it, best first; each tool is tried with all of them before the next. None when nothing is asked. */
  readonly wishes: readonly Wish[];
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
