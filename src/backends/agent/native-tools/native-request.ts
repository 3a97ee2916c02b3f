import { create } from "@bufbuild/protobuf";
import { type ExecClientMessage, ExecClientMessageSchema, type ExecServerMessage } from "../../../gen/agent_v1_pb.js";
import type { ClientAnswer } from "./client-answer.js";
import type { Role } from "./equivalents.js";
import type { Wish } from "./wish.js";

/** What comes with each request of the server's, by the request's name. */
export type ArgsByCase = { [Asked in ExecServerMessage["message"] as Asked["case"] & string]: Asked["value"] & object };

export type ExecResult = ExecClientMessage["message"];
type ExecResultInit = NonNullable<Parameters<typeof create<typeof ExecClientMessageSchema>>[1]>["message"];

/** What Cursor's server asked for, ready to be said to a tool of the client. */
export interface NativeRequest {
  readonly role: Role;
  /** Ways to say it, best first; each tool is tried with all of them before the next. None when nothing is asked. */
  readonly wishes: readonly Wish[];
  /** `said` is what the chosen tool could be told. */
  toResults(answer: ClientAnswer, said: ReadonlySet<string>): readonly ExecResult[];
}

export function execResult(message: NonNullable<ExecResultInit>): ExecResult {
  return create(ExecClientMessageSchema, { message }).message;
}
