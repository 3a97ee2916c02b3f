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
  skills: "There are no skills here: describe in the system prompt what the model should know.",
  conversations: "Conversations are kept through `previous_response_id` of POST /v1/responses.",
  "chat/completions": "Answers of Chat Completions are not kept; POST /v1/responses keeps them.",
  complete: "Use POST /v1/messages, or POST /v1/completions for a prompt without roles.",
  edits: "Use POST /v1/chat/completions and ask for the edit.",
  engines: "Models are listed by GET /v1/models; prompts go to POST /v1/completions.",
  organization: noAccounts,
  organizations: noAccounts,
};

/** What to do instead of asking at a route that other gateways of these dialects have; undefined for all others. */
export function insteadOf(path: string): string | undefined {
  const [first = "", second = ""] = path.replace(/^\/(v1\/)?/, "").split("/");
  return (
    [`${first}/${second}`, first].map((key) => Object.hasOwn(unserved, key) && unserved[key]).find(Boolean) || undefined
  );
}
