import { closest } from "../../system/closest.js";
import { type ErrorKind, GatewayError } from "../../turn/error.js";
import { plainPath } from "../dialect.js";
import type { Front } from "../front.js";
import { errorForms } from "../parts/error.js";
import { openAiBaseUrl } from "./meant-address.js";
import type { Route, RoutedRequest } from "./router.js";

/** Addresses longer than this get no suggestion: none of ours is as long. */
const MAX_COMPARED = 100;

const NO_TRAINING = "Cursor's models cannot be trained or graded here; `GET /v1/models` lists them.";

/** Routes that will never be served, by what follows `/v1/`, with the method if others are served, and what to do instead. */
const unserved = new Map(
  Object.entries({
    "Cursor has no embeddings; use another service for them, or a model that runs on your own machine.": "embeddings",
    "Cursor does not rank texts; use another service for it.": "rerank",
    "Cursor does not judge texts; leave this step out, or use another service for it.": "moderations",
    "Cursor answers with text only; use another service for such requests.": "audio, images, videos, realtime",
    "Nothing can be uploaded here: put files into the request itself, as content of a message.":
      "files, uploads, containers, vector_stores",
    "There are no batches here: send each request by itself.": "batches, messages/batches",
    [NO_TRAINING]: "fine_tuning, fine-tunes, evals, DELETE models",
    "There are no assistants here: use POST /v1/responses, which keeps conversations through `previous_response_id`, or POST /v1/chat/completions.":
      "assistants, threads, chatkit, agents, sessions, environments, deployments, deployment_runs, dreams, memory_stores, tunnels, vaults",
    "There are no skills here: describe in the system prompt what the model should know.": "skills",
    "Answers of Chat Completions are not stored; those of POST /v1/responses are.": "chat/completions",
    "To get an answer, use POST here. Answers of Chat Completions are not stored, so they cannot be listed; those of POST /v1/responses are.":
      "GET chat/completions",
    "Use POST /v1/messages, or POST /v1/completions for a prompt without roles.": "complete",
    "Use POST /v1/chat/completions and ask for the edit.": "edits",
    "Models are listed by GET /v1/models; prompts go to POST /v1/completions.": "engines",
    "This gateway serves one person's Cursor account and has nothing to administer; `curlew usage` shows your usage.":
      "organization, organizations, projects, user_profiles",
  }).flatMap(([instead, routes]) => routes.split(", ").map((route) => [route, instead] as const)),
);

/** @throws {GatewayError} `method_not_allowed`, or the reason why the route will never be served. */
export function refuseMethod({ incoming, outgoing, found }: RoutedRequest, allowed: string): never {
  outgoing.setHeader("allow", allowed);
  const method = incoming.method === "HEAD" ? "GET" : incoming.method;
  throw (
    refusal(found.path, `${method} `) ?? new GatewayError("method_not_allowed", `This route takes ${allowed} only.`)
  );
}

/** @throws {GatewayError} `route_not_found`, or the reason why the route will never be served. */
export function refuseUnknownRoute({ incoming, found: { path } }: RoutedRequest, routes: readonly Route[]): never {
  const foreign = foreignApiAt(path);
  if (foreign !== undefined) {
    const { name } = foreign;
    const text =
      `Curlew does not serve ${name}'s API. In the client, choose an OpenAI-compatible provider in place of ${name} ` +
      `and set its base URL to ${openAiBaseUrl(incoming)}.`;
    throw new GatewayError("route_not_found", text);
  }
  const refused = refusal(path);
  if (refused !== undefined) throw refused;
  const near = nearest(path.slice(0, MAX_COMPARED), routes);
  const hint = near === undefined ? "" : `; the nearest is ${near}`;
  throw new GatewayError("route_not_found", `Unknown route${hint}. GET /openapi.json describes all routes.`);
}

/** Only addresses that other gateways of these dialects have get this answer. */
function refusal(path: string, method = ""): GatewayError | undefined {
  const [first = "", second = ""] = path.replace(/^\/(v1\/)?/, "").split("/");
  const instead = unserved.get(`${method}${first}/${second}`) ?? unserved.get(method + first);
  return instead === undefined
    ? undefined
    : new GatewayError("not_implemented", `Curlew does not have this route. ${instead}`);
}

/** The page and the routes that only it or the owner's commands use: they are not suggested to clients. */
const NOT_FOR_CLIENTS = /^\/(?:$|admin\/|assets\/|curlew\/)/;

/** The end of the address counts most, since the base URL may have been set with too much or too little in it. */
function nearest(asked: string, routes: readonly Route[]): string | undefined {
  const suggested = routes.filter(({ method, path }) => method !== "WS" && !NOT_FOR_CLIENTS.test(path));
  const byPath = new Map(suggested.map(({ method, path }) => [plainPath(path), `${method} ${plainPath(path)}`]));
  const ending = [...byPath.keys()].filter((each) => asked.endsWith(each)).sort((a, b) => b.length - a.length)[0];
  const found = ending ?? closest(asked, [...byPath.keys()])[0];
  return found === undefined ? undefined : byPath.get(found);
}

/** An API that Curlew does not serve, but that some clients offer beside OpenAI's. */
interface ForeignApi {
  readonly name: string;
  readonly addresses: RegExp;
  readonly error: Front<unknown>["error"];
}

/** Gemini's names for the kinds of errors that can occur on its routes, none of which is served. */
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

function write(kind: ErrorKind, body: object) {
  return { status: errorForms[kind].status, body, frame: { data: JSON.stringify(body) } };
}
