import type { IncomingMessage } from "node:http";
import { type ErrorKind, GatewayError } from "../../turn/error.js";
import type { Front } from "../front.js";
import { errorForms } from "../parts/error.js";
import { openAiBaseUrl } from "./meant-address.js";

/** An API that Curlew does not have, but that clients speak whose settings offer it beside OpenAI's. */
interface ForeignApi {
  readonly name: string;
  readonly addresses: RegExp;
  readonly error: Front<unknown>["error"];
}

/** Gemini's words for the kinds of errors that can happen where nothing is served. */
const geminiStatuses: Partial<Record<ErrorKind, string>> = {
  authentication: "UNAUTHENTICATED",
  permission: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  "rate-limit": "RESOURCE_EXHAUSTED",
};

const foreignApis: readonly ForeignApi[] = [
  {
    name: "Ollama",
    addresses: /^(?:\/v1)?\/api\/(?:tags|chat|generate|show|version|ps|pull|push|create|copy|delete|embed|embeddings)$/,
    error: ({ kind, message }) => write(kind, { error: message }),
  },
  {
    name: "Gemini",
    addresses: /^\/v1(?:beta|alpha)\d*(?:\/|$)/,
    error: ({ kind, message }) =>
      write(kind, {
        error: { code: errorForms[kind].status, message, status: geminiStatuses[kind] ?? "INVALID_ARGUMENT" },
      }),
  },
];

export function foreignApiAt(path: string): ForeignApi | undefined {
  return foreignApis.find(({ addresses }) => addresses.test(path));
}

export function notThisApi({ name }: ForeignApi, incoming: IncomingMessage): GatewayError {
  const text =
    `Curlew does not serve ${name}'s API. In the client, choose an OpenAI-compatible provider in place of ${name} ` +
    `and set its base URL to ${openAiBaseUrl(incoming)}.`;
  return new GatewayError("route_not_found", text);
}

function write(kind: ErrorKind, body: object) {
  return { status: errorForms[kind].status, body, frame: { data: JSON.stringify(body) } };
}
