import { codeToString } from "@connectrpc/connect/protocol-connect";
import { ErrorDetails_Error, ErrorDetails_ErrorSchema } from "../../../src/gen/aiserver_v1_pb.js";
import type { ModelFailure } from "./play.js";

export const USAGE_LIMIT =
  "ActionRequiredError: You've hit your usage limit for this model. Switch to a different model or set a Spend Limit " +
  "to continue with it. Your usage limits will reset when your monthly cycle ends on 12/1/2026.";

/** The line that the CLI prints for an error of the service. */
export function failureText({ code, error = ErrorDetails_Error.UNSPECIFIED }: ModelFailure): string {
  const name = ErrorDetails_ErrorSchema.values.find(({ number }) => number === error)?.name ?? "";
  if (/USAGE_LIMIT|USAGE_PRICING/.test(name)) return USAGE_LIMIT;
  const label = codeToString(code);
  // Minified class names: nobody may rely on the letter.
  const thrower = label === "resource_exhausted" ? "S" : label === "internal" ? "RetriableError" : "T";
  return `${thrower}: [${label}] ${error === ErrorDetails_Error.UNSPECIFIED ? "Error" : name}`;
}
