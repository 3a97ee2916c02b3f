import type { JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { AgentRunRequest, ConversationAction, ConversationStateStructure } from "@curlew/wire/gen/agent_v1_pb.js";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { Tool } from "../../model/tools.js";
import { findFamily, shapeOf } from "../../server/catalogue.js";
import { errorByName } from "../../server/error-by-name.js";
import type { SimulatorOptions } from "../../server/options.js";
import { badModel, refusal } from "../../server/refusal.js";
import type { World } from "../../server/world.js";

export interface CheckedRequest {
  model: string;
  state: ConversationStateStructure;
  action: Extract<ConversationAction["action"], { case: "userMessageAction" | "resumeAction" }>;
}

/** Other shapes get "Update Required" (docs/protocol/wire.md, headers). */
const CLIENT_TYPE = /^(?:cli|sdk)$/;
const STRICT_VERSION = /^(?:cli-\d{4}\.\d{2}\.\d{2}-[0-9a-z]+$|sdk-\d+\.\d+\.\d+)/;
/**
 * The CLI's builds have also been seen without the prefix, with a time, and with a channel at the end. A client in use says
 * `cli-unknown` where no CLI is installed, and no report says that Cursor refuses it.
 */
const CLIENT_VERSION = /^(?:cli-unknown$|(?:cli-)?\d{4}\.\d{2}\.\d{2}(?:-[0-9a-z]+)+$|sdk-\d+\.\d+\.\d+)/;

/**
 * Refuses what Cursor refuses, in Cursor's words (docs/protocol/wire.md, errors).
 * @throws ConnectError for a bad request.
 */
export function checkRequest(
  { conversationState, action, requestedModel, modelDetails }: AgentRunRequest,
  headers: Record<string, string>,
  world: World,
): CheckedRequest {
  checkClient(headers, world.options);
  if (conversationState === undefined) {
    throw new ConnectError("Conversation state is required", Code.InvalidArgument);
  }
  const model = requestedModel?.modelId || modelDetails?.modelId || "";
  const error = errorByName(model);
  if (error !== undefined) throw error;
  // The list shows Auto under this name, but the wire calls it `default`.
  if (model === "auto" || !world.isKnownModel(model)) throw badModel(model);
  checkPool(model, world.options);
  checkShape(model, requestedModel, world.options);
  return { model, state: conversationState, action: checkAction(action) };
}

/** @throws ConnectError with a bare code for a model of other vendors whose pool is used up, as reported from accounts */
function checkPool(model: string, { usage }: SimulatorOptions): void {
  if (usage === "other-used-up" && !/^(default|composer)/.test(model)) {
    throw new ConnectError("Error", Code.ResourceExhausted);
  }
}

/**
 * The accepted shapes differ by account and day, and the refusal is a bare code. A parameter or value that the model's list does not
 * have, which makes no variant of it, is assumed to get the same.
 */
function checkShape(
  model: string,
  requested: AgentRunRequest["requestedModel"],
  { modelIds, modelIdError }: SimulatorOptions,
): void {
  const parameters = requested?.parameters ?? [];
  const listed = findFamily(model)?.parameters ?? [];
  const isVariant = parameters.every(({ id, value }) =>
    listed.some((each) => each.id === id && each.values.includes(value)),
  );
  const shape = shapeOf(model, parameters.length > 0, requested?.isVariantStringRepresentation === true);
  if (isVariant && (modelIds === "any" || shape === undefined || shape === modelIds)) return;
  throw new ConnectError("Error", modelIdError === "not-found" ? Code.NotFound : Code.ResourceExhausted);
}

function checkClient(headers: Record<string, string>, { strict, deniedVersions }: SimulatorOptions): void {
  const type = headers["x-cursor-client-type"] ?? "";
  const version = headers["x-cursor-client-version"] ?? "";
  const shape = strict ? STRICT_VERSION : CLIENT_VERSION;
  if (CLIENT_TYPE.test(type) && shape.test(version) && !deniedVersions.includes(version)) return;
  throw refusal(Code.PermissionDenied, ErrorDetails_Error.OUTDATED_CLIENT, {
    title: "Update Required",
    detail: `This client (${type || "no type"}, ${version || "no version"}) is no longer supported.`,
  });
}

function checkAction(action: ConversationAction | undefined): CheckedRequest["action"] {
  switch (action?.action.case) {
    case "userMessageAction":
      if (action.action.value.userMessage === undefined) {
        throw new ConnectError("User message is required", Code.InvalidArgument);
      }
      return action.action;
    case "resumeAction":
      return action.action;
    case "cancelAction":
      throw new ConnectError("The run was cancelled.", Code.Canceled);
    case undefined:
      throw new ConnectError("Action is required", Code.InvalidArgument);
    default:
      throw new ConnectError(`The simulator does not know ${action?.action.case}.`, Code.Unimplemented);
  }
}

const COMBINATORS = ["anyOf", "oneOf", "allOf"];
/** Keywords whose keys are the author's names, not keywords. */
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/** Keywords whose values are not schemas. */
const VALUES = ["enum", "const", "default", "examples"];

/**
 * Some providers refuse a whole request if any tool's schema contains a combinator. Cursor's error for that looks like a limit.
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
