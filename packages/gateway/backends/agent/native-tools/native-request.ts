import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecClientMessageSchema, ExecServerMessage } from "@curlew/wire/gen/agent_v1_pb.js";
import { trimEndOf } from "../../../turn/fits-wildcard.js";
import type { ClientResult } from "./client-result.js";
import type { Role, Slot } from "./equivalents.js";
import type { Json } from "./json-schema.js";

type ArgsByCase = { [Asked in ExecServerMessage["message"] as Asked["case"] & string]: Asked["value"] & object };

export type ExecResult = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;
/** The names of the results that have such an outcome. */
export type ResultTaking<Outcome, Init = ExecResult> = Init extends { case: infer Case; value: infer Taken }
  ? { result: Outcome } extends Taken
    ? Case
    : never
  : never;

/** A request of Cursor's server, ready to be passed to a tool of the client. */
export interface NativeRequest {
  readonly role: Role;
  /** Alternative inputs, best first; each tool is tried with all of them before the next tool. Empty when nothing is asked. */
  readonly inputs: readonly WantedInput[];
  /** Whether its result has a text field for the model, which can take the user's words, too. */
  readonly carriesWords: boolean;
  /** `said` holds the slots that the chosen tool had parameters for. */
  toResults(answer: ClientResult, said: ReadonlySet<string>): readonly ExecResult[];
}

/** A row for some kinds of server requests, each with the arguments of its kind. */
export type ByCase<Made> = { readonly [Case in keyof ArgsByCase]?: (args: ArgsByCase[Case]) => Made };

export function madeBy<Case extends keyof ArgsByCase, Made>(
  rows: ByCase<Made>,
  asked: { case: Case; value: ArgsByCase[Case] },
): Made | undefined {
  return rows[asked.case]?.(asked.value);
}

type OutcomeOf<Case> =
  Extract<ExecResult, { case: Case }> extends { value: { result?: infer Outcome } } ? Outcome : never;

export function withOutcome<Case extends ExecResult["case"]>(name: Case, result: OutcomeOf<Case>): ExecResult {
  return { case: name, value: { result } } as ExecResult;
}

/** Alternative words, of which the tool's schema must list one; the first listed word is used. */
export interface OneOf {
  readonly oneOf: readonly string[];
}

export type SlotValues = Readonly<Partial<Record<Slot, Json | OneOf | undefined>>>;

export interface WantedInput {
  /** The call would do something else without these values: a tool that cannot take them does not qualify. */
  readonly must: SlotValues;
  readonly may?: SlotValues;
  /** Passed only where the tool requires it. */
  readonly ifRequired?: SlotValues;
  /** One set of values for each repetition inside one call, for example replacements. */
  readonly each?: readonly SlotValues[];
  readonly purpose: string;
}

export function isOneOf(value: Json | OneOf): value is OneOf {
  return typeof value === "object" && value !== null && "oneOf" in value;
}

/** On the wire 0 means "not given" as often as absence does. */
export function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** The workspace that Cursor sees. The client's real folders are not known here, and Cursor need not know them. */
export const NEUTRAL_FOLDER = "/workspace";

export function isNeutralFolder(path: string | undefined): boolean {
  const trimmed = (path ?? "").trim();
  return trimmed === "" || [".", NEUTRAL_FOLDER].includes(trimEndOf(trimmed, "/"));
}
