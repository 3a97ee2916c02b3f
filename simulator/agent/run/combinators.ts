import type { JsonValue } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { ErrorDetails_Error } from "../../../src/gen/aiserver_v1_pb.js";
import { findFamily } from "../../catalogue.js";
import type { Tool } from "../../model/tools.js";
import { refusal } from "../../refusal.js";

const COMBINATORS = ["anyOf", "oneOf", "allOf"];
/** Keywords whose keys are names of the author's and no keywords. */
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/** Keywords whose values are no schemas. */
const VALUES = ["enum", "const", "default", "examples"];

/**
 * Some providers refuse a whole request when the schema of any tool has a combinator anywhere. Cursor wraps that so that it looks
 * like a limit.
 * @throws ConnectError for a model of such a provider.
 */
export function refuseCombinators(model: string, tools: readonly Tool[]): void {
  if (findFamily(model)?.refusesCombinators !== true || !tools.some(({ schema }) => hasCombinator(schema ?? {})))
    return;
  throw refusal(Code.ResourceExhausted, ErrorDetails_Error.PROVIDER_ERROR, {
    title: "Provider Error",
    detail: "The model provider cannot be reached at the moment. Try again soon.",
    additionalInfo: { providerStatusCode: "400" },
  });
}

function hasCombinator(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.some(hasCombinator);
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]) => {
    if (COMBINATORS.includes(keyword)) return true;
    if (VALUES.includes(keyword)) return false;
    const isNamed = NAMED.includes(keyword) && typeof value === "object" && value !== null;
    return isNamed ? Object.values(value).some(hasCombinator) : hasCombinator(value);
  });
}
