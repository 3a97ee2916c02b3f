import type { Handler } from "hono";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "./request-record.js";

const noMedia = "Cursor answers in text alone; send such requests to the service that you have for it.";
const noFiles = "Nothing can be uploaded here: put files into the request itself, as content of a message.";
const noBatches = "There are no batches here: send each request by itself.";
const noAccounts =
  "This gateway serves one person's Cursor account and has nothing to administer; `curlew usage` shows what is used.";
const noAssistants =
  "There are no assistants here: use POST /v1/responses, which keeps conversations through `previous_response_id`, or POST /v1/chat/completions.";
const noTraining = "Cursor's models cannot be trained or graded here; `GET /v1/models` lists what there is.";

/** Routes of OpenAI and Anthropic that will never be served, by what stands behind `/v1/`, and what to do instead. */
const unserved: Readonly<Record<string, string>> = {
  embeddings: "Cursor has no embeddings; use another service for them, or a model that runs on your own machine.",
  rerank: "Cursor does not rank texts; use another service for it.",
  moderations: "Cursor does not judge texts; leave this step out, or use another service for it.",
  audio: noMedia,
  images: noMedia,
  videos: noMedia,
  realtime: noMedia,
  files: noFiles,
  uploads: noFiles,
  containers: noFiles,
  vector_stores: noFiles,
  batches: noBatches,
  "messages/batches": noBatches,
  fine_tuning: noTraining,
  "fine-tunes": noTraining,
  evals: noTraining,
  assistants: noAssistants,
  threads: noAssistants,
  chatkit: noAssistants,
  agents: noAssistants,
  sessions: noAssistants,
  environments: noAssistants,
  deployments: noAssistants,
  deployment_runs: noAssistants,
  dreams: noAssistants,
  memory_stores: noAssistants,
  tunnels: noAssistants,
  vaults: noAssistants,
  skills: "There are no skills here: describe in the system prompt what the model should know.",
  conversations: "Conversations are kept through `previous_response_id` of POST /v1/responses.",
  "chat/completions": "Answers of Chat Completions are not kept; POST /v1/responses keeps them.",
  complete: "Use POST /v1/messages, or POST /v1/completions for a prompt without roles.",
  edits: "Use POST /v1/chat/completions and ask for the edit.",
  engines: "Models are listed by GET /v1/models; prompts go to POST /v1/completions.",
  organization: noAccounts,
  organizations: noAccounts,
  projects: noAccounts,
  user_profiles: noAccounts,
};

/** The same for methods of theirs at addresses that are served with other methods. */
const unservedMethods: Readonly<Record<string, string>> = {
  "GET chat/completions":
    "Answers of Chat Completions are not kept, so there is no list of them; POST /v1/responses keeps its answers. To get an answer, use POST here.",
  "DELETE models": noTraining,
};

/** The refusal of a route that other gateways of these dialects have; undefined for all others. */
export function refusalOfRoute(path: string): GatewayError | undefined {
  const [first = "", second = ""] = segmentsOf(path);
  return refusal(unserved, [`${first}/${second}`, first]);
}

/** For every method that a route does not have. */
export function refuseMethod(allowed: string): Handler<ServerEnv> {
  return (c) => {
    c.env.outgoing.setHeader("allow", allowed);
    throw (
      refusalOfMethod(c.req.method, c.req.path) ??
      new GatewayError("method_not_allowed", `This route takes ${allowed} only.`)
    );
  };
}

/** The same for a method that an address of ours does not have. */
function refusalOfMethod(method: string, path: string): GatewayError | undefined {
  const [first = "", second = ""] = segmentsOf(path);
  const asked = method === "HEAD" ? "GET" : method;
  return refusal(unservedMethods, [`${asked} ${first}/${second}`, `${asked} ${first}`]);
}

function refusal(hints: Readonly<Record<string, string>>, keys: readonly string[]): GatewayError | undefined {
  const key = keys.find((each) => Object.hasOwn(hints, each));
  if (key === undefined) return undefined;
  return new GatewayError("not_implemented", `Curlew does not have this route. ${hints[key]}`);
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\/(v1\/)?/, "").split("/");
}
